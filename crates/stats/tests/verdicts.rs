//! The verdict of one bench, rule by rule. Every refusal has a twin that is ok and one that fails.

use tiergate_model::fixtures::{incomplete, measured, skipped};
use tiergate_model::{BenchResult, ComparisonRow, Limits, Unit, Verdict, WindowPhases};
use tiergate_stats::verdict;

fn judge(base: &BenchResult, head: &BenchResult) -> ComparisonRow {
    verdict(base, head, Unit::Instructions, &Limits::default())
}

fn counts(base: &[u64], head: &[u64]) -> ComparisonRow {
    judge(&measured("a.mjs::a", base), &measured("a.mjs::a", head))
}

fn clock(base: &[u64], head: &[u64]) -> ComparisonRow {
    let (base, head) = (measured("a.mjs::a", base), measured("a.mjs::a", head));
    verdict(&base, &head, Unit::Nanoseconds, &Limits::default())
}

const BASE: [u64; 5] = [100_000, 100_010, 100_005, 100_000, 100_002];

#[test]
fn limits_decide_and_their_exact_value_is_within_them() {
    let scaled = |percent: u64| BASE.map(|count| count / 1000 * 10 * (100 + percent));
    let base = scaled(0);
    for (percent, expected) in [
        (0, Verdict::Ok),
        (1, Verdict::Ok),
        (2, Verdict::Warn),
        (3, Verdict::Fail),
        (50, Verdict::Fail),
    ] {
        assert_eq!(counts(&base, &scaled(percent)).verdict, expected, "+{percent} %");
    }
    assert_eq!(counts(&scaled(2), &base).verdict, Verdict::Ok);
    assert_eq!(counts(&scaled(5), &base).verdict, Verdict::Improved);
}

#[test]
fn the_figures_are_medians_per_op() {
    let judgement = counts(&BASE, &[105_000; 5]);
    assert_eq!(judgement.base_per_op, Some(100.002));
    assert_eq!(judgement.head_per_op, Some(105.0));
    assert!((judgement.change.unwrap() - (105.0 / 100.002 - 1.0)).abs() < 1e-12);
    assert!((judgement.base_spread.unwrap() - 10.0 / 100_002.0).abs() < 1e-12);
    assert_eq!(judgement.head_spread, Some(0.0));
}

#[test]
fn phases_are_compared_and_decide_nothing() {
    let with = |counts: &[u64], median: f64| BenchResult {
        window_phases: Some(WindowPhases {
            ops: 10,
            per_op: vec![median; 20],
            median,
            quartile_spread: 0.0,
        }),
        ..measured("a.mjs::a", counts)
    };
    let row = judge(&with(&[1_000; 3], 1.0), &with(&[1_050; 3], 1.0));
    assert_eq!((row.verdict, row.between_collections), (Verdict::Fail, Some(0.0)));
    let row = judge(&with(&[1_000; 3], 1.0), &with(&[1_000; 3], 1.5));
    assert_eq!((row.verdict, row.between_collections), (Verdict::Ok, Some(0.5)));
    let row = judge(&measured("a.mjs::a", &[1_000; 3]), &with(&[1_000; 3], 1.5));
    assert_eq!(row.between_collections, None);
}

#[test]
fn a_wide_spread_is_undecided_and_names_its_side() {
    let wide = [100_000, 100_000, 100_700, 100_000, 100_000];
    let judgement = counts(&wide, &[105_000; 5]);
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert_eq!(
        judgement.reason.as_deref(),
        Some("the A/A spread of base is 0.7 %, above the limit of 0.4 %")
    );
    let judgement = counts(&BASE, &wide);
    assert!(judgement.reason.unwrap().contains("of head is 0.7 %"));
    // The same size of spread below a limit of its own is decided.
    let loose = Limits { aa_spread: 0.01, ..Limits::default() };
    let (base, head) = (measured("a", &wide), measured("a", &[105_000; 5]));
    assert_eq!(verdict(&base, &head, Unit::Instructions, &loose).verdict, Verdict::Fail);
}

#[test]
fn overlapping_repeats_are_undecided() {
    let loose = Limits { aa_spread: 0.5, ..Limits::default() };
    let base = measured("a", &[100_000, 100_000, 110_000]);
    let head = measured("a", &[104_000, 104_000, 105_000]);
    let judgement = verdict(&base, &head, Unit::Instructions, &loose);
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    let reason = judgement.reason.unwrap();
    assert_eq!(
        reason,
        "beyond the limit of 2 %, but the repeats of base and head overlap: they allow -5.45 % to +5.00 %"
    );
    let apart = measured("a", &[112_000, 112_000, 113_000]);
    assert_eq!(verdict(&base, &apart, Unit::Instructions, &loose).verdict, Verdict::Fail);
    let same = measured("a", &[100_500, 100_500, 113_000]);
    assert_eq!(verdict(&base, &same, Unit::Instructions, &loose).verdict, Verdict::Ok);
}

#[test]
fn fewer_than_three_unequal_repeats_are_undecided() {
    for head in [&[100_000_u64, 100_020][..], &[100_000; 1], &[150_000, 150_030]] {
        let judgement = counts(&BASE, head);
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert!(judgement.reason.unwrap().contains("at least 3 repeats"));
    }
    assert_eq!(counts(&[100_000; 3], &[100_000; 3]).verdict, Verdict::Ok);
    assert_eq!(counts(&[100_000; 3], &[105_000; 3]).verdict, Verdict::Fail);
}

#[test]
fn one_repeat_of_each_side_is_enough_where_both_are_the_same_number() {
    assert_eq!(counts(&[100_000], &[100_000]).verdict, Verdict::Ok);
    assert_eq!(counts(&[100_000; 3], &[100_000]).verdict, Verdict::Ok);
    for head in [100_001, 150_000] {
        assert_eq!(counts(&[100_000], &[head]).verdict, Verdict::Inconclusive);
    }
    assert_eq!(clock(&[100_000], &[100_000]).verdict, Verdict::Inconclusive);
}

#[test]
fn missing_readings_are_incomplete_with_the_sides_reason() {
    let good = measured("a", &BASE);
    let judgement = judge(&good, &incomplete("a", "TypeError: x is not a function"));
    assert_eq!(judgement.verdict, Verdict::Incomplete);
    assert_eq!(judgement.reason.as_deref(), Some("head: TypeError: x is not a function"));
    assert_eq!((judgement.base_per_op, judgement.head_per_op), (Some(100.002), None));
    assert_eq!(judgement.change, None);
    let judgement = judge(&incomplete("a", "it hung"), &good);
    assert_eq!(judgement.reason.as_deref(), Some("base: it hung"));
    let judgement = judge(&incomplete("a", "it hung"), &incomplete("a", "it hung"));
    assert_eq!(judgement.reason.as_deref(), Some("base and head: it hung"));
    let judgement = judge(&incomplete("a", "it hung"), &incomplete("a", "it threw"));
    assert_eq!(judgement.reason.as_deref(), Some("base: it hung; head: it threw"));
}

#[test]
fn readings_that_prove_nothing_are_incomplete() {
    let good = measured("a", &BASE);
    let zero = measured("a", &[0; 5]);
    assert_eq!(judge(&zero, &zero).verdict, Verdict::Incomplete);
    assert_eq!(judge(&good, &measured("a", &[])).verdict, Verdict::Incomplete);
    let mut unproven = good.clone();
    unproven.readings[2].proof.marks.seen = 1;
    let judgement = judge(&good, &unproven);
    assert_eq!(judgement.verdict, Verdict::Incomplete);
    assert_eq!(judgement.reason.as_deref(), Some("head has a reading with missing or extra marks"));
}

#[test]
fn skips_count_only_when_both_sides_skip() {
    let (good, skip) = (measured("a", &BASE), skipped("a", "marked `skip`"));
    let judgement = judge(&skip, &skip);
    assert_eq!(judgement.verdict, Verdict::Skipped);
    assert_eq!(judgement.reason.as_deref(), Some("marked `skip`"));
    assert_eq!(judge(&good, &skip).verdict, Verdict::Incomplete);
    let judgement = judge(&skip, &good);
    assert_eq!(judgement.reason.as_deref(), Some("skipped in base only: marked `skip`"));
}

#[test]
fn a_differing_plan_is_never_ok() {
    let good = measured("a", &BASE);
    type Change = fn(&mut BenchResult);
    let changes: [(Change, &str); 5] = [
        (|bench| bench.warmup_ops = 5000, "a warm-up of 4000 and 5000 ops"),
        (|bench| bench.window_ops = 2000, "a window of 1000 and 2000 ops"),
        (|bench| bench.is_async = true, "a synchronous and an awaited op"),
        (|bench| bench.framework = "tinybench 5".to_owned(), "`tinybench 6.2.5` and `tinybench 5`"),
        (
            |bench| {
                for reading in &mut bench.readings {
                    reading.proof.marks.expected = 2000;
                    reading.proof.marks.seen = 2000;
                }
            },
            "hooks around the op on one side only",
        ),
    ];
    for (change, words) in changes {
        let mut other = good.clone();
        change(&mut other);
        let judgement = judge(&good, &other);
        assert_eq!(judgement.verdict, Verdict::Inconclusive, "{words}");
        let reason = judgement.reason.unwrap();
        assert!(reason.starts_with("not comparable") && reason.contains(words), "{reason}");
        assert!(judgement.hint.is_some());
        assert_eq!(judgement.change, None, "what can't be compared has no change");
    }
}

#[test]
fn clocks_are_judged_by_rank_and_not_by_spread() {
    let base = [100_000, 104_000, 101_000, 103_000, 102_000];
    let slower = base.map(|count| count * 11 / 10);
    let judgement = clock(&base, &slower);
    assert_eq!(judgement.verdict, Verdict::Fail);
    assert!((judgement.adjusted_p.unwrap() - 2.0 / 252.0).abs() < 1e-12);
    assert_eq!(clock(&base, &base).verdict, Verdict::Ok);
    let judgement = clock(&base, &[100_500, 108_000, 101_500, 107_000, 106_000]);
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    let reason = judgement.reason.unwrap();
    assert!(reason.contains("not significant at 5 %: p = 0.310, 95 % interval"), "{reason}");
    // Three a side can't be significant, however far apart they are.
    let judgement = clock(&[100_000, 100_001, 100_002], &[200_000, 200_001, 200_002]);
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert!(judgement.hint.unwrap().contains("so few repeats"));
}
