//! Comparisons and runs for the snapshots.

use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{BenchResult, Comparison, Limits, Reading, ResultFile};
use tiergate_stats::{CompareOptions, compare};

/// A bench with five equal repeats.
pub(crate) fn bench(id: &str, count: u64) -> BenchResult {
    measured(id, &[count; 5])
}

/// Compares two files under the default limits.
pub(crate) fn compared_files(base: &ResultFile, head: &ResultFile) -> Comparison {
    let options = CompareOptions {
        limits: Limits::default(),
        allow_removed: false,
        base_source: "base.json".to_owned(),
        head_source: "head.json".to_owned(),
    };
    compare(base, head, &options)
}

/// Compares two lists of benches under the default limits.
pub(crate) fn compared(base: Vec<BenchResult>, head: Vec<BenchResult>) -> Comparison {
    compared_files(&result_file(base), &result_file(head))
}

/// Compares [`every_verdict_sides`].
pub(crate) fn every_verdict() -> Comparison {
    let (base, head) = every_verdict_sides();
    compared_files(&base, &head)
}

/// Two files that give one of each verdict that two files can give.
pub(crate) fn every_verdict_sides() -> (ResultFile, ResultFile) {
    let base = vec![
        bench("bench/a.mjs::parse > short", 1_234_500),
        bench("bench/a.mjs::parse > long", 81_234_567),
        bench("bench/a.mjs::steady", 50_000),
        measured("bench/a.mjs::noisy", &[100_000, 100_700, 100_000, 100_300, 100_100]),
        bench("bench/a.mjs::throws", 700_000),
        bench("bench/a.mjs::faster", 300_000),
        skipped("bench/a.mjs::later", "marked `skip`"),
        bench("bench/old.mjs::moved", 42_000),
    ];
    let head = vec![
        bench("bench/a.mjs::parse > short", 1_296_470),
        bench("bench/a.mjs::parse > long", 82_400_123),
        measured("bench/a.mjs::steady", &[50_001, 50_000, 50_000, 50_000, 50_000]),
        measured("bench/a.mjs::noisy", &[100_000; 5]),
        incomplete("bench/a.mjs::throws", "TypeError: x is not a function\n    at a.mjs:3:1"),
        bench("bench/a.mjs::faster", 150_000),
        skipped("bench/a.mjs::later", "marked `skip`"),
        bench("bench/new.mjs::moved", 42_100),
    ];
    (result_file(base), result_file(head))
}

/// The same bench with one reading more under each of these perturbations.
pub(crate) fn perturbed(mut bench: BenchResult, counts: &[(&str, u64)]) -> BenchResult {
    let like = bench.readings[0].clone();
    bench.readings.extend(counts.iter().map(|(name, count)| Reading {
        perturbation: name.parse().expect("a perturbation"),
        repeat: 1,
        count: *count,
        ..like.clone()
    }));
    bench
}

/// A noisy bench, a steady one, and one that got one pair only.
pub(crate) fn paired() -> Comparison {
    let mixed = |counts: [u64; 2]| [("mixed", counts[0]), ("mixed-2", counts[1])];
    let base = vec![
        perturbed(bench("a.mjs::noisy", 1_000_000), &mixed([1_031_000, 985_000])),
        perturbed(bench("a.mjs::slower", 1_000_000), &mixed([1_001_000, 1_000_000])),
        bench("a.mjs::alike", 400_000),
    ];
    let head = vec![
        perturbed(bench("a.mjs::noisy", 1_031_000), &mixed([991_000, 1_006_000])),
        perturbed(bench("a.mjs::slower", 1_050_000), &mixed([1_052_000, 1_049_000])),
        bench("a.mjs::alike", 400_010),
    ];
    compared(base, head)
}
