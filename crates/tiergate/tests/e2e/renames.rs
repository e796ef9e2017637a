//! Benches that go by another id in head: none of them is dropped without a word.

use crate::support::{Outcome, Project, Script, scripted};
use serde_json::{Value, json};

/// Measures two scripts, each with its own files on disk, and compares them.
fn compare(base: Script, head: Script, words: &str) -> Outcome {
    let project = Project::new();
    for (name, script) in [("base", base), ("head", head)] {
        let folder = project.path("bench");
        let _ = std::fs::remove_dir_all(folder);
        script.write(&project, "script.json");
        let run = project.tiergate(&format!("run --instrument mock --save {name}.json"));
        run.script("script.json").run().exits(0);
    }
    project.tiergate(&format!("compare base.json head.json --format json {words}")).run()
}

fn parse_and_print(file: &str, parse: f64, print: f64) -> Script {
    Script::steady(file, &[("parse", parse), ("print", print)])
}

fn renames(outcome: &Outcome) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let document = outcome.json();
    let list = document["probable_renames"].as_array().unwrap();
    list.iter().map(|one| (text(&one["from"]), text(&one["to"]))).collect()
}

#[test]
fn nothing_renamed_is_the_control() {
    let side = || parse_and_print("bench/old.bench.mjs", 1e4, 3e4);
    let outcome = compare(side(), side(), "");
    assert_eq!(renames(outcome.exits(0)), []);
    assert!(outcome.verdicts().values().all(|verdict| verdict == "ok"), "{outcome}");
}

#[test]
fn a_renamed_file_is_named_and_not_passed() {
    let base = || parse_and_print("bench/old.bench.mjs", 1e4, 3e4);
    let head = || parse_and_print("bench/new.bench.mjs", 1e4, 3e4);
    let outcome = compare(base(), head(), "");
    let pair = |name: &str| {
        (format!("bench/old.bench.mjs::{name}"), format!("bench/new.bench.mjs::{name}"))
    };
    assert_eq!(renames(outcome.exits(4)), [pair("parse"), pair("print")]);
    let verdicts = outcome.verdicts();
    assert_eq!(verdicts["bench/old.bench.mjs::parse"], "INCOMPLETE");
    assert_eq!(verdicts["bench/new.bench.mjs::parse"], "added");
    assert_eq!(verdicts.len(), 4);
    compare(base(), head(), "--allow-removed").exits(0);
}

#[test]
fn a_deleted_task_is_incomplete_and_the_rest_is_judged() {
    let base = parse_and_print("bench/a.bench.mjs", 1e4, 3e4);
    let head = Script::steady("bench/a.bench.mjs", &[("parse", 1.05e4)]);
    let outcome = compare(base, head, "");
    let verdicts = outcome.exits(4).verdicts();
    assert_eq!(verdicts["bench/a.bench.mjs::print"], "INCOMPLETE");
    assert_eq!(verdicts["bench/a.bench.mjs::parse"], "FAIL");
}

#[test]
fn a_task_renamed_in_its_file_is_probably_the_same() {
    let base = Script::steady("bench/a.bench.mjs", &[("parse short", 1e4), ("print", 3e4)]);
    let head = Script::steady("bench/a.bench.mjs", &[("parse small", 1e4), ("print", 3e4)]);
    let outcome = compare(base, head, "");
    let id = |name: &str| format!("bench/a.bench.mjs::{name}");
    assert_eq!(renames(outcome.exits(4)), [(id("parse short"), id("parse small"))]);
    assert_eq!(outcome.verdicts()[&id("print")], "ok");
}

#[test]
fn swapped_names_are_told() {
    let base = parse_and_print("bench/a.bench.mjs", 1e4, 3e4);
    let head = parse_and_print("bench/a.bench.mjs", 3e4, 1e4);
    let outcome = compare(base, head, "");
    let document = outcome.exits(1).json();
    for row in document["rows"].as_array().unwrap() {
        assert!(row["reason"].as_str().unwrap_or_default().contains("swap"), "{row}");
    }
}

#[test]
fn the_same_name_in_two_groups_is_two_benches() {
    let bench = |group: &str, count: f64| json!({ "groups": [group], "name": "parse", "counts_per_op": [count] });
    let side = |short: f64, long: f64| {
        let benches = [bench("short", short), bench("long", long)];
        Script::new().file("bench/a.bench.mjs", benches)
    };
    let outcome = compare(side(1e4, 3e4), side(1e4, 3.15e4), "");
    let verdicts = outcome.exits(1).verdicts();
    assert_eq!(verdicts["bench/a.bench.mjs::short > parse"], "ok");
    assert_eq!(verdicts["bench/a.bench.mjs::long > parse"], "FAIL");
}

#[test]
fn the_same_name_twice_is_two_benches_and_a_warning() {
    let side = |second: f64| {
        let benches = [scripted("parse", &[1e4]), scripted("parse", &[second])];
        Script::new().file("bench/a.bench.mjs", benches)
    };
    let outcome = compare(side(3e4), side(3.15e4), "");
    let verdicts = outcome.exits(1).verdicts();
    assert_eq!(verdicts["bench/a.bench.mjs::parse"], "ok");
    assert_eq!(verdicts["bench/a.bench.mjs::parse #2"], "FAIL");
}
