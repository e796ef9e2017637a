//! Traces with op numbers: what the engine did, and at which op.
//!
//! The engine's lines and the marks are in one file in the order in which they happened (the
//! preloaded library sees to that), and a mark comes after every batch of the warm-up. So a line's
//! op is known to within the ops between two marks.

mod place;
mod timeline;
mod twin;

pub use place::Place;
pub use timeline::{TimedEvent, Timeline};

pub(crate) use place::Course;

use tiergate_model::EngineKind;
use tiergate_protocol::traced;

/// The C stream that an engine traces to.
pub(crate) fn traced_stream(kind: EngineKind) -> &'static str {
    match kind {
        EngineKind::Node | EngineKind::Deno => traced::STDOUT,
        EngineKind::Bun => traced::STDERR,
    }
}
