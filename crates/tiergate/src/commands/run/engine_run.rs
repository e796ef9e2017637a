//! A run with one engine: discover, plan, measure, keep.

use super::destinations::Destinations;
use crate::args::{RunOptions, SideName};
use crate::budgets::{lock_name, planned_budgets};
use crate::discover::Filter;
use crate::failure::Failure;
use crate::listing::{Listed, list_all};
use crate::output;
use crate::progress::Progress;
use crate::settings::Settings;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use tiergate_measure::executor::{BenchFile, Executor};
use tiergate_measure::run::{RunPlan, run};
use tiergate_model::{
    BenchId, BenchResult, BenchStatus, OpBudget, Perturbation, PerturbationKind, ResultFile,
    RunEvent, SCHEMA_VERSION, Shard, Side, Unit,
};
use tiergate_store::{Lock, LockEntry, merge_into_lock};

/// Everything that a run with one engine needs.
pub(super) struct EngineRun<'a> {
    pub(super) executor: &'a dyn Executor,
    pub(super) options: &'a RunOptions,
    pub(super) settings: &'a Settings,
    pub(super) files: &'a [BenchFile],
    pub(super) filter: &'a Filter,
    pub(super) shard: Option<Shard>,
    pub(super) destinations: &'a Destinations,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) progress: &'a Progress,
}

impl EngineRun<'_> {
    pub(super) fn measure(&self) -> Result<ResultFile, Failure> {
        let jobs = self.settings.jobs(self.options.jobs);
        let mut listed = list_all(self.executor, self.files, self.filter, jobs);
        let lock = Lock::read(self.settings.lock_path())?;
        listed.keep_shard(self.shard, &lock.value, &lock_name(self.executor));
        listed.tell();
        listed.check_not_empty(self.options.selection.allow_empty)?;
        lock.warnings.iter().for_each(|warning| output::warning(warning));
        let plan = self.plan(&listed, &lock.value, jobs)?;
        let file = self.take_readings(&listed, &plan)?;
        self.write_lock(&file, &lock.value)?;
        Ok(file)
    }

    fn plan(&self, listed: &Listed, lock: &Lock, jobs: usize) -> Result<RunPlan, Failure> {
        let lock = (!self.options.recalibrate).then_some(lock);
        let budgets = planned_budgets(self.settings, lock, self.executor, &listed.benches)?;
        Ok(RunPlan {
            benches: listed.benches.clone(),
            budgets,
            repeats: self.settings.repeats(self.options.repeats)?,
            perturbations: self.perturbations()?,
            wall_rounds: self.options.wall,
            jobs,
        })
    }

    /// The draws by which a comparison judges, and each kind alone, which tells what moves a bench.
    fn perturbations(&self) -> Result<Vec<Perturbation>, Failure> {
        let Some(count) = self.options.perturbations else { return Ok(Vec::new()) };
        if self.executor.unit() == Unit::Nanoseconds {
            return Err(Failure::usage("`--perturbations` needs an instrument that counts")
                .hint("leave it out: the clock's noise shows in the repeats"));
        }
        let draws = PerturbationKind::Mixed.draws(count - 1);
        let kinds = self.executor.perturbations();
        let moving = PerturbationKind::MOVING.into_iter().filter(|kind| kinds.contains(kind));
        Ok(draws.chain(moving.flat_map(|kind| kind.draws(1))).collect())
    }

    /// Measures, and writes the results after every bench, so that an interrupted run keeps what
    /// it has.
    fn take_readings(&self, listed: &Listed, plan: &RunPlan) -> Result<ResultFile, Failure> {
        let file = Mutex::new(self.empty_file(listed));
        let lock_file = || file.lock().unwrap_or_else(PoisonError::into_inner);
        self.destinations.write(&lock_file())?;
        let write_failure = Mutex::new(None);
        let results = run(self.executor, plan, self.interrupted, &|event| {
            if let RunEvent::BenchFinished(result) = &event {
                let mut file = lock_file();
                put(&mut file, (**result).clone());
                if let Err(failure) = self.destinations.write(&file) {
                    *write_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
                }
            }
            self.progress.show(&event);
        });
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        for result in results {
            put(&mut file, result);
        }
        // Tried once more: room may have been made meanwhile.
        self.destinations.write(&file)?;
        Ok(file)
    }

    /// The file before anything is measured: every bench in it is incomplete.
    fn empty_file(&self, listed: &Listed) -> ResultFile {
        let unmeasured = listed.benches.iter().map(|bench| {
            let discovered = &bench.discovered;
            let framework = format!("{} {}", discovered.framework, discovered.framework_version);
            BenchResult::incomplete(bench.id().clone(), framework, "not measured yet".to_owned())
        });
        let unlisted = listed.faults.iter().map(|(file, fault)| {
            let id = BenchId::from_text(file.relative.as_str());
            BenchResult::incomplete(id, "unknown".to_owned(), fault.to_string())
        });
        ResultFile {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: self.commit(),
            side: self.options.side.map(|side| match side {
                SideName::Base => Side::Base,
                SideName::Head => Side::Head,
            }),
            filter: self.options.selection.filter.clone(),
            shard: self.shard,
            fingerprint: self.executor.fingerprint().clone(),
            benches: unlisted.chain(unmeasured).collect(),
        }
    }

    /// The commit of the root's work tree, with `-dirty` where files differ from it.
    fn commit(&self) -> Option<String> {
        let git = |arguments: &[&str]| {
            let output =
                Command::new("git").arg("-C").arg(&self.settings.root).args(arguments).output();
            output.ok().filter(|output| output.status.success()).map(|output| output.stdout)
        };
        let head = git(&["rev-parse", "HEAD"])?;
        let head = String::from_utf8_lossy(&head).trim().to_owned();
        let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
        Some(if changes.is_empty() { head } else { format!("{head}-dirty") })
    }

    /// Adds what was found out to the lock. What stands in it stays, unless it was calibrated anew.
    fn write_lock(&self, file: &ResultFile, old: &Lock) -> Result<(), Failure> {
        let engine = lock_name(self.executor);
        let mut newer = Lock::default();
        let mut added = 0;
        for bench in &file.benches {
            let known = old.get(&engine, &bench.id).filter(|_| !self.options.recalibrate);
            // What is in doubt is looked at anew the next time.
            let is_sound = bench.status == BenchStatus::Measured && bench.reason.is_none();
            if !is_sound || known.is_some() {
                continue;
            }
            let seconds: Vec<f64> = bench.readings.iter().map(|reading| reading.seconds).collect();
            let seconds = tiergate_stats::median(&seconds).unwrap_or_default();
            let budget = OpBudget { warmup_ops: bench.warmup_ops, window_ops: bench.window_ops };
            newer.insert(&engine, bench.id.clone(), LockEntry { budget, seconds });
            added += 1;
        }
        if added > 0 {
            merge_into_lock(self.settings.lock_path(), newer)?;
            output::note(&format!(
                "{}: op counts of {added} benches added; keep it in version control, so that base \
                 and head are measured alike",
                self.settings.lock_path().display()
            ));
        }
        Ok(())
    }
}

fn put(file: &mut ResultFile, result: BenchResult) {
    if let Some(place) = file.benches.iter_mut().find(|bench| bench.id == result.id) {
        *place = result;
    }
}
