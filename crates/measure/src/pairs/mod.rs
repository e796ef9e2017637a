//! Base and head measured together: every reading of one side has one of the other under the same
//! circumstances beside it, and only what is undecided is measured further.
//!
//! [`run`] takes for each bench that both sides have
//!
//! 1. the unperturbed pair, base and head in turn: once where both count the very same,
//!    [`EQUAL_REPEATS`] times where these agree to [`EQUAL`] on either side, and otherwise as often
//!    as [`PairPlan::repeats`] says; and a traced run of either side, or of one for both that
//!    count the very same;
//! 2. nothing more, where the pair is equal to [`CLOSE`], and where no further pair could decide
//!    it: a side is missing or in doubt, or its spread is above its limit;
//! 3. otherwise pairs under other seeds, heap phases and environments, all of them drawn anew for
//!    each pair, up to [`PairPlan::pairs`] pairs, the first one included;
//! 4. where these disagree about a change beyond the limit of FAIL, as many pairs again, twice at
//!    most, and where they still do, readings of base under each kind of perturbation alone, which
//!    tell what moves the bench.
//!
//! Benches that only head has are measured as in a run; those that only base has are not. The
//! results are what [`tiergate_stats::compare`] takes.
//!
//! ```no_run
//! # use std::{collections::BTreeMap, sync::atomic::AtomicBool};
//! # use tiergate_measure::{executor::{Bench, Executor}, pairs::{self, PairEvent, PairPlan, Sides}};
//! # fn f(base: &dyn Executor, head: &dyn Executor, in_base: Vec<Bench>, in_head: Vec<Bench>) {
//! let plan = PairPlan {
//!     benches: Sides { base: in_base, head: in_head },
//!     budgets: BTreeMap::new(), // from the settings and head's lock
//!     repeats: 3,
//!     pairs: 6,
//!     limits: tiergate_model::Limits::default(),
//!     jobs: 2,
//! };
//! let interrupted = AtomicBool::new(false);
//! let paired = pairs::run(Sides { base, head }, &plan, &interrupted, &|event| match event {
//!     PairEvent::Progress(event) => drop(event),    // for a progress display
//!     PairEvent::BenchFinished(bench) => drop(bench), // to be kept at once
//! });
//! println!("{} readings, {} saved", paired.readings.spent, paired.readings.saved);
//! # }
//! ```

mod bench;

use crate::executor::{Bench, Executor};
use crate::run::{PlannedBudget, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use tiergate_model::{BenchId, BenchResult, Limits, RunEvent, Unit};

/// Repeats of the unperturbed pair where those of a side agree to [`EQUAL`].
pub const EQUAL_REPEATS: u32 = 2;

/// The spread of repeats that are taken for equal, a fraction.
pub const EQUAL: f64 = tiergate_stats::EQUAL_SPREAD;

/// A pair whose sides differ by no more needs no other pair, a fraction.
pub const CLOSE: f64 = 0.001;

/// One thing for base and one for head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides<T> {
    /// What head is compared with.
    pub base: T,
    /// What is judged.
    pub head: T,
}

/// What to measure on both sides.
#[derive(Debug, Clone)]
pub struct PairPlan {
    /// The benches of each side, in the order in which results list them; those of equal ids are
    /// pairs.
    pub benches: Sides<Vec<Bench>>,
    /// Op budgets that are known before, for both sides.
    pub budgets: BTreeMap<BenchId, PlannedBudget>,
    /// A/A repeats of the unperturbed reading of each side, at least 3.
    pub repeats: u32,
    /// Pairs of an undecided bench, the unperturbed one included; 1 judges by that one alone.
    pub pairs: u32,
    /// The limits that decide what is undecided.
    pub limits: Limits,
    /// Processes at a time.
    pub jobs: usize,
}

/// Readings of all benches that were taken, and that were not, because less decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readings {
    /// Processes that counted.
    pub spent: usize,
    /// Processes that all repeats and pairs of every bench would have taken beside them.
    pub saved: usize,
}

/// What the sides gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paired {
    /// The results of base, in its order; those that head lacks are incomplete.
    pub base: Vec<BenchResult>,
    /// The results of head, in its order.
    pub head: Vec<BenchResult>,
    /// What it cost.
    pub readings: Readings,
}

/// One bench that is through.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedBench {
    /// Its result on each side that has it.
    pub results: Sides<Option<BenchResult>>,
    /// What it cost.
    pub readings: Readings,
}

/// What happens in a paired run, in order.
#[derive(Debug, Clone)]
pub enum PairEvent {
    /// How far it has come; never [`RunEvent::BenchFinished`].
    Progress(RunEvent),
    /// All readings of a bench are there, or it failed.
    BenchFinished(Box<PairedBench>),
}

/// Takes the readings of both sides. Both executors must count with the same instrument.
pub fn run(
    executors: Sides<&dyn Executor>,
    plan: &PairPlan,
    interrupted: &AtomicBool,
    events: &(dyn Fn(PairEvent) + Sync),
) -> Paired {
    let start = Instant::now();
    let tell = |event| events(PairEvent::Progress(event));
    let progress = Progress::new(&tell, expected_processes(&executors, plan));
    progress.started(plan.ids().len());
    let finished = in_parallel(&executors, plan, interrupted, &progress, events);
    tell(RunEvent::RunFinished { seconds: start.elapsed().as_secs_f64() });

    let mut paired = Paired::default();
    let (mut base, mut head) = (BTreeMap::new(), BTreeMap::new());
    for bench in finished {
        paired.readings.spent += bench.readings.spent;
        paired.readings.saved += bench.readings.saved;
        base.extend(bench.results.base.map(|result| (result.id.clone(), result)));
        head.extend(bench.results.head.map(|result| (result.id.clone(), result)));
    }
    let in_order = |benches: &[Bench], mut results: BTreeMap<BenchId, BenchResult>| {
        benches.iter().filter_map(|bench| results.remove(bench.id())).collect()
    };
    paired.base = in_order(&plan.benches.base, base);
    paired.head = in_order(&plan.benches.head, head);
    paired
}

impl PairPlan {
    /// The benches of either side, head's first.
    fn ids(&self) -> Vec<&BenchId> {
        let Sides { base, head } = &self.benches;
        let mut met = BTreeSet::new();
        head.iter().chain(base).map(Bench::id).filter(|id| met.insert(*id)).collect()
    }

    fn bench(&self, id: &BenchId) -> Sides<Option<&Bench>> {
        let of = |benches: &'_ [Bench]| benches.iter().position(|bench| bench.id() == id);
        Sides {
            base: of(&self.benches.base).and_then(|at| self.benches.base.get(at)),
            head: of(&self.benches.head).and_then(|at| self.benches.head.get(at)),
        }
    }

    /// Pairs beside the first one, where nothing is decided early.
    fn more_pairs(&self) -> u32 {
        self.pairs.saturating_sub(1)
    }
}

/// At first it is expected that every bench is decided by one reading of each side.
fn expected_processes(executors: &Sides<&dyn Executor>, plan: &PairPlan) -> usize {
    let repeats = match executors.head.unit() {
        Unit::Instructions => 1,
        Unit::Nanoseconds => plan.repeats,
    };
    let of = |bench: Option<&Bench>| usize::from(bench.is_some_and(|one| !one.discovered.skipped));
    let sides = plan.ids().into_iter().map(|id| {
        let bench = plan.bench(id);
        let sizing = usize::from(!plan.budgets.contains_key(id));
        let is_pair = of(bench.base) == 1;
        let repeats = if is_pair { repeats } else { plan.repeats };
        of(bench.head) * (1 + usize::from(is_pair)) * (repeats as usize + 1 + sizing)
    });
    sides.sum()
}

fn in_parallel(
    executors: &Sides<&dyn Executor>,
    plan: &PairPlan,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
    events: &(dyn Fn(PairEvent) + Sync),
) -> Vec<PairedBench> {
    let alone = executors.base.must_run_alone() || executors.head.must_run_alone();
    let jobs = if alone { 1 } else { plan.jobs.max(1) };
    let ids = plan.ids();
    let next = AtomicUsize::new(0);
    let finished = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let bench =
                        bench::measure(executors, plan, plan.bench(id), interrupted, progress);
                    events(PairEvent::BenchFinished(Box::new(bench.clone())));
                    if let Ok(mut finished) = finished.lock() {
                        finished.push(bench);
                    }
                }
            });
        }
    });
    finished.into_inner().unwrap_or_default()
}
