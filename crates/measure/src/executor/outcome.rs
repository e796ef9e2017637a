//! From a child's events and ending to what the step found, or why it found nothing.

use super::{Bench, BenchFile, Listing, Retained, Sized};
use crate::Fault;
use crate::harness::{Event, OutsideKind, PROTOCOL_VERSION, WarmupCourse};
use crate::process::{Ending, ProcessOutcome};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use tiergate_model::{BenchId, DiscoveredBench, OpBudget};

/// How long a pinned process may do nothing. Its timers take no real time, so only another process
/// or machine can make it wait.
pub(super) const IDLE: Duration = Duration::from_secs(10);

/// What a child did, as far as it can be known.
pub(super) struct Traced<'a> {
    pub(super) events: &'a [Event],
    pub(super) outcome: &'a ProcessOutcome,
    pub(super) timeout: Duration,
}

impl Traced<'_> {
    /// Faults that every step shares, in the order in which they explain one another: the user's
    /// error before the exit that it caused.
    fn common_fault(&self) -> Option<Fault> {
        let ending = self.outcome.ending;
        if ending == Ending::Interrupted {
            return Some(Fault::Interrupted);
        }
        for event in self.events {
            match event {
                Event::Hello { protocol } if *protocol != PROTOCOL_VERSION => {
                    return Some(Fault::NoHarness(ending));
                }
                Event::Error { phase, message, .. } if phase == "mark" => {
                    return Some(Fault::Unmarked(message.clone()));
                }
                Event::Error { phase, message, r#where } => {
                    return Some(Fault::Threw {
                        phase: phase.clone(),
                        message: message.clone(),
                        r#where: r#where.clone(),
                    });
                }
                Event::Runner { framework } => {
                    return Some(Fault::NeedsRunner { framework: framework.clone() });
                }
                Event::Unsupported { framework, framework_version, supported } => {
                    return Some(Fault::UnsupportedFramework {
                        framework: framework.clone(),
                        version: framework_version.clone(),
                        supported: supported.join(", "),
                    });
                }
                _ => {}
            }
        }
        if ending == Ending::Stuck {
            return Some(Fault::Stuck { seconds: IDLE.as_secs(), phase: self.phase() });
        }
        if ending == Ending::TimedOut {
            return Some(Fault::TimedOut { seconds: self.timeout.as_secs(), phase: self.phase() });
        }
        if !self.events.iter().any(|event| matches!(event, Event::Hello { .. })) {
            return Some(self.ended_early());
        }
        None
    }

    /// Exit listeners of the user's code still run after the harness's end and may change the exit
    /// code; a signal is none of theirs.
    fn ended_by_harness(&self) -> bool {
        matches!(self.outcome.ending, Ending::Exited(_))
            && self.events.iter().any(|event| matches!(event, Event::End { .. }))
    }

    fn phase(&self) -> &'static str {
        if self.events.iter().any(|event| matches!(event, Event::Started {})) {
            "the bench"
        } else if self.events.iter().any(|event| matches!(event, Event::Hello { .. })) {
            "loading the file"
        } else {
            "starting the engine"
        }
    }

    /// Where user code asked for the end of the process.
    fn exit_place(&self) -> Option<String> {
        self.events.iter().find_map(|event| match event {
            Event::Exit { r#where, .. } => r#where.clone(),
            _ => None,
        })
    }

    /// The process ended before it had done what it was started for.
    fn ended_unfinished(&self) -> Fault {
        Fault::EndedEarly {
            ending: self.outcome.ending,
            r#where: self.exit_place(),
            output: self.outcome.output_tail.clone(),
        }
    }

    fn ended_early(&self) -> Fault {
        let ending = self.outcome.ending;
        let began = |event: &Event| matches!(event, Event::Started {});
        let alive = |event: &Event| matches!(event, Event::Hello { .. });
        let began = self.events.iter().any(began);
        if ending == Ending::Exited(0) && !began && self.events.iter().any(alive) {
            return Fault::NotRegistered { ending, r#where: self.exit_place() };
        }
        self.ended_unfinished()
    }

    pub(super) fn listing(&self, file: &BenchFile, root: &Path) -> Result<Listing, Fault> {
        if let Some(fault) = self.common_fault() {
            return Err(fault);
        }
        if self.outcome.ending != Ending::Exited(0) {
            return Err(self.ended_early());
        }
        let mut listing = Listing::default();
        let mut loaded = false;
        let mut unrun = 0;
        for event in self.events {
            match event {
                Event::Bench {
                    names,
                    ordinal,
                    framework,
                    framework_version,
                    window,
                    batch_ops,
                    divisible,
                    skipped,
                    imports,
                    engine_args,
                } => {
                    let file = with_arguments(file, engine_args);
                    let discovered = DiscoveredBench {
                        id: BenchId::new(&file.relative, names, *ordinal),
                        framework: framework.clone(),
                        framework_version: framework_version.clone(),
                        window: *window,
                        batch_ops: (*batch_ops).max(1),
                        divisible: *divisible,
                        skipped: *skipped,
                        conditions: conditions(&file, root, imports.as_deref()),
                    };
                    let (names, ordinal) = (names.clone(), *ordinal);
                    listing.benches.push(Bench { file, names, ordinal, discovered });
                }
                Event::Warning { message } => listing.warnings.push(message.clone()),
                Event::Loaded {} => loaded = true,
                Event::Exit { unrun: count, .. } | Event::End { unrun: count } => unrun += count,
                _ => {}
            }
        }
        if listing.benches.is_empty() {
            let outside = self.outside().next();
            return Err(if let Some((kind, name)) = outside {
                Fault::Outside { kind, name: name.to_owned() }
            } else if unrun > 0 {
                Fault::NeverRun { benches: unrun }
            } else if loaded {
                Fault::NoBenches
            } else {
                self.ended_unfinished()
            });
        }
        listing.warnings.extend(self.outside().map(|(kind, name)| {
            format!("it starts the {kind} `{name}`; benches in there are not known")
        }));
        if unrun > 0 {
            listing.warnings.push(format!("{unrun} benches were added but never run"));
        }
        if !loaded {
            listing.warnings.push(
                "the file ended its process before it was read to the end; \
                 benches after that place are not known"
                    .to_owned(),
            );
        }
        let mut ids = BTreeSet::new();
        for bench in &mut listing.benches {
            let id = free_id(bench.id(), &ids);
            if bench.ordinal > 1 || id != *bench.id() {
                listing.warnings.push(format!("`{id}` has the name of an earlier bench"));
            }
            ids.insert(id.clone());
            bench.discovered.id = id;
        }
        Ok(listing)
    }

    /// What the file has started beside its main thread.
    fn outside(&self) -> impl Iterator<Item = (OutsideKind, &str)> {
        self.events.iter().filter_map(|event| match event {
            Event::Outside { kind, name } => Some((*kind, name.as_str())),
            _ => None,
        })
    }

    pub(super) fn sized(&self) -> Result<Sized, Fault> {
        if let Some(fault) = self.common_fault() {
            return Err(fault);
        }
        self.events
            .iter()
            .find_map(|event| match event {
                Event::Sized { warmup_ops, ns_per_op, .. } => {
                    Some(Sized { warmup_ops: *warmup_ops, ns_per_op: *ns_per_op })
                }
                _ => None,
            })
            .ok_or_else(|| self.ended_early())
    }

    /// What the child ran, once it has measured what was asked for.
    pub(super) fn measured(&self, window_ops: u64) -> Result<Measured, Fault> {
        if let Some(fault) = self.common_fault() {
            return Err(fault);
        }
        let measured = self.events.iter().find_map(|event| match event {
            Event::Measured {
                r#async,
                warmup_ops,
                window_ops,
                course,
                ran_dry,
                retained_bytes,
                retained_ops,
            } => Some(Measured {
                is_async: *r#async,
                budget: OpBudget { warmup_ops: *warmup_ops, window_ops: *window_ops },
                course: *course,
                ran_dry: *ran_dry,
                retained: retained_bytes
                    .zip(*retained_ops)
                    .map(|(bytes, ops)| Retained { bytes, ops }),
            }),
            _ => None,
        });
        match measured {
            Some(_) if !self.ended_by_harness() => Err(self.ended_early()),
            Some(measured) if measured.budget.window_ops == window_ops => Ok(measured),
            Some(measured) => Err(Fault::Marks(format!(
                "the harness ran {} ops in the window instead of {window_ops}",
                measured.budget.window_ops
            ))),
            None => Err(self.ended_early()),
        }
    }
}

/// The id, with a number where it is taken: the names of groups and benches can hold what ids are
/// joined with.
fn free_id(id: &BenchId, taken: &BTreeSet<BenchId>) -> BenchId {
    let mut free = id.clone();
    let mut number = 2;
    while taken.contains(&free) {
        free = BenchId::from_text(format!("{id} #{number}"));
        number += 1;
    }
    free
}

/// The file as it is run for a bench that asks for arguments of the engine.
fn with_arguments(file: &BenchFile, engine_args: &[String]) -> BenchFile {
    let mut file = file.clone();
    file.suite.engine_args.extend_from_slice(engine_args);
    file
}

/// What is special about the way in which a file's benches are run.
fn conditions(file: &BenchFile, root: &Path, imports: Option<&str>) -> BTreeMap<String, String> {
    let mut conditions = file.suite.conditions(root);
    conditions.extend(imports.map(|imports| ("imports".to_owned(), imports.to_owned())));
    conditions
}

/// What a child ran.
pub(super) struct Measured {
    /// Whether the op's promise was awaited.
    pub(super) is_async: bool,
    /// The ops, as they were run: a framework's own first calls are part of the warm-up.
    pub(super) budget: OpBudget,
    /// How the marks of its warm-up lay between its ops.
    pub(super) course: WarmupCourse,
    /// Whether the very first op gave something and the last one nothing.
    pub(super) ran_dry: bool,
    pub(super) retained: Option<Retained>,
}
