//! Result files, baselines and the lock: written whole, trusted only when sound.

use crate::support::{Project, Script, bench_of};
use serde_json::Value;
use std::fs;
use tiergate_model::BenchStatus;

const FILE: &str = "a.bench.mjs";

/// A project with a script of one bench that costs so much.
fn project(count: f64) -> Project {
    let project = Project::new();
    rescript(&project, count);
    project
}

fn rescript(project: &Project, count: f64) {
    Script::steady(FILE, &[("work", count)]).write(project, "script.json");
}

#[track_caller]
fn run(project: &Project, words: &str, code: i32) -> crate::support::Outcome {
    let outcome = project.tiergate("run --instrument mock").words(words).script("script.json");
    let outcome = outcome.run();
    outcome.exits(code);
    outcome
}

#[test]
fn a_run_is_saved_and_compared_with_an_older_one() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    rescript(&project, 1.05e4);
    run(&project, "--save head.json --compare base.json", 1);
    let head = project.result("head.json");
    assert_eq!(bench_of(&head, "work").instructions_per_op, Some(1.05e4));
    assert_eq!(bench_of(&head, "work").readings.len(), 5);
    rescript(&project, 1e4);
    run(&project, "--save head.json --compare base.json", 0);
}

#[test]
fn a_run_that_is_compared_prints_one_document() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    rescript(&project, 1.05e4);
    let outcome = run(&project, "--compare base.json --format json", 1);
    assert_eq!(outcome.verdicts()["a.bench.mjs::work"], "FAIL");
}

#[test]
fn baselines_are_kept_under_their_names() {
    let project = project(1e4);
    run(&project, "--save-baseline main", 0);
    rescript(&project, 1.05e4);
    run(&project, "--baseline main --save head.json", 1);
    project.tiergate("compare head.json --baseline main").run().exits(1);
    run(&project, "--baseline main --save-baseline next", 1);
    rescript(&project, 1e4);
    run(&project, "--baseline main", 0);
    run(&project, "--baseline next", 0);
    let missing = run(&project, "--baseline release", 64);
    missing.refuses(64, "release").says("`main`").says("`next`");
}

#[test]
fn baseline_names_can_not_lead_elsewhere() {
    let project = project(1e4);
    for name in ["../main", "a/b", "", ".hidden", "/tmp/x"] {
        let outcome = project.tiergate("run --instrument mock --save-baseline").arg(name);
        outcome.script("script.json").run().refuses(64, "baseline");
    }
}

#[test]
fn what_is_compared_with_is_never_written_over() {
    let project = project(1e4);
    run(&project, "--save base.json --save-baseline main", 0);
    let before = project.read("base.json");
    std::os::unix::fs::symlink(project.path("base.json"), project.path("link.json")).unwrap();
    for words in [
        "--save base.json --compare base.json",
        "--save ./base.json --compare base.json",
        "--save link.json --compare base.json",
        "--save base.json --compare link.json",
    ] {
        run(&project, words, 64).refuses(64, ".json");
    }
    run(&project, "--save-baseline main --baseline main", 64).refuses(64, "baseline");
    assert_eq!(project.read("base.json"), before);
}

#[test]
fn a_baseline_is_not_written_over_by_its_path() {
    let project = project(1e4);
    run(&project, "--save-baseline main", 0);
    let path = ".tiergate/baselines/main.json";
    run(&project, &format!("--save {path} --baseline main"), 64);
    run(&project, &format!("--save-baseline main --compare {path}"), 64);
}

#[test]
fn a_file_is_not_compared_with_itself() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    project.tiergate("compare base.json ./base.json").run().refuses(64, "base.json");
}

#[test]
fn files_that_are_not_there_are_named() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    project.tiergate("compare base.json nothing.json").run().refuses(64, "nothing.json");
    project.tiergate("compare base.json .").run().refuses(64, "directory");
    run(&project, "--compare nothing.json", 64).refuses(64, "nothing.json");
    let outcome = run(&project, "--save missing/head.json", 4);
    outcome.says("missing/head.json").says("hint: ");
}

/// Every damage to a result file, and the exit code for it.
fn damages(whole: &str) -> Vec<(&'static str, String, i32)> {
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(whole).unwrap();
        edit(&mut document);
        document.to_string()
    };
    vec![
        ("empty", String::new(), 4),
        ("cut off", whole[..whole.len() / 2].to_owned(), 4),
        ("another kind of text", "not json".to_owned(), 2),
        ("another kind of JSON", "{}".to_owned(), 2),
        ("a list", "[]".to_owned(), 2),
        (
            "a bench twice",
            edited(&|file| {
                let bench = file["benches"][0].clone();
                file["benches"].as_array_mut().unwrap().push(bench);
            }),
            2,
        ),
        (
            "a count of zero",
            edited(&|file| file["benches"][0]["readings"][1]["count"] = 0.into()),
            2,
        ),
        (
            "an absurd count",
            edited(&|file| file["benches"][0]["readings"][1]["count"] = u64::MAX.into()),
            2,
        ),
        (
            "a negative count",
            edited(&|file| file["benches"][0]["readings"][1]["count"] = (-5).into()),
            2,
        ),
        (
            "a mark too few",
            edited(&|file| {
                file["benches"][0]["readings"][0]["proof"]["marks"]["seen"] = 1.into();
            }),
            2,
        ),
        ("another median", edited(&|file| file["benches"][0]["instructions_per_op"] = 1.into()), 2),
        ("no readings", edited(&|file| file["benches"][0]["readings"] = Value::Array(vec![])), 2),
        ("another schema", edited(&|file| file["schema_version"] = 999.into()), 2),
        ("no schema", edited(&|file| file["schema_version"] = Value::Null), 2),
        (
            "no fingerprint",
            edited(&|file| {
                file.as_object_mut().unwrap().remove("fingerprint");
            }),
            2,
        ),
    ]
}

#[test]
fn damaged_files_are_refused_on_either_side_and_before_measuring() {
    let project = project(1e4);
    run(&project, "--save whole.json", 0);
    project.remove("tiergate.lock");
    for (damage, text, code) in damages(&project.read("whole.json")) {
        project.file("damaged.json", text);
        for words in [
            "compare damaged.json whole.json",
            "compare whole.json damaged.json",
            "run --instrument mock --compare damaged.json",
        ] {
            let outcome = project.tiergate(words).script("script.json").run();
            assert_eq!(outcome.code, Some(code), "{damage}: {outcome}");
            outcome.refuses(code, "damaged.json");
        }
    }
    assert!(!project.has("tiergate.lock"), "something was measured");
}

#[test]
fn a_half_measured_base_is_incomplete_and_never_ok() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    let mut base: Value = serde_json::from_str(&project.read("base.json")).unwrap();
    let bench = base["benches"][0].as_object_mut().unwrap();
    bench.insert("status".to_owned(), "incomplete".into());
    bench.insert("reason".to_owned(), "interrupted".into());
    project.file("half.json", base.to_string());
    project.tiergate("compare half.json base.json").run().exits(4);

    base["benches"] = Value::Array(vec![]);
    project.file("none.json", base.to_string());
    project.tiergate("compare none.json none2.json").run().exits(64);
    fs::copy(project.path("none.json"), project.path("none2.json")).unwrap();
    project.tiergate("compare none.json none2.json").run().exits(4);
}

#[test]
fn the_ops_in_the_lock_are_used_again() {
    let project = project(1e4);
    run(&project, "--save base.json", 0);
    let lock = project.read("tiergate.lock");
    let ops = bench_of(&project.result("base.json"), "work").window_ops;
    assert!(lock.contains(&ops.to_string()), "{lock}");

    run(&project, "--save head.json", 0);
    assert_eq!(project.read("tiergate.lock"), lock);

    let edited = lock.replace(&format!("window_ops = {ops}"), "window_ops = 777");
    assert_ne!(edited, lock);
    project.file("tiergate.lock", &edited);
    run(&project, "--save head.json", 0);
    let head = project.result("head.json");
    assert_eq!(bench_of(&head, "work").window_ops, 777);
    // Other ops are another measurement.
    project.tiergate("compare base.json head.json").run().exits(3);

    run(&project, "--save head.json --recalibrate", 0);
    assert_eq!(bench_of(&project.result("head.json"), "work").window_ops, ops);
    assert_eq!(project.read("tiergate.lock"), lock);
}

#[test]
fn ops_set_by_hand_win_over_the_lock() {
    let project = project(1e4);
    run(&project, "", 0);
    project.file("tiergate.toml", "[bench.\"*work\"]\nwarmup = 11\nops = 22\n");
    run(&project, "--save head.json", 0);
    let head = project.result("head.json");
    let bench = bench_of(&head, "work");
    assert_eq!((bench.warmup_ops, bench.window_ops), (11, 22));
}

#[test]
fn a_damaged_lock_is_refused_and_left_alone() {
    let project = project(1e4);
    for damaged in ["version = 1\nnot toml", "version = 99\n", "[node-24.\"a\"]\nwindow_ops = -1\n"]
    {
        project.file("tiergate.lock", damaged);
        run(&project, "", 64).refuses(64, "tiergate.lock");
        assert_eq!(project.read("tiergate.lock"), damaged);
    }
}

#[test]
fn a_bench_that_fails_leaves_the_lock_without_it() {
    let project = Project::new();
    let throwing = serde_json::json!({ "name": "throws", "throws": "boom" });
    let good = crate::support::scripted("work", &[1e4]);
    Script::new().file(FILE, [throwing, good]).write(&project, "script.json");
    run(&project, "--save head.json", 4);
    let head = project.result("head.json");
    assert_eq!(bench_of(&head, "throws").status, BenchStatus::Incomplete);
    assert_eq!(bench_of(&head, "work").status, BenchStatus::Measured);
    let lock = project.read("tiergate.lock");
    assert!(lock.contains("::work") && !lock.contains("::throws"), "{lock}");
}

#[test]
fn one_file_can_not_hold_the_results_of_two_engines() {
    let project = project(1e4);
    run(&project, "--engine node --engine bun --save both.json", 64).refuses(64, "both.json");
    run(&project, "--engine node,bun --save-baseline main", 64).refuses(64, "baseline");
}

#[test]
fn the_name_of_the_engine_can_be_part_of_the_file() {
    let project = project(1e4);
    run(&project, "--save head.{engine}.json", 0);
    project.result("head.node-24.0.0.json");
}
