//! How long the parts of a process's life took.

use crate::process::Growth;
use tiergate_model::Phases;
use tiergate_protocol::report;

/// The phases of a process that has measured, from its events and the library's report.
pub(super) fn phases(events: &Growth, marks: &Growth, seconds: f64) -> Option<Phases> {
    let event = |name: &str| {
        let start = format!("{{\"event\":\"{name}\"");
        events.moment(false, |line| line.starts_with(&start))
    };
    let hello = event("hello")?;
    let started = event("started")?;
    let ready = event("ready")?;
    let opened = marks.moment(false, |line| line.starts_with(report::OPENED))?;
    let closed = marks.moment(true, |line| line.starts_with(report::CLOSED))?;
    Some(Phases {
        start_up: hello,
        loading: started - hello,
        set_up: ready - started,
        warm_up: opened - ready,
        window: closed - opened,
        end: seconds - closed,
    })
}
