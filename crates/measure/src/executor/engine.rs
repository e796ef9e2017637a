//! Steps taken with a real engine, each in a fresh process.

mod window_run;

use self::window_run::{How, UNSEEN};
use super::beside::BesideFlags;
use super::code_cache::{CodeCache, RunnerCode};
use super::empty::EmptyOps;
use super::held;
use super::invocation::{Equipment, Invocation};
use super::lifting::LiftedPins;
use super::opened::read_notes;
use super::outcome::Traced;
use super::perturbed::Changes;
use super::scratch::{Scratch, scratch_fault};
use super::suite_flags::SuiteFlags;
use super::window::{Division, WindowPlan, division};
use super::{
    Bench, BenchFile, Executor, Listing, RawReading, ReadOptions, Runner, Sized, Stretches, Tiers,
};
use crate::Fault;
use crate::harness::{
    Event, Harness, Mode, PROTOCOL_VERSION, Request, Selection, Sizing, read_events,
};
use crate::instrument::{Clock, Instrument};
use crate::process::{BaseEnvironment, OutputSink, ProcessLimits, ProcessOutcome, run};
use crate::profile::Profile;
use crate::trace::{Course, Timeline, traced_stream};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tiergate_engine::{AcceptedFlags, Engine, Seeds, can_preload};
use tiergate_model::{
    Fingerprint, InstrumentKind, Observed, OpBudget, PerturbationKind, Proof, WindowShape,
};
use tiergate_protocol::{environment, instrument};

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
    /// Why the library with the marks can't be loaded into the engine.
    not_loadable: Option<String>,
    lifted: LiftedPins,
    suite_flags: SuiteFlags,
    beside: BesideFlags,
    empty_ops: EmptyOps,
    code_cache: Option<CodeCache>,
    runner_code: RunnerCode,
}

/// How long a sizing run times a bench after its warm-up.
const SIZING: Sizing = Sizing { warmup_ops: 4_000, warmup_seconds: 0.2, timing_seconds: 0.02 };

/// A sizing run that is to call the bench at all.
const LOOK: Sizing = Sizing { warmup_ops: 3, warmup_seconds: 0.5, timing_seconds: 0.001 };

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
        let empty_ops = EmptyOps::new(&harness.directory);
        let not_loadable = can_preload(&engine.path).err().map(|reason| reason.to_string());
        Self {
            not_loadable,
            engine,
            flags,
            harness,
            instrument,
            sandbox,
            fingerprint,
            lifted: LiftedPins::default(),
            suite_flags: SuiteFlags::default(),
            beside: BesideFlags::default(),
            empty_ops,
            code_cache: None,
            runner_code: RunnerCode::default(),
        }
    }

    /// Has all processes share what the engine compiles while it loads a file, where it can keep
    /// that.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn with_code_cache(mut self) -> Result<Self, Fault> {
        self.code_cache = CodeCache::new(&self.engine)?;
        Ok(self)
    }

    /// The flags for a file.
    fn flags_of(&self, file: &BenchFile) -> Result<Cow<'_, AcceptedFlags>, Fault> {
        self.suite_flags.of(&file.suite, &self.engine, &self.flags, &self.sandbox.root)
    }

    fn invoke(&self, file: &BenchFile) -> Result<Invocation, Fault> {
        self.invoke_with(self.flags_of(file)?.as_ref(), file)
    }

    fn invoke_with(&self, flags: &AcceptedFlags, file: &BenchFile) -> Result<Invocation, Fault> {
        let equipment = self.equipment(flags);
        let mut invocation = equipment.invoke(file)?;
        if let Some(cache) = &self.code_cache {
            invocation.code = Some(cache.primed(&invocation, |code| {
                // A file that can't be loaded leaves no code; the step itself tells why.
                let _ = equipment.invoke(file).and_then(|mut loading| {
                    code.fill(&mut loading);
                    let scratch = Scratch::new()?;
                    let request = self.request(Mode::List, file, &scratch);
                    self.start(&scratch, request, loading, &self.limits(false, None))
                });
            }));
        }
        Ok(invocation)
    }

    fn equipment<'a>(&'a self, flags: &'a AcceptedFlags) -> Equipment<'a> {
        Equipment {
            engine: &self.engine,
            flags,
            harness: &self.harness,
            sandbox: &self.sandbox,
            runner_code: &self.runner_code,
        }
    }

    /// Nothing is measured with an engine that can't be.
    fn check_engine(&self) -> Result<(), Fault> {
        self.not_loadable.as_ref().map_or(Ok(()), |reason| {
            Err(Fault::Engine { engine: self.engine.to_string(), reason: reason.clone() })
        })
    }

    /// The flags for a file, at all tiers of its compilers or at the lowest only.
    fn flags_for(&self, tiers: Tiers, file: &BenchFile) -> Result<AcceptedFlags, Fault> {
        let flags = self.flags_of(file)?;
        Ok(match tiers {
            Tiers::AsMeasured => flags.into_owned(),
            Tiers::Lowest => flags.with_extras(self.beside.lowest_tier(
                &self.engine,
                &self.flags,
                &self.sandbox.root,
            )?),
        })
    }

    /// The files that were opened. Those that a runner's own process has opened are not known.
    fn read_opened(&self, notes: &Path, file: &BenchFile) -> Option<BTreeSet<PathBuf>> {
        let directory = file.suite.directory.as_ref().unwrap_or(&self.sandbox.root);
        let is_whole = file.suite.runner == Runner::Engine;
        is_whole.then(|| read_notes(notes, directory, &file.absolute)).flatten()
    }

    /// A process of which the preloaded library notes the files that it opens. It gets no compiled
    /// code, which would be opened in place of what it was compiled from.
    fn invoke_noting(
        &self,
        file: &BenchFile,
        scratch: &Scratch,
    ) -> Result<(Invocation, PathBuf), Fault> {
        let mut invocation = self.equipment(self.flags_of(file)?.as_ref()).invoke(file)?;
        let notes = scratch.path("opened");
        if let Some(preload) = &self.harness.preload {
            let variables = [
                ("LD_PRELOAD", preload.clone().into_os_string()),
                (environment::OPENED, notes.clone().into_os_string()),
            ];
            for (name, value) in &variables {
                invocation.set(name, value);
            }
        }
        Ok((invocation, notes))
    }

    fn request(&self, mode: Mode, file: &BenchFile, scratch: &Scratch) -> Request {
        Request {
            protocol: PROTOCOL_VERSION,
            mode,
            events: scratch.path("events.jsonl"),
            file: file.absolute.clone(),
            functions: file.suite.mark_functions.clone(),
            select: None,
            budget: None,
            sizing: None,
            worker: None,
            perturb: None,
        }
    }

    fn limits(&self, show_output: bool, idle: Option<Duration>) -> ProcessLimits<'_> {
        ProcessLimits {
            timeout: self.sandbox.timeout,
            idle,
            output: show_output.then(|| Arc::clone(&self.sandbox.output)),
            interrupted: &self.sandbox.interrupted,
            watched: Vec::new(),
        }
    }

    fn start(
        &self,
        scratch: &Scratch,
        mut request: Request,
        mut invocation: Invocation,
        limits: &ProcessLimits<'_>,
    ) -> Result<(Vec<Event>, ProcessOutcome), Fault> {
        if let Some(code) = invocation.code.take() {
            code.give(&mut invocation, scratch)?;
        }
        let Invocation { mut command, worker, .. } = invocation;
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
        options: ReadOptions,
    ) -> Result<RawReading, Fault> {
        let flags = self.flags_of(&bench.file)?;
        let held = if instrument.measures_time() { Vec::new() } else { flags.set().held() };
        loop {
            let lifted = self.lifted.of(bench.id());
            let kept = lifted.as_ref().map_or_else(|| held.clone(), |lifted| lifted.keep(&held));
            let how = How { flags: &flags, held: &kept, division: division(instrument), options };
            let fault = match self.read_once(instrument, bench, budget, &how) {
                Ok(mut raw) => {
                    if let Some(lifted) = lifted.filter(|_| !held.is_empty()) {
                        raw.proof.pinned.get_or_insert_default().lifted = Some(lifted.reason);
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
        how: &How<'_>,
    ) -> Result<RawReading, Fault> {
        let scratch = Scratch::new()?;
        let changes = Changes::of(how.options.perturbation);
        let alias = changes.alias(&scratch)?;
        let mut bench = bench.clone();
        if let Some(alias) = &alias {
            bench.file.absolute = alias.path(&bench.file.absolute);
        }
        let mut invocation = self.invoke_with(&changes.flags(how.flags), &bench.file)?;
        invocation.command.alias = alias;
        changes.apply(&mut invocation.command);
        let invocation = invocation.wrapped(instrument, scratch.directory());
        let name = instrument.preload_name();
        let budget = changes.budget(budget);
        let window = self.run_window(&scratch, &bench, budget, invocation, name, how)?;
        let report = window.report;
        let counts = instrument.section_counts(scratch.directory(), &report)?;
        let pinned = held::told(how.held, report.pinned, window.fixed_seed);
        let (count, subtracted_mark_cost) = window.plan.count(&counts, instrument.kind().name())?;
        if count < instrument.least_count(budget.window_ops) {
            return Err(Fault::Instrument {
                instrument: instrument.kind().name(),
                fault: format!(
                    "a count of {count} for {} ops can't be; use another `--instrument`",
                    budget.window_ops
                ),
            });
        }
        let waits = report.observed.as_ref().map_or(0, Observed::waits);
        Ok(RawReading {
            count,
            seconds: window.seconds,
            phases: window.phases,
            is_async: window.measured.is_async,
            budget: window.measured.budget,
            own_loop: window.measured.course.own_loop,
            ran_dry: window.measured.ran_dry,
            retained: window.measured.retained,
            proof: Proof {
                marks: window.marks,
                subtracted_mark_cost,
                sub_windows: report
                    .closed
                    .first()
                    .map_or_else(Vec::new, |first| first.sub_windows.clone()),
                elsewhere: report.spent.elsewhere(held::share_elsewhere(how.held), waits),
                observed: report.observed,
                twin: None,
                pinned,
            },
        })
    }

    fn trace_once(
        &self,
        flags: &AcceptedFlags,
        bench: &Bench,
        budget: OpBudget,
        held: &[&str],
    ) -> Result<Timeline, Fault> {
        let scratch = Scratch::new()?;
        let trace = scratch.path("trace");
        let mut invocation = self.invoke_with(flags, &bench.file)?;
        invocation.set(environment::TRACE, &trace);
        invocation.set(environment::TRACED_STREAM, traced_stream(self.engine.kind));
        let division = division(self.instrument.as_ref());
        let how = How { flags, held, division, options: UNSEEN };
        let name = instrument::TRACE;
        let window = self.run_window(&scratch, bench, budget, invocation, name, &how)?;
        let text = fs::read(&trace).map_err(|source| scratch_fault(&trace, source))?;
        let course = Course {
            shape: bench.discovered.window,
            batch_ops: bench.discovered.batch_ops,
            budget: window.measured.budget,
            warmup: window.measured.course,
            marks_each: window.plan.marks_each,
        };
        Timeline::read(self.engine.kind, &String::from_utf8_lossy(&text), &course)
    }
}

impl Executor for EngineExecutor {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn list(&self, file: &BenchFile) -> Result<Listing, Fault> {
        let scratch = Scratch::new()?;
        let request = self.request(Mode::List, file, &scratch);
        let (invocation, notes) = self.invoke_noting(file, &scratch)?;
        let (events, outcome) =
            self.start(&scratch, request, invocation, &self.limits(true, None))?;
        let traced = Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout };
        let mut listing = traced.listing(file, &self.sandbox.root)?;
        listing.opened = self.read_opened(&notes, file);
        Ok(listing)
    }

    fn profile(&self, bench: &Bench, budget: OpBudget) -> Result<Profile, Fault> {
        let fault = |fault: String| Fault::Instrument { instrument: instrument::COUNTER, fault };
        let scratch = Scratch::new()?;
        let path = scratch.path("profile");
        let held = self.flags.set().held();
        let mut invocation = self.invoke(&bench.file)?;
        invocation.set(environment::PROFILE, &path);
        let how =
            How { flags: &self.flags, held: &held, division: Division::Whole, options: UNSEEN };
        let name = instrument::COUNTER;
        let window = self.run_window(&scratch, bench, budget, invocation, name, &how)?;
        if let Some(reason) = window.report.uncounted {
            return Err(fault(reason));
        }
        let profile = Profile::read(&path).map_err(|error| fault(error.to_string()))?;
        let count = window.report.closed.first().and_then(|section| section.instructions);
        // In brackets, what lies between them is in the profile but not in the count.
        if bench.discovered.window == WindowShape::Span && count != Some(profile.total()) {
            return Err(fault(format!(
                "the profile has {} instructions, the count says {count:?}",
                profile.total()
            )));
        }
        Ok(profile)
    }

    fn opened(&self, bench: &Bench) -> Result<Option<BTreeSet<PathBuf>>, Fault> {
        let scratch = Scratch::new()?;
        let mut request = self.request(Mode::Size, &bench.file, &scratch);
        request.select = Some(selection(bench));
        request.sizing = Some(LOOK);
        let (invocation, notes) = self.invoke_noting(&bench.file, &scratch)?;
        let (events, outcome) =
            self.start(&scratch, request, invocation, &self.limits(false, None))?;
        Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout }.sized()?;
        Ok(self.read_opened(&notes, &bench.file))
    }

    fn size(&self, bench: &Bench) -> Result<Sized, Fault> {
        self.check_engine()?;
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
        options: ReadOptions,
    ) -> Result<RawReading, Fault> {
        self.read_with(self.instrument.as_ref(), bench, budget, options)
    }

    fn perturbations(&self) -> Vec<PerturbationKind> {
        super::perturbed::kinds(self.engine.kind)
    }

    /// Under what is held constant for the bench's readings.
    fn trace(
        &self,
        bench: &Bench,
        budget: OpBudget,
        seeds: Option<Seeds>,
    ) -> Result<Timeline, Fault> {
        let own = self.flags_of(&bench.file)?;
        let extras = self.beside.traces(&self.engine, &self.flags, &self.sandbox.root)?;
        let mut flags = own.with_extras(extras);
        if let Some(seeds) = seeds {
            flags = flags.with_seeds(seeds);
        }
        let held = own.set().held();
        loop {
            let lifted = self.lifted.of(bench.id());
            let kept = lifted.map_or_else(|| held.clone(), |lifted| lifted.keep(&held));
            let fault = match self.trace_once(&flags, bench, budget, &kept) {
                Ok(mut timeline) => {
                    timeline.untraced.clone_from(&extras.lacking);
                    return Ok(timeline);
                }
                Err(fault) => fault,
            };
            if kept.is_empty() || !self.lifted.lift_more(bench.id(), &fault) {
                return Err(fault);
            }
        }
    }

    fn course(
        &self,
        bench: &Bench,
        budget: OpBudget,
        shares: &[u64],
        tiers: Tiers,
    ) -> Result<Option<Stretches>, Fault> {
        if self.instrument.kind() != InstrumentKind::Counter {
            return Ok(None);
        }
        let Some(division) = Division::of_course(bench, shares, tiers) else { return Ok(None) };
        let flags = self.flags_for(tiers, &bench.file)?;
        let own = self.flags_of(&bench.file)?;
        let held = own.set().held();
        let held = self.lifted.of(bench.id()).map_or_else(|| held.clone(), |one| one.keep(&held));
        let how = How { flags: &flags, held: &held, division, options: UNSEEN };
        let raw = self.read_once(self.instrument.as_ref(), bench, budget, &how)?;
        let plan = WindowPlan::of(bench, budget, division);
        let mut stretches = plan.stretches(raw.budget.warmup_ops, &raw.proof.sub_windows);
        // Marks around each batch are in the parts of a window in brackets.
        let marks = raw.proof.subtracted_mark_cost.unwrap_or(0);
        for stretch in &mut stretches {
            let share = marks * stretch.ops / raw.budget.window_ops.max(1);
            stretch.count = stretch.count.saturating_sub(share);
        }
        Ok(Some(Stretches { stretches, ran_dry: raw.ran_dry, retained: raw.retained }))
    }

    fn empty_op(&self, is_async: bool, tiers: Tiers) -> Option<f64> {
        self.empty_ops.per_op(is_async, tiers, |bench, budget| {
            let flags = self.flags_for(tiers, &bench.file).ok()?;
            let held = self.flags.set().held();
            let division = Division::Whole;
            let how = How { flags: &flags, held: &held, division, options: UNSEEN };
            let raw = self.read_once(self.instrument.as_ref(), bench, budget, &how).ok()?;
            Some(raw.count as f64 / raw.budget.window_ops as f64)
        })
    }

    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault> {
        self.read_with(&Clock, bench, budget, ReadOptions::default())
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
