//! Hardware counters, read through the kernel: instructions of the measured thread in user space,
//! between the marks. The preloaded library opens the counter when the section is armed.
//!
//! What a virtual machine, a container or another tool can do to such a counter is told apart, and
//! whatever the reading can't be trusted for is a fault: no reading is scaled, as `perf stat` does.

mod state;

pub use state::{PerfState, perf_state};

use super::{Instrument, Unusable};
use crate::Fault;
use crate::marks::{KernelCount, MarkReport};
use crate::process::EngineCommand;
use std::path::Path;
use tiergate_model::InstrumentKind;
use tiergate_protocol::{instrument, perf_event, perf_step};

/// The kernel's counter of one event.
#[derive(Debug, Clone)]
pub struct Perf {
    version: String,
    preload_name: String,
}

impl Perf {
    /// The processor's counter of instructions.
    ///
    /// # Errors
    /// Where there is none, or this process may not use it.
    pub fn find() -> Result<Self, Unusable> {
        match perf_state() {
            PerfState::Usable => Ok(Self::of(perf_event::INSTRUCTIONS)),
            state => Err(Unusable {
                instrument: InstrumentKind::Perf,
                reason: state.to_string(),
                hint: state.hint().to_owned(),
            }),
        }
    }

    /// Another of the [`perf_event`] names; its readings are told apart from instructions by the
    /// instrument's version. To try the instrument on machines without hardware counters.
    pub fn of_event(event: &str) -> Option<Self> {
        [perf_event::TASK_CLOCK, perf_event::DUMMY].contains(&event).then(|| Self::of(event))
    }

    fn of(event: &str) -> Self {
        const VERSION: &str = "1";
        let version = match event {
            perf_event::INSTRUCTIONS => VERSION.to_owned(),
            other => format!("{VERSION} ({other} in place of instructions)"),
        };
        Self { version, preload_name: format!("{}{event}", instrument::PERF_PREFIX) }
    }
}

impl Instrument for Perf {
    fn kind(&self) -> InstrumentKind {
        InstrumentKind::Perf
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn preload_name(&self) -> &str {
        &self.preload_name
    }

    fn wrap(&self, command: EngineCommand, _scratch: &Path) -> EngineCommand {
        command
    }

    fn section_counts(&self, _scratch: &Path, report: &MarkReport) -> Result<Vec<u64>, Fault> {
        let fault = |fault| Fault::Instrument { instrument: "perf", fault };
        if report.kernel.len() < report.closed.len() {
            return Err(fault("it gave no count".to_owned()));
        }
        report.kernel.iter().map(|count| judge(count).map_err(fault)).collect()
    }

    fn window_target_ns(&self) -> f64 {
        10e6
    }

    /// Not even an empty op is less than an instruction.
    fn least_count(&self, window_ops: u64) -> u64 {
        window_ops
    }

    /// The counter belongs to one thread, and other processes have their own.
    fn must_run_alone(&self) -> bool {
        false
    }
}

/// The count, or what is wrong with it.
fn judge(count: &KernelCount) -> Result<u64, String> {
    let (from, to, enabled, running) = match count {
        KernelCount::Read { from, to, enabled_ns, running_ns } => {
            (*from, *to, *enabled_ns, *running_ns)
        }
        KernelCount::Failed { step, error } => return Err(failed(step, *error)),
    };
    if to < from {
        return Err(format!(
            "the hardware counter went down, from {from} to {to}: the processor or the virtual \
             machine counts wrongly; use `--instrument counter` or `callgrind`"
        ));
    }
    if running < enabled {
        return Err(format!(
            "the hardware counter ran for only {running} of {enabled} ns: it was shared with other \
             users of the counters, or the thread moved to a core of another kind; end other \
             profilers, or use `--instrument counter` or `callgrind`"
        ));
    }
    match to - from {
        0 => Err("the hardware counter stayed at 0 between the marks: the virtual machine only \
                  pretends to have one; use `--instrument counter` or `callgrind`"
            .to_owned()),
        count => Ok(count),
    }
}

fn failed(step: &str, error: i32) -> String {
    let text = std::io::Error::from_raw_os_error(error);
    match step {
        perf_step::OPEN => {
            let state = PerfState::of_error(error);
            let hint = state.hint();
            format!("hardware counters can't be used in the engine's process: {state}; {hint}")
        }
        perf_step::KEEP => "the hardware counter could not be kept on the processor: another user \
                            of the counters, such as a profiler or the NMI watchdog, holds it; end \
                            it, or use `--instrument counter` or `callgrind`"
            .to_owned(),
        step => format!("the hardware counter could not be made to {step}: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(from: u64, to: u64, enabled_ns: u64, running_ns: u64) -> Result<u64, String> {
        judge(&KernelCount::Read { from, to, enabled_ns, running_ns })
    }

    #[test]
    fn a_whole_reading_is_a_count() {
        assert_eq!(read(0, 77, 10, 10), Ok(77));
        assert_eq!(read(5, 77, 10, 10), Ok(72));
    }

    #[test]
    fn each_odd_reading_is_told_apart() {
        for (reading, word) in [
            (read(0, 0, 10, 10), "stayed at 0"),
            (read(9, 9, 10, 10), "stayed at 0"),
            (read(9, 8, 10, 10), "went down, from 9 to 8"),
            (read(0, 77, 10, 9), "only 9 of 10 ns"),
            (read(0, 77, 10, 0), "only 0 of 10 ns"),
        ] {
            let reason = reading.unwrap_err();
            assert!(reason.contains(word), "{reason}");
            assert!(reason.contains("--instrument"), "no way out: {reason}");
        }
    }

    #[test]
    fn each_failure_is_told_apart() {
        use nix::errno::Errno;
        for (step, error, word) in [
            (perf_step::OPEN, Errno::EACCES as i32, "no permission"),
            (perf_step::OPEN, Errno::ENOENT as i32, "this machine has none"),
            (perf_step::OPEN, Errno::ENOSYS as i32, "no `perf_event_open`"),
            (perf_step::KEEP, 0, "another user"),
            (perf_step::SWITCH, Errno::EIO as i32, "switch"),
            (perf_step::READ, Errno::EIO as i32, "read"),
        ] {
            let reason = failed(step, error);
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn a_section_without_a_line_has_no_count() {
        let section = crate::marks::Section {
            counted_ns: 0,
            marks: 2,
            instructions: None,
            sub_windows: Vec::new(),
        };
        let report = MarkReport { closed: vec![section], ..MarkReport::default() };
        let perf = Perf::of(perf_event::INSTRUCTIONS);
        assert!(perf.section_counts(Path::new("/"), &report).is_err());
    }
}
