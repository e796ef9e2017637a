//! The stream of events of a run, which feeds progress displays and reports.

use crate::{BenchId, BenchResult};

/// What happens in a run, in order.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// Something that the user should know and that stops nothing.
    Warning(String),
    /// Discovery begins for so many files.
    DiscoveryStarted {
        /// Bench files to ask.
        files: usize,
    },
    /// One bench file was asked.
    FileDiscovered {
        /// Its path below the root.
        file: String,
        /// Benches found in it.
        benches: usize,
    },
    /// Measuring begins.
    RunStarted {
        /// Benches to measure.
        benches: usize,
        /// Processes expected to be started, readings and sizing runs.
        processes: usize,
    },
    /// One process of a bench has ended, well or not.
    ProcessFinished {
        /// The bench.
        id: BenchId,
        /// Its wall-clock seconds.
        seconds: f64,
    },
    /// More or fewer processes will be needed than announced.
    ProcessesReplanned {
        /// The new total.
        processes: usize,
    },
    /// All readings of a bench are there, or it failed.
    BenchFinished(Box<BenchResult>),
    /// The run is over.
    RunFinished {
        /// Wall-clock seconds of the whole run.
        seconds: f64,
    },
}
