//! The wall-clock instrument: the monotonic clock at the marks.

use super::Instrument;
use crate::Fault;
use crate::marks::MarkReport;
use crate::process::EngineCommand;
use std::path::Path;
use tiergate_model::InstrumentKind;
use tiergate_protocol::instrument;

/// Reads the monotonic clock at the marks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Instrument for Clock {
    fn kind(&self) -> InstrumentKind {
        InstrumentKind::Wall
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn preload_name(&self) -> &'static str {
        instrument::CLOCK
    }

    fn wrap(&self, command: EngineCommand, _scratch: &Path) -> EngineCommand {
        command
    }

    fn section_counts(&self, _scratch: &Path, report: &MarkReport) -> Result<Vec<u64>, Fault> {
        Ok(report.closed.iter().map(|section| section.counted_ns).collect())
    }

    /// Long enough that a scheduler's time slice (a few milliseconds) does not dominate.
    fn window_target_ns(&self) -> f64 {
        100e6
    }

    fn measures_time(&self) -> bool {
        true
    }

    fn must_run_alone(&self) -> bool {
        true
    }
}
