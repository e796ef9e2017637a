//! `tiergate prove --thresholds`, `--diff-profiles` and `--functions`, with real engines.

use crate::support::Project;

/// A small loop, called by a function that engines optimise late by themselves.
const LATE_WRAPPER: &str = "
const small = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum & 0xff; };
let calls = 0;
const wrapper = () => small(20 + (calls++ & 3));
bench('wrapped', () => wrapper());
";

#[test]
fn lowered_thresholds_count_what_the_engines_own_do() {
    for engine in ["node@20", "node@22", "node@24", "node@26", "bun", "deno"] {
        let project = Project::with_benches(LATE_WRAPPER);
        let words = format!("prove a.bench.mjs --thresholds --format json --engine {engine}");
        let shown = project.tiergate(&words).run();
        shown.exits(0);
        let effects = shown.json();
        let [effect] = effects.as_array().unwrap().as_slice() else { panic!("{effects}") };
        let figure = |side: &str, name: &str| effect[side][name].as_f64().unwrap();
        let change = figure("lowered", "per_op") / figure("own", "per_op") - 1.0;
        assert!(change.abs() <= 0.005, "{engine}: {effect}");
        assert!(figure("own", "warmup_ops") >= 200_000.0, "{engine}: {effect}");
        assert!(figure("lowered", "warmup_ops") < 100_000.0, "{engine}: {effect}");
    }
}

#[test]
fn a_profile_without_thresholds_has_none_to_compare() {
    let project = Project::with_benches(LATE_WRAPPER);
    let words = "prove a.bench.mjs --thresholds --profile default --engine node@24";
    let shown = project.tiergate(words).run();
    shown.exits(64);
    shown.says("nothing is lowered");
}

#[test]
fn functions_that_differ_between_equal_runs_are_named() {
    let clock = "bench('clock', () => String(process.hrtime()[1]).length);";
    let project = Project::with_benches(&format!("{LATE_WRAPPER}{clock}"));
    let prove = |words: &str| {
        project
            .tiergate(&format!("prove --diff-profiles --engine node@24 --repeats 3 {words}"))
            .run()
    };
    let equal = prove("a.bench.mjs::wrapped");
    equal.exits(0);
    equal.prints("no function differs");
    let differs = prove("a.bench.mjs::clock --engine-arg no-pin:clock");
    differs.exits(3);
    differs.prints("difference ");
    differs.prints("(node)");
}

/// An op whose one call of the engine's own code can't be compiled away.
const MAP: &str = "
const map = new Map();
let calls = 0;
bench('map', () => { map.set(calls & 63, calls); calls++; return map.size; });
";

#[test]
fn an_op_is_shown_by_functions_transfers_and_entries() {
    let project = Project::with_benches(MAP);
    let words = "prove a.bench.mjs --functions --engine node@24 --repeats 3 \
                 --entries Builtins_MapPrototypeSet --entries no_such_symbol";
    let shown = project.tiergate(&format!("{words} --format json")).run();
    shown.exits(0);
    let all = shown.json();
    let [found] = all.as_array().unwrap().as_slice() else { panic!("{all}") };
    let figure = |value: &serde_json::Value| value.as_u64().unwrap();
    let ops = figure(&found["window_ops"]);
    assert_eq!(figure(&found["entries"][0]["count"]), ops, "{found}");
    assert!(found["entries"][1]["count"].is_null());

    let rows = |name: &str| found[name].as_array().unwrap().clone();
    let to_set = rows("transfers")
        .iter()
        .find(|row| row["name"] == "Builtins_MapPrototypeSet")
        .map(|row| figure(&row["count"]));
    assert_eq!(to_set, Some(ops), "{found}");
    let sum: u64 = rows("functions").iter().map(|row| figure(&row["count"])).sum();
    assert_eq!(sum, figure(&found["instructions"]), "the functions add up");
    let generated = figure(&found["generated_instructions"]);
    assert!(0 < generated && generated < sum, "{found}");

    let shown = project.tiergate(words).run();
    shown.prints("from generated code/op");
    shown.prints("no such symbol  no_such_symbol");
    project.tiergate("prove a.bench.mjs --entries main").run().exits(64);
}
