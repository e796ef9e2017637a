//! All readings of all benches: a pool of workers for instruments that load does not move,
//! interleaved rounds for the clock.

mod age;
mod bench;
mod budget;
mod calibration;
mod evidence;
mod examine;
mod found;
mod jump;
mod loops;
mod outcome;
mod phases;
mod proof;
mod rounds;
mod subject;
mod turns;

pub use budget::{MINIMUM_COUNT, PlannedBudget};
pub use evidence::{Shown, evidence};

pub(crate) use bench::measure;
pub(crate) use calibration::OTHER_SEEDS;
pub(crate) use outcome::{empty_result, skipped};
pub(crate) use subject::Subject;
pub(crate) use turns::{Ops, Turns};

use crate::executor::{Bench, Executor};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use tiergate_model::{BenchId, BenchResult, Perturbation, RunEvent, Unit};

/// What to measure and how often.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// The benches, in the order in which results list them.
    pub benches: Vec<Bench>,
    /// Op budgets that are known before: from the settings or the lock.
    pub budgets: BTreeMap<BenchId, PlannedBudget>,
    /// A/A repeats of each reading.
    pub repeats: u32,
    /// Circumstances under which one more reading is taken each.
    pub perturbations: Vec<Perturbation>,
    /// Wall-clock rounds beside another instrument.
    pub wall_rounds: u32,
    /// Processes at a time.
    pub jobs: usize,
}

/// Takes all readings. `events` hears of every finished process and bench; results come back in
/// the order of the plan, also when the run is interrupted.
pub fn run(
    executor: &dyn Executor,
    plan: &RunPlan,
    interrupted: &AtomicBool,
    events: &(dyn Fn(RunEvent) + Sync),
) -> Vec<BenchResult> {
    let start = Instant::now();
    let progress = Progress::new(events, plan.expected_processes());
    progress.started(plan.benches.iter().filter(|bench| !bench.discovered.skipped).count());
    let results = if executor.unit() == Unit::Nanoseconds {
        rounds::measure(executor, plan, interrupted, &progress)
    } else {
        let mut results = in_parallel(executor, plan, interrupted, &progress);
        if plan.wall_rounds > 0 {
            rounds::add_wall(executor, plan, interrupted, &progress, &mut results);
        }
        results
    };
    events(RunEvent::RunFinished { seconds: start.elapsed().as_secs_f64() });
    results
}

impl RunPlan {
    /// Readings of a bench.
    fn readings(&self) -> usize {
        self.repeats as usize + self.perturbations.len()
    }

    fn expected_processes(&self) -> usize {
        let per_bench = self.readings() + self.wall_rounds as usize;
        self.benches
            .iter()
            .filter(|bench| !bench.discovered.skipped)
            .map(|bench| {
                let planned = self.budgets.get(bench.id());
                // Timed once and traced about four times to find a budget; traced once to prove it.
                let finding = if planned.is_none() { 1 } else { 0 };
                per_bench + finding + usize::from(!planned.is_some_and(|one| one.hand_set))
            })
            .sum()
    }
}

/// Announces what has happened.
pub(crate) struct Progress<'a> {
    events: &'a (dyn Fn(RunEvent) + Sync),
    planned: AtomicUsize,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(events: &'a (dyn Fn(RunEvent) + Sync), processes: usize) -> Self {
        Self { events, planned: AtomicUsize::new(processes) }
    }

    pub(crate) fn started(&self, benches: usize) {
        let processes = self.planned.load(Ordering::Relaxed);
        (self.events)(RunEvent::RunStarted { benches, processes });
    }

    pub(crate) fn process_finished(&self, bench: &Bench, seconds: f64) {
        (self.events)(RunEvent::ProcessFinished { id: bench.id().clone(), seconds });
    }

    pub(crate) fn add_processes(&self, more: usize) {
        let processes = self.planned.fetch_add(more, Ordering::Relaxed) + more;
        (self.events)(RunEvent::ProcessesReplanned { processes });
    }

    fn drop_processes(&self, fewer: usize) {
        let processes = self.planned.fetch_sub(fewer, Ordering::Relaxed) - fewer;
        (self.events)(RunEvent::ProcessesReplanned { processes });
    }

    fn bench_finished(&self, result: &BenchResult) {
        (self.events)(RunEvent::BenchFinished(Box::new(result.clone())));
    }
}

fn in_parallel(
    executor: &dyn Executor,
    plan: &RunPlan,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
) -> Vec<BenchResult> {
    let jobs = if executor.must_run_alone() { 1 } else { plan.jobs.max(1) };
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<BenchResult>>> =
        plan.benches.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(bench), Some(slot)) = (plan.benches.get(index), slots.get(index))
                    else {
                        return;
                    };
                    let result = measure(executor, plan, bench, interrupted, progress);
                    progress.bench_finished(&result);
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}
