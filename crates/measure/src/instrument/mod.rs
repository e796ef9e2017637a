//! Instruments: what counts between the marks.

mod callgrind;
mod clock;
mod counter;
mod perf;

pub use callgrind::Callgrind;
pub use clock::Clock;
pub use counter::{
    Counter, LOOP_ARGUMENT, SelfCheckError, counted_loop, counts_known_loop,
    perf_counts_known_loop, self_check,
};
pub use perf::{Perf, PerfState, perf_state};

use crate::Fault;
use crate::marks::MarkReport;
use crate::process::EngineCommand;
use std::path::Path;
use tiergate_model::InstrumentKind;

/// Something that counts between the marks of one process.
pub trait Instrument: Send + Sync {
    /// Which one it is.
    fn kind(&self) -> InstrumentKind;

    /// Its version, for the fingerprint.
    fn version(&self) -> &str;

    /// What the preloaded library is told to do at the marks.
    fn preload_name(&self) -> &str;

    /// Changes the command so that the instrument is in place; its files go into `scratch`.
    fn wrap(&self, command: EngineCommand, scratch: &Path) -> EngineCommand;

    /// The counts of the sections, in the instrument's unit.
    ///
    /// # Errors
    /// [`Fault::Instrument`] when a count is missing or absurd.
    fn section_counts(&self, scratch: &Path, report: &MarkReport) -> Result<Vec<u64>, Fault>;

    /// How many nanoseconds of native time a window should hold, before any count is known.
    fn window_target_ns(&self) -> f64;

    /// A count of that many ops below this is absurd.
    fn least_count(&self, _window_ops: u64) -> u64 {
        1
    }

    /// Whether what it measures is time: then clocks and threads are left as they are.
    fn measures_time(&self) -> bool {
        false
    }

    /// Whether other processes would disturb it.
    fn must_run_alone(&self) -> bool;
}

/// An instrument that can't be used here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{instrument} can't be used: {reason}")]
pub struct Unusable {
    /// Which one.
    pub instrument: InstrumentKind,
    /// Why not.
    pub reason: String,
    /// What helps.
    pub hint: String,
}
