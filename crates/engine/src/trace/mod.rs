//! Engines' traces: what was compiled, thrown away and collected, line by line.
//!
//! [`check_trace_flags`](crate::check_trace_flags) finds what makes an engine print, [`read_line`] turns
//! a line into an [`Event`]. Readers
//! take whatever comes: lines cut off, lines of the program in between or glued to the engine's.

mod event;
mod flags;
mod jsc;
mod v8;

pub use event::{CollectionKind, Compile, CompileOutcome, Event, Tier};
pub(crate) use flags::{Extra, lowest_tier_flags, trace_flags};

use tiergate_model::EngineKind;

/// The event that a line of this engine's trace tells, if it tells one.
pub fn read_line(kind: EngineKind, line: &str) -> Option<Event> {
    match kind {
        EngineKind::Node | EngineKind::Deno => v8::read_line(line),
        EngineKind::Bun => jsc::read_line(line),
    }
}

/// What stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}
