//! The preloaded library's report: which sections were armed, opened and closed.

use crate::Fault;
use std::path::Path;
use std::{fs, io};
use tiergate_model::{MarkCheck, Observed, Pinned, Spent};
use tiergate_protocol::report;

/// One section as the library saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Nanoseconds counted between its marks by the monotonic clock, for the clock instrument.
    pub counted_ns: u64,
    /// Marks that came.
    pub marks: u64,
    /// The in-process counter's count, where that is the instrument.
    pub instructions: Option<u64>,
    /// The same of each sub-window, where there are several.
    pub sub_windows: Vec<u64>,
}

/// What the kernel's counter said in one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelCount {
    /// Its readings.
    Read {
        /// At the mark that opened; or, where a reading was below the one before it, that one.
        from: u64,
        /// At the last mark that closed; or the reading that was too low.
        to: u64,
        /// Nanoseconds that it was on.
        enabled_ns: u64,
        /// Nanoseconds that it really counted.
        running_ns: u64,
    },
    /// None.
    Failed {
        /// What it could not be made to do: one of [`tiergate_protocol::perf_step`].
        step: String,
        /// The error's number; 0 where the kernel gave none.
        error: i32,
    },
}

/// What the library reports of one process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarkReport {
    /// Sections that were closed, in order.
    pub closed: Vec<Section>,
    /// Sections that were armed.
    pub armed: u64,
    /// Sections of which the first mark came.
    pub opened: u64,
    /// Marks after the last section.
    pub excess: u64,
    /// Sections that began inside another.
    pub rearmed: u64,
    /// What the in-process counter saw.
    pub observed: Option<Observed>,
    /// What the kernel's counter said, section by section, where that is the instrument.
    pub kernel: Vec<KernelCount>,
    /// How far the process was pinned.
    pub pinned: Option<Pinned>,
    /// Processor time that was spent in the sections together.
    pub spent: Spent,
    /// Why the in-process counter gives no count, or only a part of one.
    pub uncounted: Option<String>,
}

impl MarkReport {
    /// Reads the report; a file that is not there is an empty report.
    ///
    /// # Errors
    /// [`Fault::Marks`] when it is not a report, [`Fault::Scratch`] when it can't be read.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text)
                .ok_or_else(|| Fault::Marks("the report of the marks can't be read".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(Fault::Scratch { path: path.display().to_string(), source }),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != report::HEADER {
            return None;
        }
        let mut parsed = Self::default();
        // The counter's lines of a section come before its `closed`.
        let mut counted = None;
        let mut sub_windows = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                [report::ARMED, ..] => parsed.armed += 1,
                [report::OPENED, ..] => parsed.opened += 1,
                [report::EXCESS, ..] => parsed.excess += 1,
                [report::REARMED, ..] => parsed.rearmed += 1,
                [report::CLOSED, _, "marks", marks, "ns", ns] => parsed.closed.push(Section {
                    marks: marks.parse().ok()?,
                    counted_ns: ns.parse().ok()?,
                    instructions: counted.take(),
                    sub_windows: std::mem::take(&mut sub_windows),
                }),
                [report::PINNED, escaped, held @ ..] => {
                    parsed.pinned = Some(Pinned {
                        held: held.iter().map(|name| (*name).to_owned()).collect(),
                        escaped_turns: escaped.parse().ok()?,
                        lifted: None,
                    });
                }
                [
                    report::PERF,
                    _,
                    "from",
                    from,
                    "to",
                    to,
                    "enabled",
                    enabled,
                    "running",
                    running,
                ] => {
                    parsed.kernel.push(KernelCount::Read {
                        from: from.parse().ok()?,
                        to: to.parse().ok()?,
                        enabled_ns: enabled.parse().ok()?,
                        running_ns: running.parse().ok()?,
                    });
                }
                [report::PERF_FAILED, _, step, error] => parsed.kernel.push(KernelCount::Failed {
                    step: (*step).to_owned(),
                    error: error.parse().ok()?,
                }),
                [report::SUB_WINDOW, _, count] => sub_windows.push(count.parse().ok()?),
                [report::SPENT, _, "own", own, "threads", threads, "children", children] => {
                    parsed.spent.own_ns += own.parse::<u64>().ok()?;
                    parsed.spent.threads_ns += threads.parse::<u64>().ok()?;
                    parsed.spent.children_ns += children.parse::<u64>().ok()?;
                }
                [report::COUNTED, _, "instructions", count] => counted = Some(count.parse().ok()?),
                [report::OBSERVED, _, name, number] => {
                    add(parsed.observed.get_or_insert_default(), name, number.parse().ok()?);
                }
                [report::SYSTEM_CALL, _, number, count] => {
                    let observed = parsed.observed.get_or_insert_default();
                    let calls = observed.system_calls.entry(number.parse().ok()?).or_default();
                    *calls += count.parse::<u64>().ok()?;
                }
                [report::REFUSED, _, reason @ ..] => {
                    parsed.uncounted.get_or_insert_with(|| {
                        let reason = reason.join(" ");
                        format!("{reason}; use `--instrument callgrind` or `perf`")
                    });
                }
                [report::INCOMPLETE, _, reason @ ..] => {
                    parsed.uncounted.get_or_insert_with(|| reason.join(" "));
                }
                _ => return None,
            }
        }
        Some(parsed)
    }

    /// Compares the marks with the plan.
    ///
    /// # Errors
    /// [`Fault::Marks`] naming what is missing or too much.
    pub(crate) fn check(&self, sections: usize, marks_each: u64) -> Result<MarkCheck, Fault> {
        let wrong = |text: String| Err(Fault::Marks(text));
        if self.armed == 0 {
            return wrong("no mark was seen: the library with the marks was not in use".to_owned());
        }
        if self.opened == 0 {
            return wrong("the window was never opened".to_owned());
        }
        if self.rearmed > 0 {
            return wrong(
                "a second window was begun inside the window: does the op call \
                 `process.kill(0, 0)`?"
                    .to_owned(),
            );
        }
        if self.closed.len() < sections {
            return wrong("the window was opened but never closed".to_owned());
        }
        if self.excess > 0 || self.closed.len() > sections {
            return wrong(format!(
                "{} marks more than planned were seen: does the op read `process.ppid`?",
                self.excess.max(1)
            ));
        }
        let seen = self.closed.iter().map(|section| section.marks).sum();
        Ok(MarkCheck { expected: marks_each * sections as u64, seen })
    }
}

/// Adds to the field of that name; one that is not known is of a newer library, which can't be
/// loaded by this launcher.
fn add(observed: &mut Observed, name: &str, number: u64) {
    let field = match name {
        "code_writes" => &mut observed.code_writes,
        "foreign_code_writes" => &mut observed.foreign_code_writes,
        "invalidations" => &mut observed.invalidations,
        "signals" => &mut observed.signals,
        "faults" => &mut observed.faults,
        "threads_started" => &mut observed.threads_started,
        "children_started" => &mut observed.children_started,
        "repeated_instructions" => &mut observed.repeated_instructions,
        _ => return,
    };
    *field += number;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(lines: &str) -> MarkReport {
        MarkReport::parse(&format!("tiergate-report 1\n{lines}")).unwrap()
    }

    #[test]
    fn a_whole_section_passes() {
        let report = parsed("armed 1 thread 5\nopened 1\nclosed 1 marks 2 ns 77\n");
        assert_eq!(report.check(1, 2).unwrap(), MarkCheck { expected: 2, seen: 2 });
        assert_eq!(report.closed[0].counted_ns, 77);
    }

    #[test]
    fn every_other_course_is_a_fault() {
        let whole = "armed 1 thread 5\nopened 1\nclosed 1 marks 2 ns 77\n";
        for (lines, word) in [
            ("", "not in use"),
            ("armed 1 thread 5\n", "never opened"),
            ("armed 1 thread 5\nopened 1\n", "never closed"),
            (&format!("{whole}excess 1\n"), "more than planned"),
            ("armed 1 thread 5\nopened 1\nrearmed 1\narmed 2 thread 5\n", "inside the window"),
        ] {
            let fault = parsed(lines).check(1, 2).unwrap_err().to_string();
            assert!(fault.contains(word), "{lines:?}: {fault}");
        }
        assert_eq!(MarkReport::parse("something else\n"), None);
        assert_eq!(MarkReport::parse("tiergate-report 1\nnoise\n"), None);
    }
}
