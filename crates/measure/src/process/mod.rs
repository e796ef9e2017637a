//! Starting engines in an environment of fixed content, and ending them for certain.

mod activity;
mod alias;
mod child;
mod environment;
mod growth;
mod orphans;
mod output;
mod pin;
mod seed;

pub use alias::{Alias, can_alias};
pub use child::{Ending, EngineCommand, ProcessLimits, ProcessOutcome, SpawnError, run};
pub use environment::{BaseEnvironment, base_environment};
pub use growth::Growth;
pub use output::OutputSink;
pub use pin::{AddressSpace, disable_address_randomisation};
pub use seed::can_be_fixed as can_fix_seed;

/// Prepares this process for measuring: orphans of the engines come to it to be ended.
pub fn adopt_orphans() {
    orphans::adopt();
}

/// Does something that starts children and waits for them by itself, such as trying flags on an engine.
pub(crate) fn with_own_children<T>(children: impl FnOnce() -> T) -> T {
    orphans::spare(children)
}
