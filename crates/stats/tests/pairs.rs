//! Verdicts over pairs under several perturbations.

use tiergate_model::fixtures::measured;
use tiergate_model::{
    BenchResult, ComparisonRow, Limits, Perturbation, PerturbationKind, Reading, Unit, Verdict,
};
use tiergate_stats::{moved_by, noise_floor, verdict};

/// Three equal repeats, and one reading under each of the draws.
fn side(unperturbed: u64, mixed: &[u64]) -> BenchResult {
    let mut bench = measured("a.mjs::a", &[unperturbed; 3]);
    for (draw, count) in PerturbationKind::Mixed.draws(64).zip(mixed) {
        add(&mut bench, draw, *count);
    }
    bench
}

fn add(bench: &mut BenchResult, perturbation: Perturbation, count: u64) {
    let like = bench.readings[0].clone();
    bench.readings.push(Reading { perturbation, repeat: 1, count, ..like });
}

fn judge(base: &BenchResult, head: &BenchResult) -> ComparisonRow {
    verdict(base, head, Unit::Instructions, &Limits::default())
}

/// The same, moved by a share.
fn moved(counts: &[u64], permille: u64) -> Vec<u64> {
    counts.iter().map(|count| count * (1000 + permille) / 1000).collect()
}

const NOISY: [u64; 5] = [1_030_000, 985_000, 1_000_000, 1_044_000, 991_000];

#[test]
fn a_change_that_all_pairs_share_is_proven_however_noisy_the_bench_is() {
    for (permille, expected) in [
        (0, Verdict::Ok),
        (5, Verdict::Ok),
        (15, Verdict::Warn),
        (30, Verdict::Fail),
        (50, Verdict::Fail),
    ] {
        let head = side(1_000_000 * (1000 + permille) / 1000, &moved(&NOISY, permille));
        let row = judge(&side(1_000_000, &NOISY), &head);
        assert_eq!(row.verdict, expected, "+{permille} permille: {row:?}");
        assert_eq!(row.pairs.len(), 6);
        assert!((row.change.unwrap() - permille as f64 / 1000.0).abs() < 1e-5);
        assert!((row.noise_floor.unwrap() - 0.059).abs() < 0.001);
    }
    let faster = judge(&side(1_000_000, &NOISY), &side(950_000, &moved(&NOISY, 0)));
    assert_eq!(faster.verdict, Verdict::Ok);
    let slower = side(1_050_000, &moved(&NOISY, 50));
    assert_eq!(judge(&slower, &side(1_000_000, &NOISY)).verdict, Verdict::Improved);
}

#[test]
fn a_change_of_the_unperturbed_pair_alone_is_none() {
    let head = side(1_041_000, &[1_002_000, 1_010_000, 985_000, 1_001_000, 1_020_000]);
    let row = judge(&side(1_000_000, &NOISY), &head);
    assert_eq!(row.verdict, Verdict::Ok);
    let alone = judge(&side(1_000_000, &[]), &side(1_041_000, &[]));
    assert_eq!(alone.verdict, Verdict::Fail);
    assert!(alone.pairs.is_empty() && alone.noise_floor.is_none());
}

#[test]
fn pairs_that_disagree_beyond_the_limit_are_undecided_and_named() {
    let base = side(1_000_000, &[1_000_000; 5]);
    let head = side(1_040_000, &[1_030_000, 1_050_000, 990_000, 1_035_000, 1_028_000]);
    let row = judge(&base, &head);
    assert_eq!(row.verdict, Verdict::Inconclusive);
    assert_eq!(
        row.reason.as_deref(),
        Some(
            "beyond the limit of 2 %, but the perturbations disagree: -1.00 % under `mixed-3`, \
             +5.00 % under `mixed-2`"
        )
    );
    let interval = row.interval().unwrap();
    assert!((interval.0 + 0.01).abs() < 1e-9 && (interval.1 - 0.05).abs() < 1e-9);
    // Its twin without the one that disagrees.
    let head = side(1_040_000, &[1_030_000, 1_050_000, 1_010_000, 1_035_000, 1_028_000]);
    assert_eq!(judge(&base, &head).verdict, Verdict::Fail);
}

#[test]
fn disagreement_below_the_limit_of_failure_is_noted_and_ok() {
    let base = side(1_000_000, &[1_000_000; 5]);
    for mixed in [
        [1_016_000, 1_012_000, 1_015_000, 1_014_000, 990_000],
        [940_000, 930_000, 920_000, 970_000, 1_010_000],
    ] {
        let unperturbed = mixed[0];
        let row = judge(&base, &side(unperturbed, &mixed));
        assert_eq!(row.verdict, Verdict::Ok);
        assert!(row.reason.unwrap().contains("the perturbations disagree"));
    }
}

#[test]
fn what_moves_the_bench_is_told_where_it_was_looked_for() {
    let mut base = side(1_000_000, &[1_000_000; 5]);
    add(&mut base, "hash-seed".parse().unwrap(), 971_000);
    add(&mut base, "heap-phase".parse().unwrap(), 1_004_000);
    let head = side(1_040_000, &[1_030_000, 1_050_000, 990_000, 1_035_000, 1_028_000]);
    let reason = judge(&base, &head).reason.unwrap();
    assert!(reason.ends_with("; `hash-seed` alone moves the bench by -2.90 %"), "{reason}");
    let moved = moved_by(&base.readings);
    assert_eq!(moved[0].0, PerturbationKind::HashSeed);
    assert_eq!(moved.len(), 2);
}

#[test]
fn one_kind_alone_judges_only_where_nothing_else_does() {
    // Head's heap is in another phase: the same under every other seed.
    let with_kinds = |unperturbed: u64, mixed: &[u64], kind: u64| {
        let mut bench = side(unperturbed, mixed);
        for name in ["hash-seed", "random-seed", "environment"] {
            add(&mut bench, name.parse().unwrap(), kind);
        }
        bench
    };
    let mixed = [990_000, 1_010_000, 1_000_000, 985_000, 1_004_000];
    let base = with_kinds(1_000_000, &[1_000_000; 5], 1_000_000);
    let row = judge(&base, &with_kinds(1_030_000, &mixed, 1_030_000));
    assert_eq!((row.verdict, row.pairs.len()), (Verdict::Ok, 6));
    let row = judge(&with_kinds(1_000_000, &[], 1_000_000), &with_kinds(1_030_000, &[], 1_030_000));
    assert_eq!((row.verdict, row.pairs.len()), (Verdict::Fail, 4));
}

#[test]
fn what_only_one_side_has_is_left_out() {
    let base = side(1_000_000, &NOISY);
    let row = judge(&base, &side(1_030_000, &moved(&NOISY[..2], 30)));
    assert_eq!((row.verdict, row.pairs.len()), (Verdict::Fail, 3));
}

#[test]
fn a_single_pair_is_no_proof_within_the_noise_floor_of_a_side() {
    let judged = |base: &BenchResult, head: &BenchResult| {
        let row = judge(base, head);
        assert_eq!(row.pairs.len(), 0);
        (row.verdict, row.reason.unwrap_or_default())
    };
    let plain = |count| side(count, &[]);
    let noisy = side(1_000_000, &NOISY);
    let (verdict, reason) = judged(&noisy, &plain(1_030_000));
    assert_eq!(verdict, Verdict::Inconclusive);
    assert_eq!(
        reason,
        "beyond the limit of 2 %, but within the noise floor of base: perturbations move it by 5.9 %"
    );
    let (verdict, reason) = judged(&plain(970_000), &noisy);
    assert_eq!(verdict, Verdict::Inconclusive);
    assert!(reason.contains("the noise floor of head"), "{reason}");
    assert_eq!(judged(&noisy, &plain(1_070_000)).0, Verdict::Fail);
    let calm = side(1_000_000, &[1_000_100, 999_900]);
    assert_eq!(judged(&calm, &plain(1_030_000)).0, Verdict::Fail);
    // What a gate has not to decide passes.
    let (verdict, reason) = judged(&noisy, &plain(960_000));
    assert_eq!(verdict, Verdict::Ok);
    assert!(reason.contains("noise floor"), "{reason}");
}

#[test]
fn collections_that_the_change_does_not_explain_are_a_doubt_of_a_single_pair() {
    let with = |count: u64, collections: u64| {
        let mut bench = side(count, &[]);
        for reading in &mut bench.readings {
            reading.proof.twin.as_mut().unwrap().young_collections = collections;
        }
        bench
    };
    let judged = |base: (u64, u64), head: (u64, u64)| {
        judge(&with(base.0, base.1), &with(head.0, head.1)).verdict
    };
    // A larger young generation halves them.
    assert_eq!(judged((1_000_000, 24), (978_000, 12)), Verdict::Ok);
    assert_eq!(judged((1_000_000, 12), (1_022_000, 24)), Verdict::Inconclusive);
    // As many as before, or about as many more as the work.
    assert_eq!(judged((1_000_000, 12), (1_030_000, 12)), Verdict::Fail);
    assert_eq!(judged((1_000_000, 12), (1_030_000, 13)), Verdict::Fail);
    assert_eq!(judged((1_000_000, 100), (1_030_000, 104)), Verdict::Fail);
    // More than they were ever seen to do.
    assert_eq!(judged((1_000_000, 12), (1_050_000, 24)), Verdict::Fail);
    // Pairs tell by themselves.
    let paired = |count: u64, mixed: &[u64], collections: u64| {
        let mut bench = side(count, mixed);
        bench.readings[0].proof.twin.as_mut().unwrap().young_collections = collections;
        bench
    };
    let row =
        judge(&paired(1_000_000, &[1_000_000; 5], 12), &paired(1_030_000, &[1_030_000; 5], 24));
    assert_eq!(row.verdict, Verdict::Fail);
}

#[test]
fn two_repeats_are_enough_where_they_are_equal() {
    let two = |counts: [u64; 2]| measured("a.mjs::a", &counts);
    let base = two([1_000_000, 1_000_000]);
    assert_eq!(judge(&base, &two([1_000_000, 1_000_050])).verdict, Verdict::Ok);
    assert_eq!(judge(&base, &two([1_030_000, 1_030_000])).verdict, Verdict::Fail);
    let row = judge(&base, &two([1_000_000, 1_000_200]));
    assert_eq!(row.verdict, Verdict::Inconclusive);
    assert!(row.reason.unwrap().contains("only 2 repeats"));
    let one = measured("a.mjs::a", &[1_000_001]);
    assert_eq!(judge(&base, &one).verdict, Verdict::Inconclusive);
}

#[test]
fn a_side_has_a_noise_floor_of_its_own() {
    assert_eq!(noise_floor(&side(1_000_000, &[]).readings), None);
    let floor = noise_floor(&side(1_000_000, &[1_010_000, 990_000]).readings).unwrap();
    assert!((floor - 0.02).abs() < 1e-12);
}
