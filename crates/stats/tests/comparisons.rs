//! Comparison of whole files.

use proptest::prelude::*;
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{
    BenchResult, Comparison, ComparisonRow, ExitStatus, InstrumentKind, Limits, ResultFile, Verdict,
};
use tiergate_stats::{CompareOptions, compare};

fn options() -> CompareOptions {
    CompareOptions {
        limits: Limits::default(),
        allow_removed: false,
        base_source: "base.json".to_owned(),
        head_source: "head.json".to_owned(),
    }
}

fn compared(base: Vec<BenchResult>, head: Vec<BenchResult>) -> Comparison {
    compare(&result_file(base), &result_file(head), &options())
}

fn row<'a>(comparison: &'a Comparison, id: &str) -> &'a ComparisonRow {
    comparison.rows.iter().find(|row| row.id.as_str() == id).expect("every bench has a row")
}

fn bench(id: &str, count: u64) -> BenchResult {
    measured(id, &[count; 5])
}

#[test]
fn rows_come_worst_first_then_by_change_then_by_id() {
    let base = ["a", "b", "c", "d", "e"].map(|name| bench(&format!("x.mjs::{name}"), 100_000));
    let head = [
        bench("x.mjs::a", 100_000),
        bench("x.mjs::b", 103_000),
        bench("x.mjs::c", 110_000),
        incomplete("x.mjs::d", "it threw"),
        bench("x.mjs::e", 100_000),
    ];
    let comparison = compared(base.to_vec(), head.to_vec());
    let order: Vec<&str> = comparison.rows.iter().map(|row| row.id.name()).collect();
    assert_eq!(order, ["c", "b", "d", "a", "e"]);
    assert_eq!(comparison.exit_status(), ExitStatus::Incomplete);
    assert_eq!((comparison.tally().fail, comparison.tally().ok), (2, 2));
}

#[test]
fn another_fingerprint_compares_nothing() {
    let base = result_file(vec![bench("x.mjs::a", 100_000)]);
    let mut head = result_file(vec![bench("x.mjs::a", 110_000)]);
    head.fingerprint.cpu.features_hash = "masked".to_owned();
    head.fingerprint.engine.flags.push("--no-sparkplug".to_owned());
    let comparison = compare(&base, &head, &options());
    let fields: Vec<&str> = comparison.differences.iter().map(|d| d.field.as_str()).collect();
    assert_eq!(fields, ["engine.flags", "cpu.features_hash"]);
    assert!(comparison.rows.is_empty());
    assert_eq!(comparison.exit_status(), ExitStatus::NotComparable);
}

#[test]
fn added_passes_and_removed_does_not_unless_allowed() {
    let base = result_file(vec![bench("x.mjs::kept", 100_000), bench("x.mjs::old", 7_000)]);
    let head = result_file(vec![bench("x.mjs::kept", 100_000), bench("y.mjs::fresh", 9_000)]);
    let comparison = compare(&base, &head, &options());
    assert_eq!(row(&comparison, "y.mjs::fresh").verdict, Verdict::Added);
    let removed = row(&comparison, "x.mjs::old");
    assert_eq!(removed.verdict, Verdict::Incomplete);
    assert_eq!(removed.reason.as_deref(), Some("removed: only base has it"));
    assert_eq!(comparison.exit_status(), ExitStatus::Incomplete);
    assert!(comparison.probable_renames.is_empty());
    let allowed = compare(&base, &head, &CompareOptions { allow_removed: true, ..options() });
    assert_eq!(row(&allowed, "x.mjs::old").verdict, Verdict::Removed);
    assert_eq!(allowed.exit_status(), ExitStatus::Pass);
}

#[test]
fn a_new_bench_that_fails_is_not_added() {
    let comparison = compared(vec![], vec![incomplete("x.mjs::a", "it threw")]);
    assert_eq!(comparison.rows[0].verdict, Verdict::Incomplete);
    assert_eq!(comparison.rows[0].reason.as_deref(), Some("only head has it, and it threw"));
    let comparison = compared(vec![], vec![skipped("x.mjs::a", "marked `skip`")]);
    assert_eq!(comparison.rows[0].verdict, Verdict::Skipped);
}

#[test]
fn a_file_that_could_not_be_listed_is_no_removal_and_no_addition() {
    let whole = || vec![bench("x.mjs::a", 100_000), bench("y.mjs::a", 100_000)];
    let broken = || vec![incomplete("x.mjs", "SyntaxError: here"), bench("y.mjs::a", 100_000)];
    for (base, head, reason) in [
        (whole(), broken(), "head: its file could not be listed: SyntaxError: here"),
        (broken(), whole(), "base: its file could not be listed: SyntaxError: here"),
    ] {
        let options = CompareOptions { allow_removed: true, ..options() };
        let comparison = compare(&result_file(base), &result_file(head), &options);
        let lost = row(&comparison, "x.mjs::a");
        assert_eq!((lost.verdict, lost.reason.as_deref()), (Verdict::Incomplete, Some(reason)));
        let file = row(&comparison, "x.mjs");
        assert_eq!(file.verdict, Verdict::Incomplete);
        assert!(file.reason.as_deref().unwrap().ends_with("SyntaxError: here"));
        assert_eq!(row(&comparison, "y.mjs::a").verdict, Verdict::Ok);
        assert!(comparison.probable_renames.is_empty());
        assert_eq!(comparison.exit_status(), ExitStatus::Incomplete);
    }
}

#[test]
fn nothing_compared_is_not_a_pass() {
    assert_eq!(compared(vec![], vec![]).exit_status(), ExitStatus::Incomplete);
    let skip = || vec![skipped("x.mjs::a", "marked `skip`")];
    assert_eq!(compared(skip(), skip()).exit_status(), ExitStatus::Incomplete);
    let mut both = skip();
    both.push(bench("x.mjs::b", 100_000));
    assert_eq!(compared(both.clone(), both).exit_status(), ExitStatus::Pass);
}

#[test]
fn a_moved_file_a_new_name_and_an_edited_name_are_probable_renames() {
    let base = vec![
        bench("old.mjs::parse", 100_000),
        bench("x.mjs::first", 50_000),
        bench("x.mjs::stringify long", 70_000),
        bench("x.mjs::gone", 1_000),
    ];
    let head = vec![
        bench("new.mjs::parse", 140_000),
        bench("x.mjs::einz", 50_100),
        bench("x.mjs::stringify lang", 90_000),
        bench("z.mjs::unlike", 999_000),
    ];
    let comparison = compared(base, head);
    let renames: Vec<(&str, &str, &str)> = comparison
        .probable_renames
        .iter()
        .map(|rename| (rename.from.as_str(), rename.to.as_str(), rename.reason.as_str()))
        .collect();
    assert_eq!(
        renames,
        [
            ("old.mjs::parse", "new.mjs::parse", "same name in another file"),
            ("x.mjs::first", "x.mjs::einz", "same count under the same plan"),
            ("x.mjs::stringify long", "x.mjs::stringify lang", "similar name in the same file"),
        ]
    );
    assert_eq!(
        row(&comparison, "old.mjs::parse").reason.as_deref(),
        Some("removed, or renamed to `new.mjs::parse`")
    );
}

#[test]
fn swapped_names_are_noted_and_unrelated_changes_are_not() {
    let base =
        vec![bench("x.mjs::a", 100_000), bench("x.mjs::b", 200_000), bench("x.mjs::c", 300_000)];
    let head =
        vec![bench("x.mjs::a", 200_000), bench("x.mjs::b", 100_000), bench("x.mjs::c", 330_000)];
    let comparison = compared(base, head);
    let (a, b) = (row(&comparison, "x.mjs::a"), row(&comparison, "x.mjs::b"));
    assert_eq!((a.verdict, b.verdict), (Verdict::Fail, Verdict::Improved));
    assert!(a.reason.as_deref().unwrap().contains("that of `x.mjs::b` look swapped"));
    assert!(b.reason.as_deref().unwrap().contains("that of `x.mjs::a` look swapped"));
    assert_eq!(row(&comparison, "x.mjs::c").reason, None);
}

#[test]
fn clock_rows_are_corrected_for_their_number() {
    let clock = |benches: Vec<BenchResult>| {
        let mut file = result_file(benches);
        file.fingerprint.instrument.name = InstrumentKind::Wall;
        file
    };
    let noise = [100_000, 104_000, 101_000, 103_000, 102_000];
    let other_noise = [100_500, 103_500, 101_500, 102_500, 102_100];
    let ids: Vec<String> = (0..20).map(|index| format!("x.mjs::{index:02}")).collect();
    let base = clock(ids.iter().map(|id| measured(id, &noise)).collect());
    let slower = noise.map(|count| count * 11 / 10);
    let one_slow = |count: usize| {
        clock(
            ids.iter()
                .enumerate()
                .map(|(index, id)| measured(id, if index < count { &slower } else { &other_noise }))
                .collect(),
        )
    };
    // Among twenty tests, one p of 0.008 is no surprise.
    let comparison = compare(&base, &one_slow(1), &options());
    assert_eq!(comparison.tally().fail, 0);
    assert_eq!(comparison.rows[0].verdict, Verdict::Inconclusive);
    assert!(comparison.rows[0].reason.as_deref().unwrap().contains("among 20 benches"));
    let comparison = compare(&base, &one_slow(10), &options());
    assert_eq!((comparison.tally().fail, comparison.tally().ok), (10, 10));
}

fn any_bench() -> impl Strategy<Value = BenchResult> {
    let id = (0..3_u8, 0..4_u8).prop_map(|(file, name)| format!("{file}.mjs::{name}"));
    let counts = prop::collection::vec(prop_oneof![Just(0_u64), 90_000..110_000_u64], 0..6);
    (id, counts, 0..4_u8, 0..3_u64).prop_map(|(id, counts, kind, plan)| {
        let mut bench = match kind {
            0 => incomplete(&id, "it threw"),
            1 => skipped(&id, "marked `skip`"),
            _ => measured(&id, &counts),
        };
        bench.warmup_ops += plan / 2;
        bench
    })
}

fn any_file() -> impl Strategy<Value = ResultFile> {
    prop::collection::vec(any_bench(), 0..12).prop_map(|mut benches| {
        benches.sort_by(|one, other| one.id.cmp(&other.id));
        benches.dedup_by(|one, other| one.id == other.id);
        result_file(benches)
    })
}

proptest! {
    #[test]
    fn every_bench_gets_one_row_and_no_ok_without_proof(base in any_file(), head in any_file()) {
        let comparison = compare(&base, &head, &options());
        let mut ids: Vec<_> = base.benches.iter().chain(&head.benches).map(|b| &b.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(comparison.rows.len(), ids.len());
        for row in &comparison.rows {
            let find = |file: &ResultFile| file.benches.iter().find(|b| b.id == row.id).cloned();
            match row.verdict {
                Verdict::Ok | Verdict::Warn | Verdict::Improved | Verdict::Fail => {
                    let (base, head) = (find(&base).unwrap(), find(&head).unwrap());
                    prop_assert!(base.readings.len() >= 3 && head.readings.len() >= 3);
                    prop_assert!(base.readings.iter().chain(&head.readings).all(|r| r.count > 0));
                    prop_assert_eq!(base.warmup_ops, head.warmup_ops);
                    prop_assert!(row.change.unwrap().is_finite());
                }
                _ => prop_assert!(row.reason.is_some()),
            }
        }
    }

    #[test]
    fn a_file_against_itself_never_fails(file in any_file()) {
        let comparison = compare(&file, &file, &options());
        let tally = comparison.tally();
        prop_assert_eq!(tally.fail + tally.warn + tally.improved + tally.added + tally.removed, 0);
        prop_assert!(comparison.probable_renames.is_empty());
    }

    #[test]
    fn each_bench_is_in_one_rename_at_most(base in any_file(), head in any_file()) {
        let renames = compare(&base, &head, &options()).probable_renames;
        let mut ends: Vec<_> = renames.iter().flat_map(|r| [&r.from, &r.to]).collect();
        let count = ends.len();
        ends.sort();
        ends.dedup();
        prop_assert_eq!(ends.len(), count);
    }
}

#[test]
fn a_filter_of_one_side_neither_adds_nor_removes_benches() {
    let all = result_file(vec![bench("x.mjs::a", 100_000), bench("x.mjs::b", 100_000)]);
    let mut some = result_file(vec![bench("x.mjs::a", 100_000)]);
    some.filter = vec!["*a".to_owned()];

    let head_filtered = compare(&all, &some, &options());
    assert_eq!(row(&head_filtered, "x.mjs::b").verdict, Verdict::Skipped);
    assert_eq!(head_filtered.exit_status(), ExitStatus::Pass);

    let base_filtered = compare(&some, &all, &options());
    assert_eq!(row(&base_filtered, "x.mjs::b").verdict, Verdict::Incomplete);
    assert_eq!(base_filtered.exit_status(), ExitStatus::Incomplete);

    let mut other = all.clone();
    other.filter = some.filter.clone();
    let same_filter = compare(&some, &other, &options());
    assert_eq!(row(&same_filter, "x.mjs::b").verdict, Verdict::Added);
}
