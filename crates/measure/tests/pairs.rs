//! Which readings base and head get, with scripted counts.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use tiergate_measure::executor::{Bench, BenchFile, Executor, MockExecutor, Suite};
use tiergate_measure::pairs::{self, PairEvent, PairPlan, Paired, PairedBench, Sides};
use tiergate_model::{BenchResult, BenchStatus, Limits, RunEvent, Unit, Verdict};

fn executor(benches: &[Value]) -> MockExecutor {
    let script =
        json!({ "engine_version": "24.0.0", "files": { "a.mjs": { "benches": benches } } });
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script.to_string()).unwrap();
    MockExecutor::from_file(file.path()).unwrap()
}

fn listed(executor: &MockExecutor) -> Vec<Bench> {
    let file = BenchFile {
        relative: "a.mjs".to_owned(),
        absolute: "/a.mjs".into(),
        suite: Suite::default(),
    };
    executor.list(&file).unwrap().benches
}

fn run_with(base: &[Value], head: &[Value], interrupted: bool) -> (Paired, Vec<PairedBench>) {
    let (base, head) = (executor(base), executor(head));
    let plan = PairPlan {
        benches: Sides { base: listed(&base), head: listed(&head) },
        budgets: BTreeMap::new(),
        repeats: 3,
        pairs: 6,
        limits: Limits::default(),
        jobs: 2,
    };
    let finished = Mutex::new(Vec::new());
    let processes = Mutex::new((0, 0));
    let executors = Sides::<&dyn Executor> { base: &base, head: &head };
    let paired = pairs::run(executors, &plan, &AtomicBool::new(interrupted), &|event| {
        let mut counts = processes.lock().unwrap();
        match event {
            PairEvent::BenchFinished(bench) => finished.lock().unwrap().push(*bench),
            PairEvent::Progress(RunEvent::RunStarted { processes, .. })
            | PairEvent::Progress(RunEvent::ProcessesReplanned { processes }) => {
                counts.0 = processes;
            }
            PairEvent::Progress(RunEvent::ProcessFinished { .. }) => counts.1 += 1,
            PairEvent::Progress(_) => {}
        }
    });
    let (expected, seen) = *processes.lock().unwrap();
    assert!(interrupted || seen <= expected, "{seen} processes, {expected} announced");
    (paired, finished.into_inner().unwrap())
}

fn paired(base: &[Value], head: &[Value]) -> Paired {
    run_with(base, head, false).0
}

fn bench(name: &str, count: f64) -> Value {
    json!({ "name": name, "counts_per_op": [count] })
}

fn verdict(base: &BenchResult, head: &BenchResult) -> Verdict {
    tiergate_stats::verdict(base, head, Unit::Instructions, &Limits::default()).verdict
}

fn names(result: &BenchResult) -> Vec<String> {
    result.readings.iter().map(|reading| reading.perturbation.to_string()).collect()
}

#[test]
fn a_pair_of_the_very_same_counts_ends_at_once() {
    let found = paired(&[bench("a", 20_000.0)], &[bench("a", 20_000.0)]);
    assert_eq!(names(&found.base[0]), ["none"]);
    assert_eq!(names(&found.head[0]), ["none"]);
    assert_eq!((found.readings.spent, found.readings.saved), (2, 14));
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Ok);
}

#[test]
fn an_equal_pair_ends_after_two_repeats() {
    let found = paired(&[bench("a", 20_000.0)], &[bench("a", 20_010.0)]);
    assert_eq!(names(&found.base[0]), ["none", "none"]);
    assert_eq!(names(&found.head[0]), ["none", "none"]);
    assert_eq!((found.readings.spent, found.readings.saved), (4, 12));
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Ok);
}

#[test]
fn unequal_repeats_get_all_repeats() {
    let noisy = json!({ "name": "a", "counts_per_op": [20_000.0, 20_010.0, 20_005.0] });
    let found = paired(&[noisy], &[bench("a", 20_004.0)]);
    assert_eq!(names(&found.base[0]), ["none", "none", "none"]);
    assert_eq!(found.head[0].readings.len(), 3);
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Ok);
}

#[test]
fn an_open_pair_gets_the_others() {
    let found = paired(&[bench("a", 20_000.0)], &[bench("a", 20_600.0)]);
    let expected = ["none", "none", "mixed", "mixed-2", "mixed-3", "mixed-4", "mixed-5"];
    assert_eq!(names(&found.base[0]), expected);
    assert_eq!(names(&found.head[0]), expected);
    assert_eq!((found.readings.spent, found.readings.saved), (14, 2));
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Fail);
    let warm = found.head[0].instructions_per_op.unwrap();
    assert!((warm - 20_600.0).abs() < 1e-6, "the median is that of the unperturbed readings");
}

#[test]
fn disagreement_gets_as_many_again_and_is_looked_into() {
    let head = |last: f64| {
        json!({ "name": "a", "counts_per_op": [20_600.0], "perturbed": {
            "mixed": 20_700.0, "mixed-2": 19_800.0, "mixed-3": 20_700.0, "mixed-4": 20_600.0,
            "mixed-5": 20_500.0, "mixed-6": last, "mixed-7": last, "mixed-8": last, "mixed-9": last,
            "mixed-10": last,
        } })
    };
    let base = json!({ "name": "a", "counts_per_op": [20_000.0],
                       "perturbed": { "heap-phase": 20_800.0 } });
    let found = paired(std::slice::from_ref(&base), &[head(20_000.0)]);
    assert_eq!((found.base[0].readings.len(), found.head[0].readings.len()), (12, 12));
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Ok);
    let found = paired(&[base], &[head(20_600.0)]);
    assert_eq!(found.head[0].readings.len(), 17);
    assert_eq!(names(&found.base[0])[17..], ["hash-seed", "random-seed", "heap-phase"]);
    let row = tiergate_stats::verdict(
        &found.base[0],
        &found.head[0],
        Unit::Instructions,
        &Limits::default(),
    );
    assert_eq!(row.verdict, Verdict::Inconclusive);
    let reason = row.reason.unwrap();
    assert!(reason.contains("`heap-phase` alone moves the bench by +4.00 %"), "{reason}");
}

#[test]
fn a_side_without_readings_ends_it_and_the_other_is_looked_at() {
    let throwing = json!({ "name": "a", "throws": "no" });
    for (base, head) in [
        (throwing.clone(), bench("a", 20_000.0)),
        (bench("a", 20_000.0), throwing.clone()),
        (throwing.clone(), throwing.clone()),
    ] {
        let found = paired(&[base], &[head]);
        let (base, head) = (&found.base[0], &found.head[0]);
        assert!(base.status == BenchStatus::Incomplete || head.status == BenchStatus::Incomplete);
        assert!(base.readings.len() + head.readings.len() <= 1);
        assert_eq!(verdict(base, head), Verdict::Incomplete);
    }
    let throwing_later = json!({ "name": "a", "counts_per_op": [20_600.0],
                                 "throwing_under": ["mixed-2"] });
    let found = paired(&[bench("a", 20_000.0)], &[throwing_later]);
    let reason = found.head[0].reason.as_ref().unwrap();
    assert!(reason.starts_with("under the perturbation `mixed-2`: the op threw"), "{reason}");
    assert_eq!(found.head[0].status, BenchStatus::Incomplete);
}

#[test]
fn a_wide_spread_is_left_as_it_is() {
    let wide = json!({ "name": "a", "counts_per_op": [20_000.0, 20_300.0, 20_000.0] });
    let found = paired(&[bench("a", 20_001.0)], &[wide]);
    assert_eq!(found.head[0].readings.len(), 3);
    assert_eq!(verdict(&found.base[0], &found.head[0]), Verdict::Inconclusive);
}

#[test]
fn benches_of_one_side_and_skipped_ones_have_their_places() {
    let skipped = json!({ "name": "s", "skipped": true });
    let found = paired(
        &[bench("gone", 20_000.0), bench("a", 20_000.0), bench("s", 1.0)],
        &[skipped, bench("a", 20_000.0), bench("new", 20_000.0)],
    );
    let shown = |results: &[BenchResult]| -> Vec<(String, BenchStatus)> {
        results.iter().map(|one| (one.id.name().to_owned(), one.status)).collect()
    };
    assert_eq!(
        shown(&found.base),
        [
            ("gone".to_owned(), BenchStatus::Incomplete),
            ("a".to_owned(), BenchStatus::Measured),
            ("s".to_owned(), BenchStatus::Incomplete),
        ]
    );
    assert_eq!(
        shown(&found.head),
        [
            ("s".to_owned(), BenchStatus::Skipped),
            ("a".to_owned(), BenchStatus::Measured),
            ("new".to_owned(), BenchStatus::Measured),
        ]
    );
    assert_eq!(found.base[2].reason.as_deref(), Some("head skips it"));
}

#[test]
fn every_bench_is_told_once_and_an_interrupt_leaves_all_incomplete() {
    let benches = [bench("a", 20_000.0), bench("b", 30_000.0), bench("c", 40_000.0)];
    let (found, finished) = run_with(&benches, &benches, false);
    assert_eq!((found.base.len(), finished.len()), (3, 3));
    let (found, finished) = run_with(&benches, &benches, true);
    assert_eq!(finished.len(), 3);
    let incomplete = |result: &BenchResult| result.status == BenchStatus::Incomplete;
    assert!(found.base.iter().chain(&found.head).all(incomplete));
    assert!(found.head[0].reason.as_ref().unwrap().contains("interrupted"));
}
