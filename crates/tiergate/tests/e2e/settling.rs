//! Warm-ups that are found, and windows in which the code changes or work is done elsewhere.

use crate::support::{Project, bench_of};
use tiergate_model::{BenchStatus, CodeChange, Proof};

const NODES: [&str; 2] = ["node@22", "node@24"];

fn project(benches: &str) -> Project {
    let project = Project::new();
    project.file("tiergate.toml", "");
    project.file("a.bench.mjs", format!("import {{ bench }} from 'tiergate';\n{benches}"));
    project
}

fn counted(project: &Project, engine: &str, words: &str, code: i32) {
    let run = format!("run --repeats 3 --save head.json --engine {engine} {words}");
    project.tiergate(&run).run().exits(code);
}

fn proof(project: &Project, name: &str) -> Proof {
    bench_of(&project.result("head.json"), name).readings[0].proof.clone()
}

/// A small loop, called by a function that engines optimise late.
const LATE_WRAPPER: &str = "
const small = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum & 0xff; };
let calls = 0;
const wrapper = () => small(20 + (calls++ & 3));
bench('wrapped', () => wrapper());
";

#[test]
fn the_window_opens_after_the_code_has_settled() {
    for engine in NODES {
        let project = project(LATE_WRAPPER);
        counted(&project, engine, "", 0);
        let file = project.result("head.json");
        let bench = bench_of(&file, "wrapped");
        assert_eq!(bench.aa_spread, Some(0.0), "{engine}");
        let twin = proof(&project, "wrapped").twin.unwrap();
        assert_eq!(twin.changes_in_window, [], "{engine}");
        assert_eq!(twin.tiers["small"], "TurboFan", "{engine}: {:?}", twin.tiers);
        let last = twin.last_change_before.unwrap().until_ops;
        assert!(last + last / 8 < bench.warmup_ops, "{engine}: {last} of {}", bench.warmup_ops);
        let count = bench.instructions_per_op;
        counted(&project, engine, "", 0);
        assert_eq!(bench_of(&project.result("head.json"), "wrapped").instructions_per_op, count);
    }
}

const TYPE_CHANGE: &str = "
const add = (a, b) => a + b;
let calls = 0;
bench('changes', () => {
  calls++;
  let sum = calls < 60000 ? 0 : '';
  for (let i = 0; i < 10; i++) sum = add(sum, i);
  return sum;
});
bench('stays', () => {
  let sum = 0;
  for (let i = 0; i < 10; i++) sum = add(sum, i);
  return sum;
});
";

#[test]
fn a_change_of_type_in_the_window_is_named_and_a_found_warm_up_avoids_it() {
    for engine in NODES {
        let project = project(TYPE_CHANGE);
        let table = engine.replace('@', "-");
        let entry = |name: &str| {
            format!(
                "[{table}.\"a.bench.mjs::{name}\"]\nwarmup_ops = 50000\nwindow_ops = 20000\nseconds = 1.0\n"
            )
        };
        let lock = format!("version = 1\n\n{}\n{}", entry("changes"), entry("stays"));
        project.file("tiergate.lock", lock);
        counted(&project, engine, "", 3);
        let file = project.result("head.json");
        let changes = bench_of(&file, "changes");
        assert_eq!(changes.status, BenchStatus::Measured);
        let reason = changes.reason.as_deref().unwrap();
        assert!(reason.contains("left its TurboFan code"), "{engine}: {reason}");
        let named = |change: &CodeChange| change.function == "add";
        let twin = proof(&project, "changes").twin.unwrap();
        assert!(twin.changes_in_window.iter().any(named), "{engine}: {twin:?}");
        assert_eq!(bench_of(&file, "stays").reason, None, "{engine}");

        counted(&project, engine, "--recalibrate", 0);
        let file = project.result("head.json");
        assert!(bench_of(&file, "changes").warmup_ops > 60_000, "{engine}");
    }
}

#[test]
fn processes_started_by_the_op_are_work_elsewhere() {
    let project = Project::with_budget(10, 5);
    project.file(
        "a.bench.mjs",
        "import { bench } from 'tiergate';
         import { spawnSync } from 'node:child_process';
         bench('spawns', () => spawnSync('/bin/true').status);
         bench('stays', () => Math.sqrt(2));",
    );
    counted(&project, "node@24", "", 3);
    let file = project.result("head.json");
    let reason = bench_of(&file, "spawns").reason.as_deref().unwrap();
    assert_eq!(reason, "work outside the measured thread: 5 processes started in the window");
    assert_eq!(bench_of(&file, "stays").reason, None);
}
