//! Markdown and JSON.

use crate::support::{bench, compared, compared_files, every_verdict, paired};
use tiergate_model::BenchResult;
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_report::{SuiteName, comparison_json, comparison_markdown, marker, run_markdown};

/// GitHub's limit for a comment.
const LIMIT: usize = 65_536;

#[test]
fn a_comparison_folds_what_asks_for_nothing() {
    insta::assert_snapshot!(comparison_markdown(&every_verdict(), None), @"
    <!-- tiergate -->
    ### tiergate: 1 FAIL, 2 INCOMPLETE, 1 INCONCLUSIVE, 1 warn, 1 improved, 1 added, 1 ok, 1 skipped (exit code 4)

    base: base.json, node 24.22.1, callgrind  
    head: head.json, node 24.22.1, callgrind

    | verdict | bench | change | base Ir/op | head Ir/op | A/A |
    |---|---|--:|--:|--:|--:|
    | **FAIL** | `bench/a.mjs::parse > short` | +5.02 % | 1,234 | 1,296 | 0 % |
    | **INCOMPLETE** | `bench/a.mjs::throws`<br>head: TypeError: x is not a function at a.mjs:3:1 | - | 700.0 | - | 0 % |
    | **INCOMPLETE** | `bench/old.mjs::moved`<br>removed, or renamed to `bench/new.mjs::moved`<br>hint: if that is meant, allow it with `--allow-removed` | - | 42.00 | - | 0 % |
    | **INCONCLUSIVE** | `bench/a.mjs::noisy`<br>the A/A spread of base is 0.699 %, above the limit of 0.4 %<br>hint: equal processes did unequal work: look for clocks, randomness, I/O or threads in the op | -0.10 % | 100.1 | 100.0 | 0.70 % |
    | warn | `bench/a.mjs::parse > long` | +1.43 % | 81,235 | 82,400 | 0 % |
    | improved | `bench/a.mjs::faster` | -50.00 % | 300.0 | 150.0 | 0 % |

    <details><summary>1 added, 1 ok, 1 skipped</summary>

    | verdict | bench | change | base Ir/op | head Ir/op | A/A |
    |---|---|--:|--:|--:|--:|
    | added | `bench/new.mjs::moved`<br>only head has it, or renamed from `bench/old.mjs::moved` | - | - | 42.10 | 0 % |
    | ok | `bench/a.mjs::steady` | 0.00 % | 50.00 | 50.00 | 0.002 % |
    | skipped | `bench/a.mjs::later`<br>marked `skip` | - | - | - | - |

    </details>

    Probably renamed:

    - `bench/old.mjs::moved` → `bench/new.mjs::moved` (same name in another file, same count under the same plan)

    Limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %
    ");
}

#[test]
fn nothing_and_another_environment_have_no_rows() {
    insta::assert_snapshot!(comparison_markdown(&compared(vec![], vec![]), None), @"
    <!-- tiergate -->
    ### tiergate: nothing was compared (exit code 4)

    base: base.json, node 24.22.1, callgrind  
    head: head.json, node 24.22.1, callgrind

    Limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %
    ");
    let base = result_file(vec![bench("a.mjs::a", 100_000)]);
    let mut head = base.clone();
    head.fingerprint.libc = "musl | 1.2".to_owned();
    insta::assert_snapshot!(comparison_markdown(&compared_files(&base, &head), None), @r"
    <!-- tiergate -->
    ### tiergate: not comparable (exit code 2)

    base: base.json, node 24.22.1, callgrind  
    head: head.json, node 24.22.1, callgrind

    **environment differs: base and head can't be compared**

    | differs | base | head |
    |---|---|---|
    | `libc` | `glibc 2.36` | `musl \| 1.2` |

    hint: measure base and head on one machine with the same engine, flags and tiergate
    ");
}

#[test]
fn names_and_reasons_can_t_break_out() {
    let id = "a.mjs::x | `y` <!-- z --> \u{1b}[1m";
    let reason = "Error: | <img src=x> @someone #1 [a](b)\n| --- | `open";
    let comparison = compared(vec![bench(id, 100_000)], vec![incomplete(id, reason)]);
    insta::assert_snapshot!(comparison_markdown(&comparison, None), @r"
    <!-- tiergate -->
    ### tiergate: 1 INCOMPLETE (exit code 4)

    base: base.json, node 24.22.1, callgrind  
    head: head.json, node 24.22.1, callgrind

    | verdict | bench | change | base Ir/op | head Ir/op | A/A |
    |---|---|--:|--:|--:|--:|
    | **INCOMPLETE** | ``a.mjs::x \| `y` <!-- z --> \u{1b}[1m``<br>head: Error: \| &lt;img src=x&gt; @<!-- -->someone #<!-- -->1 \[a\](b) \| --- \| \`open | - | 100.0 | - | 0 % |

    Limits: FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %
    ");
}

#[test]
fn suites_have_markers_of_their_own() {
    let suite: SuiteName = "packages/core".parse().unwrap();
    let text = comparison_markdown(&compared(vec![], vec![]), Some(&suite));
    let opening: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(
        opening,
        [
            "<!-- tiergate packages/core -->",
            "### tiergate `packages/core`: nothing was compared (exit code 4)"
        ]
    );
    let run = run_markdown(&result_file(vec![]), Some(&suite));
    assert!(run.starts_with(&marker(Some(&suite))) && !run.contains(&marker(None)), "{run}");
}

#[test]
fn a_run_has_a_table() {
    let result = result_file(vec![
        measured("bench/a.mjs::parse", &[1_234_500, 1_234_510, 1_234_505]),
        skipped("bench/a.mjs::later", "marked `skip`"),
        incomplete("bench/b.mjs::throws", "TypeError: x is not a function"),
        BenchResult {
            reason: Some("`parse` compiled in the window".to_owned()),
            ..measured("bench/b.mjs::drifts", &[500_000; 5])
        },
    ]);
    insta::assert_snapshot!(run_markdown(&result, None), @"
    <!-- tiergate -->
    ### tiergate: 1 INCOMPLETE, 1 INCONCLUSIVE, 1 measured, 1 skipped

    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0

    flags: `--single-threaded --hash-seed=1`

    | bench | Ir/op | A/A | warm-up | window | readings |
    |---|--:|--:|--:|--:|--:|
    | `bench/b.mjs::throws`<br>TypeError: x is not a function | **INCOMPLETE** | | | | |
    | `bench/b.mjs::drifts`<br>**INCONCLUSIVE**: `parse` compiled in the window | 500.0 | 0 % | 4,000 | 1,000 | 5 |
    | `bench/a.mjs::parse` | 1,235 | 0.001 % | 4,000 | 1,000 | 3 |
    | `bench/a.mjs::later`<br>marked `skip` | skipped | | | | |
    ");
    insta::assert_snapshot!(run_markdown(&result_file(vec![]), None), @"
    <!-- tiergate -->
    ### tiergate: no benches

    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0

    flags: `--single-threaded --hash-seed=1`
    ");
}

#[test]
fn ok_rows_are_left_out_first() {
    let name = |index: usize| format!("packages/core/bench/some.bench.mjs::group > case {index}");
    let side = |slower: usize, count: u64| {
        (0..1500)
            .map(|index| bench(&name(index), if index < slower { count } else { 100_000 }))
            .collect::<Vec<_>>()
    };
    let few = comparison_markdown(&compared(side(3, 100_000), side(3, 110_000)), None);
    assert!(few.len() < LIMIT, "{}", few.len());
    assert!(few.starts_with(&marker(None)));
    assert_eq!(few.matches("**FAIL**").count(), 3);
    assert!(few.contains("<summary>1497 ok</summary>"));
    let kept = few.matches("| ok |").count();
    assert!(kept > 400, "{kept}");
    assert!(few.contains(&format!("{} rows left out to keep this short", 1497 - kept)));

    let many = comparison_markdown(&compared(side(1400, 100_000), side(1400, 110_000)), None);
    assert!(many.len() < LIMIT, "{}", many.len());
    let kept = many.matches("**FAIL**").count();
    assert!(many.contains(&format!("\n{} rows left out to keep this short", 1400 - kept)));
    assert!(many.contains("\n100 rows left out"));
    assert_eq!(many.matches("| ok |").count(), 0);
}

#[test]
fn the_largest_texts_stay_below_the_limit() {
    let long = |index: usize| format!("a.mjs::{index} {}", "|`日".repeat(200));
    let side = |count: u64| (0..200).map(|index| bench(&long(index), count)).collect::<Vec<_>>();
    let head = (0..200).map(|index| incomplete(&long(index + 100), &"@x\n".repeat(200)));
    let text = comparison_markdown(&compared(side(100_000), head.collect()), None);
    assert!(text.len() < LIMIT, "{}", text.len());
    let mut base = result_file(side(100_000));
    let run = run_markdown(&base, None);
    assert!(run.len() < LIMIT, "{}", run.len());
    let head = base.clone();
    base.fingerprint.engine.flags = vec!["--flag".repeat(20_000)];
    let text = comparison_markdown(&compared_files(&base, &head), None);
    assert!(text.len() < LIMIT, "{}", text.len());
}

#[test]
fn json_has_version_exit_code_and_summary_first() {
    let one = |count| vec![bench("a.mjs::a", count)];
    insta::assert_snapshot!(comparison_json(&compared(one(100_000), one(105_000))).unwrap(), @r#"
    {
      "schema_version": 1,
      "exit_code": 1,
      "summary": {
        "fail": 1,
        "incomplete": 0,
        "inconclusive": 0,
        "warn": 0,
        "accepted": 0,
        "improved": 0,
        "ok": 0,
        "added": 0,
        "removed": 0,
        "skipped": 0
      },
      "base": {
        "source": "base.json",
        "commit": null,
        "engine": "node 24.22.1",
        "instrument": "callgrind"
      },
      "head": {
        "source": "head.json",
        "commit": null,
        "engine": "node 24.22.1",
        "instrument": "callgrind"
      },
      "unit": "instructions",
      "limits": {
        "fail": 0.02,
        "warn": 0.01,
        "improved": 0.02,
        "aa_spread": 0.004
      },
      "differences": [],
      "rows": [
        {
          "id": "a.mjs::a",
          "verdict": "FAIL",
          "reason": null,
          "base_per_op": 100.0,
          "head_per_op": 105.0,
          "change": 0.050000000000000044,
          "base_spread": 0.0,
          "head_spread": 0.0,
          "adjusted_p": null
        }
      ],
      "probable_renames": []
    }
    "#);
    let mut odd = compared(one(100_000), one(100_000));
    odd.rows[0].change = Some(f64::NAN);
    assert!(comparison_json(&odd).unwrap().contains("\"change\": null"));
}

#[test]
fn pairs_show_their_range_and_the_noise_floor() {
    let text = comparison_markdown(&paired(), None);
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    | verdict | bench | change | base Ir/op | head Ir/op | A/A | range | noise floor |
    |---|---|--:|--:|--:|--:|---|--:|
    | **FAIL** | `a.mjs::slower` | +5.00 % | 1,000 | 1,050 | 0 % | +4.90 % to +5.09 % | 0.29 % |
    | **INCONCLUSIVE** | `a.mjs::noisy`<br>beyond the limit of 2 %, but the perturbations disagree: -3.88 % under `mixed`, +3.10 % under `none`<br>hint: `tiergate noise --detail ID` shows what moves it | +2.13 % | 1,000 | 1,031 | 0 % | -3.88 % to +3.10 % | 4.60 % |
    | verdict | bench | change | base Ir/op | head Ir/op | A/A | range | noise floor |
    |---|---|--:|--:|--:|--:|---|--:|
    | ok | `a.mjs::alike` | 0.00 % | 400.0 | 400.0 | 0 % |  |  |
    ");
}
