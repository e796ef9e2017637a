//! Programs with loops and clocks of their own: functions that the command line or a suite names.

use crate::support::{Project, bench_of, need_x86, skip};
use tiergate_model::BenchStatus;

const ENGINES: [&str; 3] = ["node@24", "bun", "deno"];

/// A program that times itself; it calls what it times far more often than it is asked to here.
fn program(steps: u32) -> String {
    format!(
        "import {{ mix }} from './mix.mjs';
         const started = Date.now();
         for (let i = 0; i < 1e9; i++) work('text', {steps});
         console.log(Date.now() - started);
         function work(text, steps) {{ return mix(text.length, steps); }}"
    )
}

fn project() -> Project {
    let project = Project::with_budget(3_000, 500);
    project.file("own.mjs", program(1_000)).file(
        "mix.mjs",
        "export function mix(hash, steps) {
           for (let i = 0; i < steps; i++) hash = (hash * 31 + (i ^ (hash >>> 7))) | 0;
           return hash;
         }",
    );
    project
}

#[test]
fn calls_of_a_named_function_are_counted_and_a_regression_fails() {
    need_x86!();
    let project = project();
    for engine in ENGINES {
        let run = format!("run --engine {engine} --instrument counter --repeats 3");
        let entry = "--entry own.mjs --mark-function work --mark-function mix";
        project.file("own.mjs", program(1_000));
        project.tiergate(&run).words(entry).words("--save base.json").run().exits(0);
        let base = project.result("base.json");
        for name in ["work", "mix"] {
            let bench = bench_of(&base, name);
            assert_eq!(bench.status, BenchStatus::Measured, "{engine}: {bench:?}");
            assert!(bench.instructions_per_op.unwrap() > 1_000.0, "{engine}: {bench:?}");
        }
        for (steps, code, verdict) in [(1_000, 0, "ok"), (1_100, 1, "FAIL")] {
            project.file("own.mjs", program(steps));
            project.tiergate(&run).words(entry).words("--save head.json").run().exits(0);
            let outcome = project.tiergate("compare base.json head.json --format json").run();
            let verdicts = outcome.exits(code).verdicts();
            assert!(verdicts.values().all(|one| one == verdict), "{engine} {steps}: {outcome}");
        }
    }
}

#[test]
fn a_suite_names_functions_for_every_command() {
    let project = project();
    let suite = "[[suite]]\nfiles = ['own.mjs']\nmark_functions = ['work']\n";
    let settings = project.read("tiergate.toml");
    project.file("tiergate.toml", format!("{suite}{settings}"));
    let outcome = project.tiergate("list --engine node@24 --format json").run();
    outcome.exits(0);
    assert_eq!(outcome.listed(), ["own.mjs::work"]);
}

#[test]
fn a_function_that_is_missing_or_never_called_is_named() {
    let project = project();
    project.file("own.mjs", "export function work(text) { return text; }\n");
    let list = "list --engine node@24 --entry own.mjs --mark-function";
    for (name, text) in [
        ("work", "the function `work` was never called by the program"),
        ("wrok", "no function `wrok` was found"),
    ] {
        project.tiergate(list).arg(name).run().exits(4).says(text);
    }
    project.tiergate(list).arg("a.b").run().refuses(64, "`a.b`");
    project.tiergate("run --entry own.mjs").run().exits(64).says("--mark-function");
    project.tiergate("run --entry no.mjs --mark-function a").run().exits(64).says("no.mjs");
}
