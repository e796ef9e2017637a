//! The pages that are tested.

use std::collections::BTreeMap;
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{
    BenchResult, CodeChange, Comparison, Limits, Observed, Pinned, Reading, ResultFile, Twin,
    WallReading,
};
use tiergate_report::{Compared, comparison_html, run_html};
use tiergate_stats::{CompareOptions, compare};

/// The pages by their names.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let (base, head) = sides();
    let mut elsewhere = head.clone();
    elsewhere.fingerprint.engine.version = "26.12.1".to_owned();
    elsewhere.fingerprint.engine.flags.push("--no-sparkplug".to_owned());
    elsewhere.fingerprint.libc = "musl 1.2".to_owned();
    elsewhere.fingerprint.kernel = "6.6.0".to_owned();
    let (many_base, many_head) = many(1000);
    let (odd_base, odd_head) = hostile();
    vec![
        ("comparison", page(&base, &head)),
        ("elsewhere", page(&base, &elsewhere)),
        ("hostile", page(&odd_base, &odd_head)),
        ("large", page(&many_base, &many_head)),
        ("run", run_html(&head, None).unwrap()),
        ("nothing", page(&result_file(vec![]), &result_file(vec![]))),
    ]
}

fn page(base: &ResultFile, head: &ResultFile) -> String {
    let mut comparison = compared(base, head);
    comparison.notes = vec!["base is the merge base of `main` and `HEAD`".to_owned()];
    let compared = Compared { comparison: &comparison, base, head };
    comparison_html(&compared, None).unwrap()
}

fn compared(base: &ResultFile, head: &ResultFile) -> Comparison {
    let options = CompareOptions {
        limits: Limits::default(),
        allow_removed: false,
        base_source: "base.json".to_owned(),
        head_source: "head.json".to_owned(),
    };
    compare(base, head, &options)
}

/// A bench of a real shape: spread, proof, wall-clock rounds.
fn bench(id: &str, count: u64, spread: u64) -> BenchResult {
    let counts = [count, count, count + spread, count, count + spread / 2];
    let mut bench = measured(id, &counts);
    for reading in &mut bench.readings {
        reading.proof.observed = Some(Observed {
            repeated_instructions: count / 1000,
            system_calls: BTreeMap::from([(202, 2), (28, 1)]),
            ..Observed::default()
        });
        reading.proof.twin = Some(twin());
        let held = ["clock", "gate", "random", "seed", "resources"].map(str::to_owned);
        reading.proof.pinned = Some(Pinned { held: held.to_vec(), escaped_turns: 0, lifted: None });
    }
    bench
}

/// The bench with one reading more under each of some perturbations.
fn perturbed(mut bench: BenchResult, counts: &[(&str, u64)]) -> BenchResult {
    let like = bench.readings[1].clone();
    bench.readings.extend(counts.iter().map(|(name, count)| Reading {
        perturbation: name.parse().unwrap(),
        repeat: 1,
        count: *count,
        ..like.clone()
    }));
    bench
}

/// What the twin of every reading tells.
fn twin() -> Twin {
    Twin {
        changes_in_window: Vec::new(),
        last_change_before: Some(change("compiled by TurboFan", 1_350)),
        young_collections: 6,
        full_collections: 0,
        tiers: BTreeMap::from(
            [("parse", "TurboFan"), ("", "Maglev")]
                .map(|(name, tier)| (name.to_owned(), tier.to_owned())),
        ),
        untraced: Vec::new(),
    }
}

fn change(what: &str, after_ops: u64) -> CodeChange {
    CodeChange {
        what: format!("`parse` {what}"),
        function: "parse".to_owned(),
        after_ops,
        until_ops: after_ops + 50,
    }
}

/// The bench with code dropped in its windows.
fn unsettled(mut bench: BenchResult) -> BenchResult {
    for twin in bench.readings.iter_mut().filter_map(|reading| reading.proof.twin.as_mut()) {
        twin.changes_in_window.push(change("deoptimised (wrong map)", 4_400));
    }
    bench
}

fn with_wall(mut bench: BenchResult, rounds: &[f64]) -> BenchResult {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(f64::total_cmp);
    bench.wall = Some(WallReading {
        median_ns_per_op: sorted[sorted.len() / 2],
        min_ns_per_op: sorted[0],
        max_ns_per_op: sorted[sorted.len() - 1],
        rounds_ns_per_op: rounds.to_vec(),
    });
    bench
}

fn with_commit(mut file: ResultFile, commit: &str) -> ResultFile {
    file.commit = Some(commit.to_owned());
    file
}

fn sides() -> (ResultFile, ResultFile) {
    let base = vec![
        with_wall(
            bench("bench/text.bench.mjs::count words", 171_978_000, 0),
            &[52_100.0, 55_300.0, 50_900.0, 61_200.0, 52_800.0],
        ),
        bench("bench/text.bench.mjs::csv > parse (rows=100)", 388_801_000, 3_100),
        perturbed(
            bench("bench/text.bench.mjs::slug > plain", 6_320_000, 0),
            &[("mixed", 6_331_000), ("mixed-2", 6_302_000), ("hash-seed", 6_350_000)],
        ),
        bench("bench/text.bench.mjs::slug > accents", 18_410_000, 0),
        bench("bench/text.bench.mjs::template > render", 8_334_000, 40_000),
        unsettled(bench(
            "bench/json.bench.ts::stringify > deep object with a rather long name",
            91_000_000,
            0,
        )),
        bench("bench/json.bench.ts::parse > short", 1_234_500, 0),
        skipped("bench/json.bench.ts::later", "marked `skip`"),
        bench("bench/old.bench.mjs::moved", 42_000_000, 0),
    ];
    let head = vec![
        with_wall(
            bench("bench/text.bench.mjs::count words", 179_931_000, 17_000),
            &[54_900.0, 57_000.0, 53_100.0, 70_000.0, 55_200.0],
        ),
        bench("bench/text.bench.mjs::csv > parse (rows=100)", 388_812_000, 2_900),
        perturbed(
            bench("bench/text.bench.mjs::slug > plain", 6_412_000, 0),
            &[("mixed", 6_420_000), ("mixed-2", 6_398_000), ("hash-seed", 6_437_000)],
        ),
        bench("bench/text.bench.mjs::slug > accents", 17_900_000, 0),
        bench("bench/text.bench.mjs::template > render", 8_334_000, 0),
        incomplete(
            "bench/json.bench.ts::stringify > deep object with a rather long name",
            "TypeError: Cannot read properties of undefined (reading 'depth')\n    at visit (bench/json.bench.ts:31:14)",
        ),
        bench("bench/json.bench.ts::parse > short", 1_234_500, 0),
        skipped("bench/json.bench.ts::later", "marked `skip`"),
        bench("bench/new.bench.mjs::moved", 42_100_000, 0),
    ];
    (
        with_commit(result_file(base), "c72608cdfeff2b0a7d6f2f2e9f1c3c0a1b2c3d4e"),
        with_commit(result_file(head), "66b31280a6e9b6d4c1e2f3a4b5c6d7e8f9a0b1c2-dirty"),
    )
}

fn many(benches: usize) -> (ResultFile, ResultFile) {
    let side = |slower: usize| {
        let benches = (0..benches).map(|index| {
            let count = 1_000_000 + 977 * (index as u64 * 7919 % 10_000);
            let id = format!("packages/p{}/some.bench.mjs::group > case {index}", index % 40);
            bench(&id, if index < slower { count * 21 / 20 } else { count }, index as u64 % 7)
        });
        result_file(benches.collect())
    };
    (side(0), side(25))
}

/// Names that would like to be something else.
fn hostile() -> (ResultFile, ResultFile) {
    let names = [
        "a.mjs::</script><script>window.pwned = 1</script>",
        "a.mjs::<img src=x onerror=\"window.pwned = 2\">",
        "a.mjs::\" autofocus onfocus=\"window.pwned = 3",
        "a.mjs::\u{2028}\u{202e}reversed\u{0}\u{1b}[31m",
        "a.mjs::{{constructor}} ${1} &amp; 'x'",
    ];
    let side = |count: u64| names.iter().map(move |name| bench(name, count, 0));
    let mut base = result_file(side(100_000).collect());
    let reason = "Error: </td></tr></table><script>window.pwned = 4</script>\nsecond line";
    let mut benches: Vec<BenchResult> = side(110_000).take(4).collect();
    benches.push(incomplete(names[4], reason));
    let mut head = result_file(benches);
    head.commit = Some("<b>0123</b>".to_owned());
    for file in [&mut base, &mut head] {
        file.fingerprint.engine.flags = vec!["--<script>window.pwned = 5</script>".to_owned()];
    }
    (base, head)
}
