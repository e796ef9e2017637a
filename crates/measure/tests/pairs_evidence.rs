//! What is looked at beside the readings of pairs, and what comes of it.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tiergate_engine::Seeds;
use tiergate_measure::Fault;
use tiergate_measure::executor::{
    Bench, BenchFile, Executor, Listing, MockExecutor, RawReading, ReadOptions, Sized, Stretch,
    Stretches, Suite, Tiers,
};
use tiergate_measure::pairs::{self, PairPlan, Paired, Sides};
use tiergate_measure::run::PlannedBudget;
use tiergate_measure::trace::Timeline;
use tiergate_model::{BenchId, Fingerprint, Limits, OpBudget, PerturbationKind};

/// One scripted bench whose ops cost ten times as much every so many ops.
struct Refilling {
    inner: MockExecutor,
    period_ops: u64,
    /// Traced runs of the ops that were read.
    proofs: AtomicUsize,
    courses: AtomicUsize,
}

impl Refilling {
    fn new(per_op: f64, period_ops: u64) -> Self {
        let script = json!({ "engine_version": "24.0.0", "files": {
            "a.mjs": { "benches": [{ "name": "a", "counts_per_op": [per_op] }] }
        } });
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), script.to_string()).unwrap();
        let inner = MockExecutor::from_file(file.path()).unwrap();
        Self { inner, period_ops, proofs: AtomicUsize::new(0), courses: AtomicUsize::new(0) }
    }

    fn benches(&self) -> Vec<Bench> {
        let suite = Suite::default();
        let file = BenchFile { relative: "a.mjs".to_owned(), absolute: "/a.mjs".into(), suite };
        self.inner.list(&file).unwrap().benches
    }
}

impl Executor for Refilling {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn list(&self, file: &BenchFile) -> Result<Listing, Fault> {
        self.inner.list(file)
    }

    fn size(&self, bench: &Bench) -> Result<Sized, Fault> {
        self.inner.size(bench)
    }

    fn read(
        &self,
        bench: &Bench,
        budget: OpBudget,
        options: ReadOptions,
    ) -> Result<RawReading, Fault> {
        self.inner.read(bench, budget, options)
    }

    fn perturbations(&self) -> Vec<PerturbationKind> {
        self.inner.perturbations()
    }

    fn trace(
        &self,
        bench: &Bench,
        budget: OpBudget,
        seeds: Option<Seeds>,
    ) -> Result<Timeline, Fault> {
        self.proofs.fetch_add(1, Ordering::Relaxed);
        self.inner.trace(bench, budget, seeds)
    }

    fn course(
        &self,
        _: &Bench,
        budget: OpBudget,
        shares: &[u64],
        _: Tiers,
    ) -> Result<Option<Stretches>, Fault> {
        self.courses.fetch_add(1, Ordering::Relaxed);
        let mut after_ops = budget.warmup_ops;
        let refills = |until: u64| until / self.period_ops;
        let stretches = shares.iter().map(|&ops| {
            let more = refills(after_ops + ops) - refills(after_ops);
            let count = ops * 1_000 + more * 9_000 * self.period_ops / 20;
            let stretch = Stretch { after_ops, ops, count };
            after_ops += ops;
            stretch
        });
        Ok(Some(Stretches { stretches: stretches.collect(), ran_dry: false, retained: None }))
    }

    fn empty_op(&self, _: bool, _: Tiers) -> Option<f64> {
        None
    }

    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault> {
        self.inner.read_wall(bench, budget)
    }

    fn window_target_ns(&self) -> f64 {
        self.inner.window_target_ns()
    }

    fn must_run_alone(&self) -> bool {
        false
    }
}

fn paired(base: &Refilling, head: &Refilling, budgets: BTreeMap<BenchId, PlannedBudget>) -> Paired {
    let plan = PairPlan {
        benches: Sides { base: base.benches(), head: head.benches() },
        budgets,
        repeats: 3,
        pairs: 6,
        limits: Limits::default(),
        jobs: 1,
    };
    pairs::run(Sides { base, head }, &plan, &AtomicBool::new(false), &|_| {})
}

fn planned(executor: &Refilling, hand_set: bool) -> BTreeMap<BenchId, PlannedBudget> {
    let budget = OpBudget { warmup_ops: 4_000, window_ops: 10_000 };
    executor
        .benches()
        .iter()
        .map(|bench| (bench.id().clone(), PlannedBudget { budget, hand_set }))
        .collect()
}

/// So rare that no look at a warm-up and a window meets it.
const NEVER: u64 = 1_000_000_000;

#[test]
fn sides_that_count_the_very_same_are_looked_at_once() {
    let looked_at = |base: f64, head: f64| {
        let (base, head) = (Refilling::new(base, NEVER), Refilling::new(head, NEVER));
        let found = paired(&base, &head, planned(&base, false));
        for side in [&found.base[0], &found.head[0]] {
            assert_eq!(side.reason, None);
            assert!(side.readings.iter().take(2).all(|reading| reading.proof.twin.is_some()));
        }
        let count = |of: fn(&Refilling) -> &AtomicUsize| {
            [&base, &head].map(|side| of(side).load(Ordering::Relaxed))
        };
        (count(|side| &side.proofs), count(|side| &side.courses))
    };
    assert_eq!(looked_at(20_000.0, 20_000.0), ([0, 1], [0, 1]));
    // By as little as one instruction in an op, either side has its own.
    assert_eq!(looked_at(20_000.0, 20_001.0), ([1, 1], [1, 1]));
}

#[test]
fn a_window_with_too_few_refills_is_made_longer_where_it_is_not_settled() {
    let (base, head) = (Refilling::new(2_000.0, 4_000), Refilling::new(2_001.0, 4_000));
    let found = paired(&base, &head, BTreeMap::new());
    for side in [&found.base[0], &found.head[0]] {
        // About 16 times the period.
        assert!((60_000..=68_000).contains(&side.window_ops), "{}", side.window_ops);
        assert_eq!(side.reason, None);
        assert_eq!(side.readings.len(), 2);
    }
    // Ops of the lock are kept: the reason says what is wrong with them.
    let found = paired(&base, &head, planned(&base, false));
    assert_eq!(found.head[0].window_ops, 10_000);
    assert!(found.head[0].reason.is_some());
    // Those set by hand are not questioned.
    let found = paired(&base, &head, planned(&base, true));
    assert_eq!((found.head[0].window_ops, found.head[0].reason.as_deref()), (10_000, None));
}
