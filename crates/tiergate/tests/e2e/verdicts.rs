//! Scripted counts of two sides, and what is made of them.

use crate::support::{Outcome, Project, Script, scripted};
use serde_json::{Value, json};

const FILE: &str = "a.bench.mjs";
const ID: &str = "a.bench.mjs::work";

/// Measures two scripts into `base.json` and `head.json`, and compares them.
fn compare(base: Script, head: Script, words: &str) -> Outcome {
    let project = Project::new();
    for (name, script) in [("base", base), ("head", head)] {
        script.write(&project, "script.json");
        let run = project.tiergate(&format!("run --instrument mock --save {name}.json"));
        let run = run.script("script.json").run();
        assert!(matches!(run.code, Some(0 | 4)), "{run}");
    }
    project.tiergate(&format!("compare base.json head.json --format json {words}")).run()
}

fn steady(count: f64) -> Script {
    Script::steady(FILE, &[("work", count)])
}

fn one(bench: Value) -> Script {
    Script::new().file(FILE, [bench])
}

#[track_caller]
fn judged(base: Script, head: Script, words: &str, verdict: &str, code: i32) -> Value {
    let outcome = compare(base, head, words);
    assert_eq!(outcome.verdicts()[ID], verdict, "{outcome}");
    let document = outcome.exits(code).json();
    assert_eq!(document["exit_code"], code, "{outcome}");
    document["rows"][0].clone()
}

#[test]
fn a_change_is_judged_by_its_size() {
    for (head, verdict, code) in [
        (10_500.0, "FAIL", 1),
        (10_150.0, "warn", 0),
        (10_050.0, "ok", 0),
        (10_000.0, "ok", 0),
        (9_850.0, "ok", 0),
        (9_500.0, "improved", 0),
    ] {
        let row = judged(steady(10_000.0), steady(head), "", verdict, code);
        let change = row["change"].as_f64().unwrap();
        assert!((change - (head / 10_000.0 - 1.0)).abs() < 1e-6, "{change} for {head}");
    }
}

#[test]
fn limits_are_taken_from_the_command_line() {
    let raised = "--fail 6% --warn 5.5%";
    judged(steady(10_000.0), steady(10_500.0), raised, "ok", 0);
    judged(steady(10_000.0), steady(10_500.0), "--fail 6%", "warn", 0);
    judged(steady(10_000.0), steady(10_050.0), "--fail 0.2% --warn 0.1%", "FAIL", 1);
    judged(steady(10_000.0), steady(9_500.0), "--improved 6%", "ok", 0);
}

#[test]
fn limits_are_taken_from_the_configuration() {
    let project = Project::new();
    for (name, count) in [("base", 10_000.0), ("head", 10_500.0)] {
        steady(count).write(&project, "script.json");
        let run = project.tiergate(&format!("run --instrument mock --save {name}.json"));
        run.script("script.json").run().exits(0);
    }
    project.tiergate("compare base.json head.json").run().exits(1);
    project.file("tiergate.toml", "[limits]\nfail = \"6%\"\nwarn = \"5.5%\"\n");
    project.tiergate("compare base.json head.json").run().exits(0);
    project.tiergate("compare base.json head.json --fail 2% --warn 1%").run().exits(1);
}

#[test]
fn a_bench_can_have_limits_of_its_own() {
    let project = Project::new();
    for (name, count) in [("base", 10_000.0), ("head", 10_500.0)] {
        let script = Script::steady(FILE, &[("work", count), ("other", count)]);
        script.write(&project, "script.json");
        let run = project.tiergate(&format!("run --instrument mock --save {name}.json"));
        run.script("script.json").run().exits(0);
    }
    let compare = |settings: &str, code: i32| {
        project.file("tiergate.toml", settings);
        let outcome = project.tiergate("compare base.json head.json --format json").run();
        let mut verdicts = outcome.exits(code).verdicts();
        let work = verdicts.remove(ID).unwrap();
        (work, verdicts.into_values().next().unwrap())
    };
    let both = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    let own = "[bench.\"*::work\"]\n";
    assert_eq!(compare(&format!("{own}fail = \"6%\"\n"), 1), both("warn", "FAIL"));
    assert_eq!(
        compare(&format!("[limits]\nfail = \"9%\"\nwarn = \"8%\"\n{own}fail = \"3%\"\n"), 1),
        both("FAIL", "ok")
    );
    let hard =
        |most: u32| format!("[limits]\nfail = \"9%\"\nwarn = \"8%\"\n{own}most_per_op = {most}\n");
    assert_eq!(compare(&hard(10_499), 1), both("FAIL", "ok"));
    assert_eq!(compare(&hard(10_501), 0), both("ok", "ok"));
    project.file("tiergate.toml", format!("{own}fail = \"1%\"\nwarn = \"2%\"\n"));
    project.tiergate("compare base.json head.json").run().refuses(64, "limit for warnings");
    project.file("tiergate.toml", format!("{own}fails = \"1%\"\n"));
    project.tiergate("compare base.json head.json").run().refuses(64, "fails");
}

#[test]
fn a_wide_spread_is_inconclusive_whatever_the_change() {
    let wide = [10_000.0, 10_000.0, 10_100.0, 10_000.0, 10_000.0];
    for head in [9_000.0, 10_000.0, 10_500.0] {
        let head = wide.map(|count| count / 10_000.0 * head);
        let head = one(scripted("work", &head));
        let row = judged(steady(10_000.0), head, "", "INCONCLUSIVE", 3);
        assert!(row["reason"].as_str().unwrap().contains("spread"), "{row}");
        assert!(row["hint"].is_string(), "{row}");
    }
    let head = one(scripted("work", &wide));
    judged(steady(10_000.0), head, "--aa-spread 2%", "ok", 0);
    let base = one(scripted("work", &wide));
    judged(base, steady(10_000.0), "", "INCONCLUSIVE", 3);
}

#[test]
fn a_side_that_was_not_measured_is_incomplete() {
    let throwing = || one(json!({ "name": "work", "throws": "boom" }));
    for (base, head) in [
        (steady(10_000.0), throwing()),
        (throwing(), steady(10_000.0)),
        (throwing(), throwing()),
        (steady(10_000.0), one(json!({ "name": "work" }))),
    ] {
        let row = judged(base, head, "", "INCOMPLETE", 4);
        assert!(!row["reason"].as_str().unwrap().is_empty(), "{row}");
    }
    let row = judged(steady(10_000.0), throwing(), "", "INCOMPLETE", 4);
    assert!(row["reason"].as_str().unwrap().contains("boom"), "{row}");
}

#[test]
fn a_bench_that_throws_does_not_hide_the_others() {
    let side = |count| {
        let throwing = json!({ "name": "throws", "throws": "boom" });
        Script::new().file(FILE, [throwing, scripted("work", &[count])])
    };
    let outcome = compare(side(10_000.0), side(10_500.0), "");
    let verdicts = outcome.exits(4).verdicts();
    assert_eq!(verdicts[ID], "FAIL");
    assert_eq!(verdicts["a.bench.mjs::throws"], "INCOMPLETE");
}

#[test]
fn a_skipped_bench_passes_only_where_both_sides_skip_it_and_others_are_judged() {
    let skipped = || json!({ "name": "work", "skipped": true });
    let beside = |bench| Script::new().file(FILE, [bench, scripted("other", &[1e4])]);
    let outcome = compare(beside(skipped()), beside(skipped()), "");
    assert_eq!(outcome.exits(0).verdicts()[ID], "skipped");
    let outcome = compare(beside(scripted("work", &[1e4])), beside(skipped()), "");
    assert_eq!(outcome.exits(4).verdicts()[ID], "INCOMPLETE");
    // A comparison that judges nothing shows nothing.
    judged(one(skipped()), one(skipped()), "", "skipped", 4);
}

#[test]
fn the_worst_verdict_decides_and_comes_first() {
    let bench = scripted;
    let base = [bench("ok", &[1e4]), bench("slow", &[1e4]), bench("wide", &[1e4])];
    let head = [bench("ok", &[1e4]), bench("slow", &[1.05e4]), bench("wide", &[1e4, 1.1e4, 1e4])];
    let sides = |more: &[Value]| {
        let [base, head] = [&base, &head].map(|side| side.iter().chain(more).cloned());
        (Script::new().file(FILE, base), Script::new().file(FILE, head))
    };
    let (base, head) = sides(&[]);
    let outcome = compare(base, head, "");
    let document = outcome.exits(1).json();
    let order: Vec<&str> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["FAIL", "INCONCLUSIVE", "ok"]);

    let (base, head) = sides(&[json!({ "name": "throws", "throws": "boom" })]);
    compare(base, head, "").exits(4);
}

#[test]
fn other_engines_are_not_compared() {
    let outcome = compare(steady(10_000.0), steady(10_500.0).engine_version("24.0.1"), "");
    let document = outcome.exits(2).json();
    assert_eq!(document["rows"], json!([]));
    let difference = &document["differences"][0];
    let shown = difference.to_string();
    assert!(shown.contains("24.0.0") && shown.contains("24.0.1"), "{outcome}");
}

#[test]
fn a_new_bench_is_added_and_a_missing_one_incomplete_unless_allowed() {
    let both = || Script::steady(FILE, &[("work", 1e4), ("other", 5e4)]);
    let outcome = compare(steady(1e4), both(), "");
    assert_eq!(outcome.exits(0).verdicts()["a.bench.mjs::other"], "added");

    let outcome = compare(both(), steady(1e4), "");
    assert_eq!(outcome.exits(4).verdicts()["a.bench.mjs::other"], "INCOMPLETE");
    let outcome = compare(both(), steady(1e4), "--allow-removed");
    assert_eq!(outcome.exits(0).verdicts()["a.bench.mjs::other"], "removed");
}

#[test]
fn a_new_bench_that_can_not_be_measured_is_incomplete() {
    let head = [scripted("work", &[1e4]), json!({ "name": "new", "throws": "boom" })];
    let outcome = compare(steady(1e4), Script::new().file(FILE, head), "");
    assert_eq!(outcome.exits(4).verdicts()["a.bench.mjs::new"], "INCOMPLETE");
}
