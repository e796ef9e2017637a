//! Runs and lists on a terminal, and the list's JSON.

use crate::support::{bench, perturbed};
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{
    BenchId, DiscoveredBench, InstrumentKind, OpBudget, ResultFile, WallReading, WindowShape,
};
use tiergate_report::{ListedBench, Style, list_json, list_markdown, list_text, run_text};

fn plain(result: &ResultFile) -> String {
    run_text(result, &Style::plain(90))
}

fn run() -> ResultFile {
    let mut with_wall = measured("bench/a.mjs::parse > short", &[1_234_500, 1_234_510, 1_234_505]);
    with_wall.wall = Some(WallReading {
        median_ns_per_op: 312.4,
        min_ns_per_op: 300.0,
        max_ns_per_op: 1330.5,
        rounds_ns_per_op: vec![300.0, 312.4, 1330.5],
    });
    result_file(vec![
        with_wall,
        incomplete("bench/b.mjs::throws", "TypeError: x is not a function\n    at b.mjs:3:1"),
        measured("bench/a.mjs::tiny", &[45, 45, 45]),
        skipped("bench/b.mjs::later", "marked `skip`"),
    ])
}

#[test]
fn benches_stand_below_their_files() {
    insta::assert_snapshot!(plain(&run()), @"
    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0
    flags: --single-threaded --hash-seed=1

    bench                 Ir/op      A/A  warm-up  window  readings              wall ns/op
    bench/a.mjs
      parse > short       1,235  0.001 %    4,000   1,000         3  312.4 (300.0 to 1,330)
      tiny               0.0450      0 %    4,000   1,000         3
    bench/b.mjs
      throws         INCOMPLETE
          TypeError: x is not a function
          at b.mjs:3:1
      later             skipped
          marked `skip`

    1 INCOMPLETE, 2 measured, 1 skipped
    ");
}

#[test]
fn an_empty_run_says_so() {
    insta::assert_snapshot!(plain(&result_file(vec![])), @"
    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0
    flags: --single-threaded --hash-seed=1

    no benches
    ");
}

#[test]
fn clocks_have_their_own_unit_and_a_container_is_told_of() {
    let mut result = result_file(vec![measured("a.mjs::a", &[120_000, 130_000, 125_000])]);
    result.fingerprint.instrument.name = InstrumentKind::Wall;
    result.fingerprint.instrument.version = "1".to_owned();
    result.fingerprint.address_randomisation_off = false;
    result.fingerprint.engine.flags.clear();
    insta::assert_snapshot!(plain(&result), @"
    node 24.22.1 (v8 13.6.233.17-node.41), wall 1
    clocks and threads are real: nothing is held constant but by flags
    address-space randomisation is on: this system refuses to switch it off

    bench  ns/op     A/A  warm-up  window  readings
    a.mjs
      a    125.0  8.00 %    4,000   1,000         3

    1 measured
    ");
}

#[test]
fn long_and_strange_names_keep_the_columns() {
    let long = format!("a.mjs::{} > end", "group > ".repeat(20));
    let result = result_file(vec![
        measured(&long, &[100_000; 3]),
        measured("a.mjs::日本語", &[100_000; 3]),
        measured("a.mjs::\u{1b}]0;title\u{7}", &[100_000; 3]),
        measured("no file in this id", &[100_000; 3]),
    ]);
    insta::assert_snapshot!(plain(&result), @r"
    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0
    flags: --single-threaded --hash-seed=1

    bench                                                Ir/op  A/A  warm-up  window  readings
    a.mjs
      group > group …p > group > group > group >  > end  100.0  0 %    4,000   1,000         3
      日本語                                             100.0  0 %    4,000   1,000         3
      \u{1b}]0;title\u{7}                                100.0  0 %    4,000   1,000         3
    no file in this id
      no file in this id                                 100.0  0 %    4,000   1,000         3

    4 measured
    ");
}

fn listed() -> Vec<ListedBench> {
    let bench = |name: &str, skipped| DiscoveredBench {
        id: BenchId::new("bench/a.mjs", &[name], 1),
        framework: "tinybench".to_owned(),
        framework_version: "6.2.5".to_owned(),
        window: WindowShape::Span,
        batch_ops: 1,
        divisible: true,
        skipped,
        conditions: std::collections::BTreeMap::new(),
    };
    vec![
        ListedBench {
            bench: bench("parse | `short`", false),
            budget: Some(OpBudget { warmup_ops: 70_000, window_ops: 1500 }),
            seconds: Some(2.04),
        },
        ListedBench { bench: bench("new", false), budget: None, seconds: None },
        ListedBench { bench: bench("later", true), budget: None, seconds: None },
    ]
}

#[test]
fn lists_show_what_the_lock_knows() {
    insta::assert_snapshot!(list_text(&listed(), &Style::plain(80)), @"
    bench                         framework        warm-up  window  recorded
    bench/a.mjs::parse | `short`  tinybench 6.2.5   70,000   1,500     2.0 s
    bench/a.mjs::new              tinybench 6.2.5        -       -         -
    bench/a.mjs::later            tinybench 6.2.5  skipped

    3 benches, 1 skipped
    ");
    insta::assert_snapshot!(list_text(&[], &Style::plain(80)), @"no benches");
    insta::assert_snapshot!(list_markdown(&listed()), @r"
    | bench | framework | warm-up | window | recorded |
    |---|---|--:|--:|--:|
    | `` bench/a.mjs::parse \| `short` `` | tinybench 6.2.5 | 70,000 | 1,500 | 2.0 s |
    | `bench/a.mjs::new` | tinybench 6.2.5 | - | - | - |
    | `bench/a.mjs::later` | tinybench 6.2.5 | skipped |  |  |
    ");
    insta::assert_snapshot!(list_json(&listed()[..1]).unwrap(), @r#"
    {
      "schema_version": 1,
      "benches": [
        {
          "bench": {
            "id": "bench/a.mjs::parse | `short`",
            "framework": "tinybench",
            "framework_version": "6.2.5",
            "window": "span",
            "batch_ops": 1,
            "divisible": true,
            "skipped": false
          },
          "budget": {
            "warmup_ops": 70000,
            "window_ops": 1500
          },
          "seconds": 2.04
        }
      ]
    }
    "#);
}

#[test]
fn perturbed_readings_show_the_noise_floor_and_what_moves_the_bench() {
    let noisy = perturbed(
        bench("a.mjs::noisy", 1_000_000),
        &[("mixed", 1_031_000), ("hash-seed", 971_000), ("heap-phase", 1_012_000)],
    );
    let steady = perturbed(bench("a.mjs::steady", 1_000_000), &[("mixed", 1_000_000)]);
    let file = result_file(vec![noisy, steady]);
    insta::assert_snapshot!(run_text(&file, &Style::plain(100)), @r"
    node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0
    flags: --single-threaded --hash-seed=1

    bench     Ir/op  A/A  noise floor  most by            warm-up  window  readings
    a.mjs
      noisy   1,000  0 %       5.96 %  hash-seed -2.90 %    4,000   1,000         8
      steady  1,000  0 %          0 %                       4,000   1,000         6

    2 measured
    ");
}
