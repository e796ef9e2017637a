//! Compiled code that all processes of a run share.

use crate::support::Project;
use std::fmt::Write as _;

const NODE: &str = "NODE_COMPILE_CACHE";
const BUN: &str = "BUN_RUNTIME_TRANSPILER_CACHE_PATH";

/// A bench whose file notes what it finds in the folder for code when it is loaded.
fn project(variable: &str) -> Project {
    let project = Project::with_budget(2_000, 1_000);
    // Bun keeps nothing of files below 50 kB.
    let mut large = String::new();
    for number in 0..1_500 {
        writeln!(large, "export function f{number}(n) {{ return n * {number} + 1; }}").unwrap();
    }
    project.file("large.mjs", large);
    project.file(
        "a.bench.mjs",
        format!(
            "import fs from 'node:fs';\nimport {{ bench }} from 'tiergate';\n\
             import {{ f7 }} from './large.mjs';\n\
             const folder = process.env.{variable};\n\
             const files = folder && fs.existsSync(folder) ? \
             fs.readdirSync(folder, {{ recursive: true }}).length : 0;\n\
             fs.appendFileSync('found', `${{files}}\\n`);\n\
             let n = 1;\n\
             bench('work', () => {{ for (let i = 0; i < 50; i += 1) n = f7(n) % 1000; }});\n"
        ),
    );
    project.file("tmp/.keep", "");
    project
}

fn found(project: &Project) -> Vec<usize> {
    let text = std::fs::read_to_string(project.path("found")).unwrap_or_default();
    let _ = std::fs::remove_file(project.path("found"));
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn processes_find_the_code_of_the_first_one_and_count_alike() {
    for (engine, variable) in [("node@22", NODE), ("node@24", NODE), ("bun", BUN)] {
        let project = project(variable);
        let run = |name: &str, words: &str| {
            let run = format!("run --instrument counter --repeats 3 --engine {engine} {words}");
            let run = project.tiergate(&run).arg("--save").arg(name);
            run.env("TMPDIR", project.path("tmp")).run().exits(0);
            found(&project)
        };
        let without = run("without.json", "");
        assert!(!without.is_empty() && without.iter().all(|files| *files == 0), "{without:?}");
        for name in ["base.json", "head.json"] {
            let with = run(name, "--code-cache");
            let warm = with.iter().filter(|files| **files > 0).count();
            assert!(warm >= 4, "{engine}: three readings and a traced one, {with:?}");
        }
        let counts = |name: &str| -> Vec<u64> {
            let result = project.result(name);
            result.benches[0].readings.iter().map(|reading| reading.count).collect()
        };
        assert_eq!(counts("base.json"), counts("head.json"));
        project.tiergate("compare base.json head.json").run().exits(0);
        project.tiergate("compare without.json head.json").run().exits(2);
        let left: Vec<_> = std::fs::read_dir(project.path("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != ".keep")
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn an_engine_that_keeps_no_code_says_so() {
    let project = project(NODE);
    project.file("tiergate.toml", format!("code_cache = true\n{}", project.read("tiergate.toml")));
    for engine in ["node@20", "deno"] {
        let run = format!("run --instrument wall --repeats 3 --engine {engine}");
        project.tiergate(&run).run().exits(0).says("measured without a code cache");
    }
}
