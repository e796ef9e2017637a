//! Comparisons on a terminal.

use crate::support::{bench, compared, compared_files, every_verdict, paired};
use tiergate_model::fixtures::{measured, result_file, skipped};
use tiergate_model::{Comparison, InstrumentKind, Verdict};
use tiergate_report::{Style, comparison_summary, comparison_text};

fn plain(comparison: &Comparison) -> String {
    comparison_text(comparison, &Style::plain(100))
}

#[test]
fn rows_come_worst_first_with_their_reasons() {
    insta::assert_snapshot!(plain(&every_verdict()), @"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    verdict         change    base     head Ir/op      A/A  bench
    FAIL           +5.02 %   1,234  →  1,296           0 %  bench/a.mjs::parse > short
    INCOMPLETE           -   700.0  →  -               0 %  bench/a.mjs::throws
        head: TypeError: x is not a function
        at a.mjs:3:1
    INCOMPLETE           -   42.00  →  -               0 %  bench/old.mjs::moved
        removed, or renamed to `bench/new.mjs::moved`
        hint: if that is meant, allow it with `--allow-removed`
    INCONCLUSIVE   -0.10 %   100.1  →  100.0        0.70 %  bench/a.mjs::noisy
        the A/A spread of base is 0.699 %, above the limit of 0.4 %
        hint: equal processes did unequal work: look for clocks, randomness, I/O or threads in the op
    warn           +1.43 %  81,235  →  82,400          0 %  bench/a.mjs::parse > long
    improved      -50.00 %   300.0  →  150.0           0 %  bench/a.mjs::faster
    added                -       -  →  42.10           0 %  bench/new.mjs::moved
        only head has it, or renamed from `bench/old.mjs::moved`
    ok              0.00 %   50.00  →  50.00       0.002 %  bench/a.mjs::steady
    skipped              -       -  →  -                 -  bench/a.mjs::later
        marked `skip`

    probably renamed
      bench/old.mjs::moved → bench/new.mjs::moved (same name in another file, same count under the same
      plan)

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %

    1 FAIL, 2 INCOMPLETE, 1 INCONCLUSIVE, 1 warn, 1 improved, 1 added, 1 ok, 1 skipped (exit code 4)
    ");
}

#[test]
fn one_bench_that_is_ok() {
    let one = || vec![bench("a.mjs::a", 100_000)];
    insta::assert_snapshot!(plain(&compared(one(), one())), @"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    verdict  change   base     head Ir/op  A/A  bench
    ok       0.00 %  100.0  →  100.0       0 %  a.mjs::a

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %

    1 ok (exit code 0)
    ");
}

#[test]
fn nothing_to_compare() {
    insta::assert_snapshot!(plain(&compared(vec![], vec![])), @"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %

    nothing was compared (exit code 4)
    ");
}

#[test]
fn nothing_but_skips_is_said_to_be_nothing() {
    let skip = || vec![skipped("a.mjs::a", "marked `skip`")];
    let summary = comparison_summary(&compared(skip(), skip()), &Style::plain(100));
    assert_eq!(summary, "nothing was compared, 1 skipped (exit code 4)");
}

#[test]
fn another_environment_shows_what_differs() {
    let base = result_file(vec![bench("a.mjs::a", 100_000)]);
    let mut head = base.clone();
    head.commit = Some("0123456789abcdef-dirty".to_owned());
    head.fingerprint.engine.flags.push("--no-sparkplug".to_owned());
    head.fingerprint.cpu.features_hash = "masked".to_owned();
    insta::assert_snapshot!(plain(&compared_files(&base, &head)), @"
    base  base.json, node 24.22.1, callgrind
    head  head.json (commit 0123456789ab-dirty), node 24.22.1, callgrind

    environment differs: base and head can't be compared
    differs                  value
    engine.flags       base  (none)
                       head  --no-sparkplug
    cpu.features_hash  base  77aa
                       head  masked

    hint: measure base and head on one machine with the same engine, flags and tiergate

    not comparable (exit code 2)
    ");
}

#[test]
fn clock_rows_show_their_p() {
    let clock = |counts: [[u64; 5]; 2]| {
        let mut file =
            result_file(vec![measured("a.mjs::a", &counts[0]), measured("a.mjs::b", &counts[1])]);
        file.fingerprint.instrument.name = InstrumentKind::Wall;
        file
    };
    let noise = [100_000, 104_000, 101_000, 103_000, 102_000];
    let base = clock([noise, noise]);
    let head =
        clock([noise.map(|count| count * 11 / 10), [100_500, 108_000, 101_500, 107_000, 106_000]]);
    insta::assert_snapshot!(plain(&compared_files(&base, &head)), @"
    base  base.json, node 24.22.1, wall
    head  head.json, node 24.22.1, wall

    verdict         change   base     head ns/op     A/A      p  bench
    FAIL          +10.00 %  102.0  →  112.2       3.92 %  0.016  a.mjs::a
    INCONCLUSIVE   +3.92 %  102.0  →  106.0       7.08 %  0.310  a.mjs::b
        beyond the limit of 2 %, but not significant at 5 %: p = 0.310 among 2 benches, 95 % interval
        -2.40 % to +6.93 %
        hint: measure with more `--repeats`, or count instructions

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, significant at 5 % (Mann-Whitney,
    Benjamini-Hochberg)

    1 FAIL, 1 INCONCLUSIVE (exit code 1)
    ");
}

#[test]
fn long_ids_give_way_and_numbers_do_not() {
    let id = format!("packages/{}/bench/parse.bench.ts::group > the very name", "deep/".repeat(20));
    let comparison = compared(vec![bench(&id, 100_000)], vec![bench(&id, 123_456_789)]);
    insta::assert_snapshot!(comparison_text(&comparison, &Style::plain(80)), @"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    verdict        change   base     head Ir/op  A/A  bench
    FAIL     +123356.79 %  100.0  →  123,457     0 %  packages/…roup > the very name
        packages/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep//bench/parse.bench.ts::group
        > the very name

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to
    0.4 %

    1 FAIL (exit code 1)
    ");
    // Too narrow for anything: the numbers still stand.
    let text = comparison_text(&comparison, &Style::plain(10));
    assert!(text.contains("123,457") && text.contains("+123356.79 %"), "{text}");
}

#[test]
fn a_narrow_terminal_loses_no_name_that_asks_for_attention() {
    let comparison = every_verdict();
    let text = comparison_text(&comparison, &Style::plain(60));
    for row in comparison.rows.iter().filter(|row| row.verdict != Verdict::Ok) {
        let whole = text.contains(&format!("{}\n", row.id));
        assert_eq!(whole, row.verdict != Verdict::Skipped, "{}: {text}", row.id);
    }
    let summary: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "1 FAIL, 2 INCOMPLETE, 1 INCONCLUSIVE, 1 warn, 1 improved,")
        .collect();
    assert_eq!(summary[1..], ["1 added, 1 ok, 1 skipped (exit code 4)"], "{text}");
}

#[test]
fn names_of_any_script_are_aligned_and_none_drives_the_terminal() {
    let ids = ["a.mjs::größer", "a.mjs::日本語", "a.mjs::\u{1b}[31mred\u{1b}[0m\nnext\u{202e}"];
    let side = || ids.map(|id| bench(id, 100_000)).to_vec();
    let text = plain(&compared(side(), side()));
    insta::assert_snapshot!(text, @r"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    verdict  change   base     head Ir/op  A/A  bench
    ok       0.00 %  100.0  →  100.0       0 %  a.mjs::\u{1b}[31mred\u{1b}[0m\nnext\u{202e}
    ok       0.00 %  100.0  →  100.0       0 %  a.mjs::größer
    ok       0.00 %  100.0  →  100.0       0 %  a.mjs::日本語

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %

    3 ok (exit code 0)
    ");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn colours_are_the_callers_choice() {
    let comparison = every_verdict();
    let coloured = comparison_text(&comparison, &Style::coloured(100));
    assert!(coloured.contains("\u{1b}[1m\u{1b}[31mFAIL\u{1b}[0m"), "{coloured:?}");
    let stripped = without_escapes(&coloured);
    assert_eq!(stripped, plain(&comparison), "colours change nothing else");
    insta::assert_snapshot!(
        comparison_summary(&comparison, &Style::coloured(100)).escape_debug().to_string(),
        @r"\u{1b}[1m\u{1b}[31m1 FAIL\u{1b}[0m, \u{1b}[1m\u{1b}[31m2 INCOMPLETE\u{1b}[0m, \u{1b}[33m1 INCONCLUSIVE\u{1b}[0m, \u{1b}[33m1 warn\u{1b}[0m, \u{1b}[32m1 improved\u{1b}[0m, \u{1b}[34m1 added\u{1b}[0m, \u{1b}[32m1 ok\u{1b}[0m, \u{1b}[2m1 skipped\u{1b}[0m \u{1b}[2m(exit code 4)\u{1b}[0m"
    );
}

/// Leaves out the escapes of colours.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut text, part| {
        text.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
        text
    })
}

#[test]
fn numbers_that_are_none_are_not_shown() {
    let mut comparison = every_verdict();
    for row in &mut comparison.rows {
        row.base_per_op = Some(f64::NAN);
        row.change = Some(f64::INFINITY);
        row.base_spread = Some(f64::NAN);
        row.head_spread = None;
        row.adjusted_p = Some(f64::NAN);
    }
    let text = plain(&comparison);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn pairs_show_their_range_and_the_noise_floor() {
    insta::assert_snapshot!(plain(&paired()), @r"
    base  base.json, node 24.22.1, callgrind
    head  head.json, node 24.22.1, callgrind

    verdict        change  range                base     head Ir/op  A/A  noise floor  bench
    FAIL          +5.00 %  +4.90 % to +5.09 %  1,000  →  1,050       0 %       0.29 %  a.mjs::slower
    INCONCLUSIVE  +2.13 %  -3.88 % to +3.10 %  1,000  →  1,031       0 %       4.60 %  a.mjs::noisy
        beyond the limit of 2 %, but the perturbations disagree: -3.88 % under `mixed`, +3.10 % under
        `none`
        hint: `tiergate noise --detail ID` shows what moves it
    ok             0.00 %                      400.0  →  400.0       0 %               a.mjs::alike

    limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %

    1 FAIL, 1 INCONCLUSIVE, 1 ok (exit code 1)
    ");
}
