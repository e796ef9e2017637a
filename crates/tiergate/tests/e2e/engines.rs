//! The same files on every engine: what is listed, and that it can be measured.

use crate::support::{ENGINES, Outcome, Project, STRIPPING_ENGINES};
use tiergate_model::BenchStatus;

/// Appends a line to a file whenever one of the user's functions is called.
const CALLED: &str = "
const called = (name, result) => {
  fs.appendFileSync('called', `${name} ${process.pid}\\n`);
  return result;
};
";

/// A project with bench files of every framework and kind of module.
fn suite() -> Project {
    let project = Project::with_budget(20, 10);
    let es = format!("import fs from 'node:fs';\n{CALLED}");
    let common = format!("const fs = require('node:fs');\n{CALLED}");
    let own = "
      bench('sync', () => called('sync', 1));
      group('outer', () => {
        group('inner', () => {
          bench('sized', (state, { size }) => called('sized', state + size), {
            params: { size: [1, 20] },
            setup: () => called('setup', 1),
            teardown: () => called('teardown'),
          });
          bench('promise', () => called('promise', Promise.resolve(1)));
        });
      });
      bench('async', async () => called('async'), {
        before: () => called('before'),
        after: () => called('after'),
      });
      bench.skip('left out', () => called('left out'));
    ";
    let tinybench = "
      const bench = new Bench({ time: 5, warmupTime: 5, setup: () => called('bench set-up') });
      bench
        .add('sync', () => called('sync'))
        .add('async', async () => called('async'))
        .add('hooked', () => called('hooked'), {
          beforeAll: () => called('beforeAll'),
          beforeEach: () => called('beforeEach'),
          afterEach: () => called('afterEach'),
          afterAll: () => called('afterAll'),
        });
    ";
    let imports = "import { bench, group } from 'tiergate';";
    let requires = "const { bench, group } = require('tiergate');";
    project.file("own/es.bench.mjs", format!("{imports}\n{es}\n{own}"));
    let short = "bench('sync', () => called('sync')); bench('async', async () => called('async'));";
    project.file("own/common.bench.cjs", format!("{requires}\n{common}\n{short}"));
    project.file(
        "typed/es.bench.ts",
        format!(
            "{imports}\nimport fs from 'node:fs';\n
             type Counter = (to: number) => number;
             interface State {{ n: number }}
             const count: Counter = (to: number): number => {{
               fs.appendFileSync('called', `typed ${{process.pid}}\\n`);
               return to as number;
             }};
             bench('typed', (state: State) => count(state.n), {{ setup: (): State => ({{ n: 3 }}) }});
             group('of types', (): void => {{ bench('typed', () => count(1)!); }});"
        ),
    );
    for major in [2, 5, 6] {
        let folder = format!("tinybench-{major}");
        project.install_tinybench(&folder, major);
        let import = "import { Bench } from 'tinybench';";
        let run = if major == 2 {
            "await bench.warmup();\nawait bench.run();"
        } else {
            "await bench.run();"
        };
        project.file(
            &format!("{folder}/es.bench.mjs"),
            format!("{import}\n{es}\n{tinybench}\n{run}\nconsole.table(bench.table());"),
        );
    }
    // The only one of the three that has a CommonJS build.
    project.file(
        "tinybench-2/common.bench.cjs",
        format!(
            "const {{ Bench }} = require('tinybench');\n{common}
             const bench = new Bench().add('sync', () => called('sync'));
             bench.warmup().then(() => bench.run());"
        ),
    );
    project
}

fn expected(stripping: bool) -> Vec<String> {
    let own = [
        "sync",
        "outer > inner > sized (size=1)",
        "outer > inner > sized (size=20)",
        "outer > inner > promise",
        "async",
        "left out",
    ];
    let tinybench = ["sync", "async", "hooked"];
    let files: [(&str, &[&str]); 7] = [
        ("own/common.bench.cjs", &["sync", "async"]),
        ("own/es.bench.mjs", &own),
        ("tinybench-2/common.bench.cjs", &["sync"]),
        ("tinybench-2/es.bench.mjs", &tinybench),
        ("tinybench-5/es.bench.mjs", &tinybench),
        ("tinybench-6/es.bench.mjs", &tinybench),
        ("typed/es.bench.ts", &["typed", "of types > typed"]),
    ];
    let known = if stripping { &files[..] } else { &files[..6] };
    known
        .iter()
        .flat_map(|(file, names)| names.iter().map(move |name| format!("{file}::{name}")))
        .collect()
}

/// Lists and measures the suite. Node 20 does not know types; its run leaves that file out.
fn works_on(engine: &str) {
    let stripping = STRIPPING_ENGINES.contains(&engine);
    let project = suite();
    if !stripping {
        project.remove("typed/es.bench.ts");
    }
    let listed = project.tiergate("list --format json --engine").arg(engine).run();
    assert_eq!(listed.exits(0).listed(), expected(stripping), "{engine}");
    assert!(!project.has("called"), "{engine}: listing called {}", project.read("called"));

    let run = "run --instrument wall --repeats 3 --save head.json --format json --engine";
    let outcome = project.tiergate(run).arg(engine).run();
    outcome.exits(0);
    let head = project.result("head.json");
    let ids: Vec<&str> = head.benches.iter().map(|bench| bench.id.as_str()).collect();
    assert_eq!(ids, expected(stripping), "{engine}");
    for bench in &head.benches {
        if bench.id.name() == "left out" {
            assert_eq!(bench.status, BenchStatus::Skipped);
            continue;
        }
        assert_eq!(bench.status, BenchStatus::Measured, "{engine}: {bench:?}");
        assert_eq!(bench.readings.len(), 3);
        assert!(bench.warmup_ops >= 20 && bench.window_ops == 10, "{engine}: {bench:?}");
        let awaited = ["async", "promise"].iter().any(|name| bench.id.name().ends_with(name));
        assert_eq!(bench.is_async, awaited, "{engine}: {}", bench.id);
    }
    one_process_for_each(&project, engine);
    nothing_of_the_users_is_on_standard_output(&outcome);
}

/// No process has called the functions of two benches, and none has called a skipped one.
fn one_process_for_each(project: &Project, engine: &str) {
    let mut benches_of = std::collections::BTreeMap::<String, Vec<String>>::new();
    let called = project.read("called");
    for line in called.lines() {
        let (name, process) = line.rsplit_once(' ').unwrap();
        let functions = ["sync", "sized", "promise", "async", "hooked", "left out", "typed"];
        if functions.contains(&name) {
            let names = benches_of.entry(process.to_owned()).or_default();
            if !names.contains(&name.to_owned()) {
                names.push(name.to_owned());
            }
        }
    }
    for (process, names) in &benches_of {
        assert_eq!(names.len(), 1, "{engine}: process {process} called {names:?}");
        assert_ne!(names[0], "left out", "{engine}");
    }
    let measured = project.result("head.json").benches.len() - 1;
    assert_eq!(benches_of.len(), 3 * measured, "{engine}: processes");
}

fn nothing_of_the_users_is_on_standard_output(outcome: &Outcome) {
    outcome.json();
}

#[test]
fn node_20() {
    works_on("node@20");
}

#[test]
fn node_22() {
    works_on("node@22");
}

#[test]
fn node_24() {
    works_on("node@24");
}

#[test]
fn node_26() {
    works_on("node@26");
}

#[test]
fn bun() {
    works_on("bun@1.4");
}

#[test]
fn deno() {
    works_on("deno@2.9");
}

#[test]
fn types_on_an_engine_that_knows_none_are_a_fault_of_that_file_only() {
    let project = suite();
    let outcome = project.tiergate("list --format json --engine node@20").run();
    assert_eq!(outcome.exits(4).listed(), expected(false));
    outcome.says("typed/es.bench.ts");
}

#[test]
fn several_engines_are_measured_one_after_the_other() {
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    let run = "run --instrument wall --repeats 3 --save {engine}.json";
    let outcome = project.tiergate(run).arg("--engine=node@24").arg("--engine=bun@1.4").run();
    outcome.exits(0);
    let mut versions = Vec::new();
    for entry in std::fs::read_dir(project.root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with("node-") || name.starts_with("bun-") {
            let engine = project.result(&name).fingerprint.engine;
            assert_eq!(name, format!("{}-{}.json", engine.name, engine.version));
            versions.push(name);
        }
    }
    versions.sort();
    assert_eq!(versions.len(), 2, "{versions:?}");
    // Counts of two engines are never compared.
    let [bun, node] = &versions[..] else { panic!("{versions:?}") };
    let compared = project.tiergate("compare").arg(bun).arg(node).run();
    compared.exits(2).prints("engine");
}

#[test]
fn an_engine_that_can_not_be_used_does_not_stop_the_others() {
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    let run = "run --instrument wall --repeats 3 --save {engine}.json";
    let outcome = project.tiergate(run).arg("--engine=node@9,node@24").run();
    outcome.exits(64).says("node@9").says("measured a.bench.mjs::work");
}

#[test]
fn an_engine_is_found_by_its_path() {
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    std::os::unix::fs::symlink(crate::support::node(24), project.path("my-engine")).unwrap();
    let run = project.tiergate("run --instrument wall --repeats 3 --engine ./my-engine");
    run.env("TIERGATE_ENGINES", "").arg("--save=head.json").run().exits(0);
    let version = project.result("head.json").fingerprint.engine.version;
    assert!(version.starts_with("24."), "{version}");
}

#[test]
fn the_engines_of_all_tests_are_known() {
    for engine in ENGINES {
        let project = Project::new();
        project.tiergate("doctor --engine").arg(engine).run().exits(0);
    }
}
