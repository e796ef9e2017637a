//! Files that are run in a way of their own: suites of the configuration, packages of a workspace,
//! TypeScript beyond what the engine strips, and benches outside of the measured thread.

use crate::support::{Outcome, Project, bench_of, framework_folder};
use std::os::unix::fs::symlink;
use tiergate_model::BenchStatus;

const ENGINES: [&str; 3] = ["node@24", "bun", "deno"];

#[track_caller]
fn measure(project: &Project, name: &str, words: &str) -> Outcome {
    let run = format!("run --instrument wall --repeats 3 --save {name}.json");
    project.tiergate(&run).words(words).run()
}

/// A bench that is named by what it sees of its surroundings.
const SEEING: &str = "
import { bench } from 'tiergate';
import path from 'node:path';
const flag = typeof globalThis.gc === 'function' ? 'gc' : 'no gc';
bench([path.basename(process.cwd()), process.env.MODE ?? 'none', flag].join(' '), () => {});
";

#[test]
fn a_suite_has_its_own_folder_arguments_and_environment() {
    let project = Project::with_budget(20, 10);
    let settings = project.read("tiergate.toml");
    let suite = "
      files = ['**/*.bench.mjs']
      [[suite]]
      files = ['a/*.mjs']
      cwd = 'a/data'
      engine = ['node@24']
      engine_args = ['--expose-gc']
      environment = { MODE = 'fast' }
    ";
    project
        .file("tiergate.toml", format!("{suite}\n{settings}"))
        .file("a/data/.keep", "")
        .file("a/special.mjs", SEEING)
        .file("b/usual.bench.mjs", SEEING);
    measure(&project, "base", "--engine node@24").exits(0);
    let base = project.result("base.json");
    let special = bench_of(&base, "data fast gc");
    assert_eq!(special.status, BenchStatus::Measured);
    let conditions: Vec<&str> = special.conditions.values().map(String::as_str).collect();
    assert_eq!(conditions, ["--expose-gc", "MODE=fast", "a/data"]);
    let folder = project.root().file_name().unwrap().to_str().unwrap();
    assert!(bench_of(&base, &format!("{folder} none no gc")).conditions.is_empty());

    // Another engine does not run it, and says so.
    let outcome = project.tiergate("list --engine bun --format json").run();
    outcome.exits(0).says("1 files are for other engines than bun");
    assert_eq!(outcome.listed(), [format!("b/usual.bench.mjs::{folder} none no gc")]);

    // Run otherwise it is another measurement; the other file is not touched by that.
    project.file("tiergate.toml", format!("{}\n{settings}", suite.replace("fast", "slow")));
    let named = "bench([path.basename(process.cwd()), process.env.MODE ?? 'none', flag].join(' ')";
    project.file("a/special.mjs", SEEING.replace(named, "bench('data fast gc'"));
    measure(&project, "head", "--engine node@24").exits(0);
    let outcome = project.tiergate("compare base.json head.json --fail 900% --warn 900%").run();
    outcome.exits(3).prints("environment: `MODE=fast` and `MODE=slow`");
}

#[test]
fn a_suite_that_makes_no_sense_is_refused() {
    let project = Project::new();
    project.file("a.bench.mjs", SEEING);
    for (suite, named) in [
        ("", "without `files`"),
        ("files = ['*.mjs']\ncwd = 'nowhere'", "nowhere"),
        ("files = ['*.mjs']\nframework = 'jasmine'", "jasmine"),
        ("files = ['*.mjs']\nloader = 'babel'", "babel"),
        ("files = ['*.mjs']\nloader = 'tsx'", "not installed"),
        ("files = ['*.mjs']\nengin = ['bun']", "engin"),
    ] {
        project.file("tiergate.toml", format!("[[suite]]\n{suite}\n"));
        let outcome = project.tiergate("list --engine node@24").run();
        outcome.exits(64).says(named);
    }
    project.file("tiergate.toml", "[[suite]]\nfiles = ['*.mjs']\nengine_args = ['--no-such']\n");
    project.tiergate("list --engine node@24").run().exits(4).says("--no-such");
}

/// Each package of a workspace is the working directory of its benches and has its own framework.
#[test]
fn packages_of_a_workspace_run_in_their_own_folder() {
    let project = Project::with_budget(20, 10);
    project.file("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#);
    let bench = "
      import { Bench } from 'tinybench';
      import path from 'node:path';
      const bench = new Bench();
      bench.add(path.basename(process.cwd()), () => {});
      await bench.run();";
    for (name, major) in [("a", 2), ("b", 6)] {
        let folder = format!("packages/{name}");
        project
            .install_tinybench(&folder, major)
            .file(&format!("{folder}/package.json"), format!("{{\"name\": \"{name}\"}}"))
            .file(&format!("{folder}/bench/x.bench.mjs"), bench);
    }
    for engine in ENGINES {
        measure(&project, "base", &format!("--engine {engine}")).exits(0);
        let base = project.result("base.json");
        for (name, major) in [("a", 2), ("b", 6)] {
            let bench = bench_of(&base, name);
            assert!(bench.framework.starts_with(&format!("tinybench {major}.")), "{bench:?}");
            assert_eq!(bench.conditions["working directory"], format!("packages/{name}"));
        }
    }
}

/// The project's own loader runs what an engine can't, and is part of what is compared.
#[test]
fn typescript_runs_by_the_loader_of_the_project() {
    let project = Project::with_budget(20, 10);
    project.file("lib.ts", "export enum Size { Small = 10 }\nexport const size = Size.Small;\n");
    project.file(
        "a.bench.ts",
        "import { bench } from 'tiergate';\nimport { size } from './lib';\n
         bench('enum', () => size as number);\n",
    );
    for engine in ["node@20", "node@24"] {
        project.tiergate(&format!("list --engine {engine}")).run().exits(4);
    }
    std::fs::create_dir_all(project.path("node_modules")).unwrap();
    symlink(framework_folder("tsx", 4), project.path("node_modules/tsx")).unwrap();
    for engine in ["node@20", "node@22", "node@24", "node@26"] {
        measure(&project, "base", &format!("--engine {engine}")).exits(0);
        let base = project.result("base.json");
        assert!(bench_of(&base, "enum").conditions["loader"].starts_with("tsx 4."));
    }
    // A file that needs none gets none.
    project.file(
        "b.bench.ts",
        "import { bench } from 'tiergate';\nbench('plain', (): number => 1);\n",
    );
    measure(&project, "base", "--engine node@24 b.bench.ts").exits(0);
    assert!(bench_of(&project.result("base.json"), "plain").conditions.is_empty());
}

/// Benches that are registered in a thread or a child are told of, and never pass for measured.
#[test]
fn benches_outside_of_the_measured_thread_are_told_of() {
    let project = Project::with_budget(20, 10);
    let thread = "await new Promise((end) => {
        new Worker(new URL('./case.mjs', import.meta.url)).on('exit', end);
      });";
    let child = "spawnSync(process.execPath, ['case.mjs'], { env: {} });";
    let forked = "await new Promise((end) => fork('./case.mjs').on('exit', end));";
    let imports = "
      import { fork, spawnSync } from 'node:child_process';
      import { Worker } from 'node:worker_threads';\n";
    let own = "import { bench } from 'tiergate';\nbench('own', () => {});\n";
    project.file("case.mjs", "console.log('a bench of some framework');\n");
    for (name, code) in [("thread", thread), ("child", child), ("forked", forked)] {
        project
            .file(&format!("{name}.bench.mjs"), format!("{imports}{code}"))
            .file(&format!("{name}-twin.bench.mjs"), format!("{own}{imports}{code}"));
    }
    for engine in ENGINES {
        let outcome = measure(&project, "base", &format!("--engine {engine}"));
        outcome.exits(4);
        let base = project.result("base.json");
        for (name, kind) in
            [("thread", "worker thread"), ("child", "child process"), ("forked", "child process")]
        {
            let file = format!("{name}.bench.mjs");
            let bench = base.benches.iter().find(|bench| bench.id.as_str() == file).unwrap();
            let reason = bench.reason.as_deref().unwrap();
            let text =
                format!("work outside the measured thread: the file starts the {kind} `case.mjs`");
            assert!(reason.starts_with(&text), "{engine}: {reason}");
            let twin = format!("{name}-twin.bench.mjs::own");
            let bench = base.benches.iter().find(|bench| bench.id.as_str() == twin).unwrap();
            assert_eq!(bench.status, BenchStatus::Measured, "{engine}: {bench:?}");
            outcome.says(&format!("it starts the {kind} `case.mjs`"));
        }
    }
}
