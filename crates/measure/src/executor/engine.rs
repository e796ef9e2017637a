//! Steps taken with a real engine, each in a fresh process.

use super::invocation::{Equipment, Invocation};
use super::lifting::LiftedPins;
use super::outcome::{IDLE, Traced};
use super::suite_flags::SuiteFlags;
use super::{Bench, BenchFile, Executor, Listing, RawReading, Sized};
use crate::Fault;
use crate::harness::{
    Event, Harness, Mode, PROTOCOL_VERSION, Request, RequestBudget, Selection, Sizing, read_events,
};
use crate::instrument::{Clock, Instrument};
use crate::marks::MarkReport;
use crate::process::{BaseEnvironment, OutputSink, ProcessLimits, ProcessOutcome, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tiergate_engine::{AcceptedFlags, Engine};
use tiergate_model::{Fingerprint, OpBudget, Pinned, Proof, WindowShape};
use tiergate_protocol::{environment, pin, shape};

/// What all children of a run share.
pub struct Sandbox {
    /// The working directory, which is the root that ids are relative to.
    pub root: PathBuf,
    /// The cleaned environment.
    pub environment: BaseEnvironment,
    /// How long one process may take.
    pub timeout: Duration,
    /// Takes the user's own output.
    pub output: OutputSink,
    /// Becomes true when the run is interrupted.
    pub interrupted: Arc<AtomicBool>,
}

/// Takes steps with one engine and one instrument.
pub struct EngineExecutor {
    engine: Engine,
    flags: AcceptedFlags,
    harness: Harness,
    instrument: Box<dyn Instrument>,
    sandbox: Sandbox,
    fingerprint: Fingerprint,
    lifted: LiftedPins,
    suite_flags: SuiteFlags,
}

/// How long a sizing run times a bench after its warm-up.
const SIZING: Sizing = Sizing { warmup_ops: 4_000, warmup_seconds: 2.0, timing_seconds: 0.05 };

impl EngineExecutor {
    /// Puts together what the steps need; `flags` have been tried on the engine before.
    pub fn new(
        engine: Engine,
        flags: AcceptedFlags,
        harness: Harness,
        instrument: Box<dyn Instrument>,
        sandbox: Sandbox,
        fingerprint: Fingerprint,
    ) -> Self {
        Self {
            engine,
            flags,
            harness,
            instrument,
            sandbox,
            fingerprint,
            lifted: LiftedPins::default(),
            suite_flags: SuiteFlags::default(),
        }
    }

    fn invoke(&self, file: &BenchFile) -> Result<Invocation, Fault> {
        let flags =
            self.suite_flags.of(&file.suite, &self.engine, &self.flags, &self.sandbox.root)?;
        Equipment {
            engine: &self.engine,
            flags: &flags,
            harness: &self.harness,
            sandbox: &self.sandbox,
        }
        .invoke(file)
    }

    fn request(&self, mode: Mode, file: &BenchFile, scratch: &Scratch) -> Request {
        Request {
            protocol: PROTOCOL_VERSION,
            mode,
            events: scratch.path("events.jsonl"),
            file: file.absolute.clone(),
            select: None,
            budget: None,
            sizing: None,
            worker: None,
        }
    }

    fn limits(&self, show_output: bool, idle: Option<Duration>) -> ProcessLimits<'_> {
        ProcessLimits {
            timeout: self.sandbox.timeout,
            idle,
            output: show_output.then(|| Arc::clone(&self.sandbox.output)),
            interrupted: &self.sandbox.interrupted,
        }
    }

    fn start(
        &self,
        scratch: &Scratch,
        mut request: Request,
        invocation: Invocation,
        limits: &ProcessLimits<'_>,
    ) -> Result<(Vec<Event>, ProcessOutcome), Fault> {
        let Invocation { mut command, worker } = invocation;
        request.worker = worker;
        let path = scratch.path("request.json");
        let json = serde_json::to_vec(&request).unwrap_or_default();
        fs::write(&path, json).map_err(|source| scratch_fault(&path, source))?;
        command.environment.insert("TIERGATE_REQUEST".into(), path.into());
        let outcome = run(&command, limits)?;
        Ok((read_events(&request.events)?, outcome))
    }

    /// Takes a reading with all that the profile holds constant. A bench that hangs under it is
    /// read again with less of it, from then on; the reading says so.
    fn read_with(
        &self,
        instrument: &dyn Instrument,
        bench: &Bench,
        budget: OpBudget,
        show_output: bool,
    ) -> Result<RawReading, Fault> {
        let held = if instrument.measures_time() { Vec::new() } else { self.flags.set().held() };
        loop {
            let lifted = self.lifted.of(bench.id());
            let kept = lifted.as_ref().map_or_else(|| held.clone(), |lifted| lifted.keep(&held));
            let fault = match self.read_once(instrument, bench, budget, show_output, &kept) {
                Ok(mut raw) => {
                    if let (Some(lifted), Some(pinned)) =
                        (lifted.filter(|_| !held.is_empty()), raw.proof.pinned.as_mut())
                    {
                        pinned.lifted = Some(lifted.reason);
                    }
                    return Ok(raw);
                }
                Err(fault) => fault,
            };
            if kept.is_empty() || !self.lifted.lift_more(bench.id(), &fault) {
                return Err(fault);
            }
        }
    }

    fn read_once(
        &self,
        instrument: &dyn Instrument,
        bench: &Bench,
        budget: OpBudget,
        show_output: bool,
        held: &[&str],
    ) -> Result<RawReading, Fault> {
        let preload = self.harness.preload.as_ref().ok_or_else(|| {
            Fault::Marks("this build of tiergate carries no library for the marks".to_owned())
        })?;
        let scratch = Scratch::new()?;
        let mut request = self.request(Mode::Measure, &bench.file, &scratch);
        request.select = Some(selection(bench));
        request.budget =
            Some(RequestBudget { warmup_ops: budget.warmup_ops, window_ops: budget.window_ops });
        let window = WindowPlan::of(bench, budget);
        let report = scratch.path("marks");
        let mut invocation = self.invoke(&bench.file)?;
        if held.contains(&pin::SEED) {
            invocation.fix_seed();
        }
        let mut invocation = invocation.wrapped(instrument, scratch.directory());
        let variables = [
            ("LD_PRELOAD", preload.clone().into_os_string()),
            (environment::REPORT, report.clone().into_os_string()),
            (environment::INSTRUMENT, instrument.preload_name().into()),
            (environment::SHAPE, window.shape.into()),
            (environment::MARKS, window.marks_each.to_string().into()),
            (environment::SECTIONS, window.sections.to_string().into()),
        ];
        for (name, value) in &variables {
            invocation.set(name, value);
        }
        if !held.is_empty() {
            invocation.set(environment::PINS, held.join(","));
        }

        let idle = (!held.is_empty()).then_some(IDLE);
        let limits = self.limits(show_output, idle);
        let (events, outcome) = self.start(&scratch, request, invocation, &limits)?;
        let traced = Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout };
        let measured = traced.measured(budget.window_ops)?;
        let report = MarkReport::read(&report)?;
        let marks = report.check(window.sections, window.marks_each)?;
        let counts = instrument.section_counts(scratch.directory(), &report)?;
        let mut pinned = report.pinned.or_else(|| (!held.is_empty()).then(Pinned::default));
        if let Some(pinned) = pinned.as_mut().filter(|_| outcome.fixed_seed) {
            pinned.held.push(pin::SEED.to_owned());
        }
        let (count, subtracted_mark_cost) = window.count(&counts, instrument.kind().name())?;
        let least = instrument.least_count(budget.window_ops);
        if count < least {
            return Err(Fault::Instrument {
                instrument: instrument.kind().name(),
                fault: format!(
                    "a count of {count} for {} ops can't be; use another `--instrument`",
                    budget.window_ops
                ),
            });
        }
        Ok(RawReading {
            count,
            seconds: outcome.seconds,
            is_async: measured.is_async,
            budget: measured.budget,
            proof: Proof { marks, subtracted_mark_cost, observed: report.observed, pinned },
        })
    }
}

impl Executor for EngineExecutor {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn list(&self, file: &BenchFile) -> Result<Listing, Fault> {
        let scratch = Scratch::new()?;
        let request = self.request(Mode::List, file, &scratch);
        let (events, outcome) =
            self.start(&scratch, request, self.invoke(file)?, &self.limits(true, None))?;
        Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout }
            .listing(file, &self.sandbox.root)
    }

    fn size(&self, bench: &Bench) -> Result<Sized, Fault> {
        let scratch = Scratch::new()?;
        let mut request = self.request(Mode::Size, &bench.file, &scratch);
        request.select = Some(selection(bench));
        request.sizing = Some(SIZING);
        let invocation = self.invoke(&bench.file)?;
        let (events, outcome) =
            self.start(&scratch, request, invocation, &self.limits(false, None))?;
        Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout }.sized()
    }

    fn read(
        &self,
        bench: &Bench,
        budget: OpBudget,
        show_output: bool,
    ) -> Result<RawReading, Fault> {
        self.read_with(self.instrument.as_ref(), bench, budget, show_output)
    }

    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault> {
        self.read_with(&Clock, bench, budget, false)
    }

    fn window_target_ns(&self) -> f64 {
        self.instrument.window_target_ns()
    }

    fn must_run_alone(&self) -> bool {
        self.instrument.must_run_alone()
    }
}

fn selection(bench: &Bench) -> Selection {
    Selection { names: bench.names.clone(), ordinal: bench.ordinal }
}

/// How many marks and sections a bench's window has.
struct WindowPlan {
    shape: &'static str,
    marks_each: u64,
    sections: usize,
}

impl WindowPlan {
    fn of(bench: &Bench, budget: OpBudget) -> Self {
        match bench.discovered.window {
            WindowShape::Span => Self { shape: shape::SPAN, marks_each: 2, sections: 1 },
            WindowShape::Brackets => Self {
                shape: shape::BRACKETS,
                marks_each: 2 * budget.window_ops.div_ceil(bench.discovered.batch_ops),
                sections: 2,
            },
        }
    }

    /// The window's count, and what of it was taken off for the marks.
    fn count(
        &self,
        sections: &[u64],
        instrument: &'static str,
    ) -> Result<(u64, Option<u64>), Fault> {
        match sections {
            [whole] => Ok((*whole, None)),
            [with_ops, marks_only] => match with_ops.checked_sub(*marks_only) {
                Some(count) if count > 0 => Ok((count, Some(*marks_only))),
                _ => Err(Fault::Instrument {
                    instrument,
                    fault: format!(
                        "the ops between the marks cost nothing beyond the marks themselves \
                         ({with_ops} against {marks_only})"
                    ),
                }),
            },
            _ => Err(Fault::Marks(format!("{} sections were counted", sections.len()))),
        }
    }
}

/// A folder of one process's own, removed with it. Its name has the same length each time.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Result<Self, Fault> {
        tempfile::Builder::new()
            .prefix("tiergate-")
            .rand_bytes(8)
            .tempdir()
            .map(Self)
            .map_err(|source| scratch_fault(&std::env::temp_dir(), source))
    }

    fn directory(&self) -> &Path {
        self.0.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn scratch_fault(path: &Path, source: std::io::Error) -> Fault {
    Fault::Scratch { path: path.display().to_string(), source }
}
