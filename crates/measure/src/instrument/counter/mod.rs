//! Our own counter: it is part of the preloaded library, takes the measured thread over at the
//! first mark and gives it back at the last one.

mod self_check;

pub use self_check::{
    LOOP_ARGUMENT, SelfCheckError, counted_loop, counts_known_loop, perf_counts_known_loop,
    self_check,
};

use super::{Instrument, Unusable};
use crate::Fault;
use crate::marks::MarkReport;
use crate::process::EngineCommand;
use std::path::Path;
use tiergate_model::InstrumentKind;
use tiergate_protocol::instrument;

/// The in-process counter.
#[derive(Debug, Clone, Copy)]
pub struct Counter(());

impl Counter {
    /// The counter, where this machine's code is what it translates. What only the engine's own
    /// process can tell, such as a system call filter, is found when the window opens.
    ///
    /// # Errors
    /// On other systems and processors.
    pub fn find() -> Result<Self, Unusable> {
        if cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
            return Ok(Self(()));
        }
        Err(Unusable {
            instrument: InstrumentKind::Counter,
            reason: "it translates x86-64 code on Linux with glibc only".to_owned(),
            hint: "use `--instrument callgrind` or `perf`".to_owned(),
        })
    }
}

impl Instrument for Counter {
    fn kind(&self) -> InstrumentKind {
        InstrumentKind::Counter
    }

    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    fn preload_name(&self) -> &'static str {
        instrument::COUNTER
    }

    fn wrap(&self, command: EngineCommand, _scratch: &Path) -> EngineCommand {
        command
    }

    fn section_counts(&self, _scratch: &Path, report: &MarkReport) -> Result<Vec<u64>, Fault> {
        let fault = |fault: String| Fault::Instrument { instrument: "counter", fault };
        if let Some(reason) = &report.uncounted {
            return Err(fault(reason.clone()));
        }
        let counts = report.closed.iter().map(|section| section.instructions);
        counts
            .map(|count| match count {
                Some(0) => Err(fault("it counted nothing between the marks".to_owned())),
                Some(count) => Ok(count),
                None => Err(fault("it gave no count".to_owned())),
            })
            .collect()
    }

    /// Most windows of this length hold enough instructions, and several collections where ops
    /// allocate.
    fn window_target_ns(&self) -> f64 {
        5e6
    }

    fn must_run_alone(&self) -> bool {
        false
    }
}
