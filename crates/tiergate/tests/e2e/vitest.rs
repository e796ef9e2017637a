//! Bench files of vitest, run by vitest: what it lists, counts that agree, hooks, errors, and the
//! ways in which modules are imported.

use crate::support::{Outcome, Project, bench_of, need_valgrind, skip};
use tiergate_model::{BenchStatus, ResultFile};

const MAJORS: [u32; 3] = [3, 4, 5];

const MIX: &str = "
export const mix = (steps: number) => (): number => {
  let hash = 17;
  for (let i = 0; i < steps; i++) hash = (hash * 31 + (i ^ (hash >>> 7))) | 0;
  return hash;
};
";

fn project(major: u32, benches: &[(&str, &str)]) -> Project {
    let project = Project::with_budget(3_000, 500);
    project.install_vitest(major).file("mix.ts", MIX);
    rewrite(&project, major, benches);
    project
}

/// Writes a bench file; from vitest 5 on benches are parts of tests.
fn rewrite(project: &Project, major: u32, benches: &[(&str, &str)]) {
    let imports = "import { bench, test } from 'vitest';\nimport { mix } from './mix';\n";
    let imports =
        if major < 5 { imports.replace(", test", "") } else { imports.replace("bench, ", "") };
    let benches: String = benches.iter().map(|(name, op)| bench(major, name, op)).collect();
    project.file("a.bench.ts", format!("{imports}{benches}"));
}

fn bench(major: u32, name: &str, arguments: &str) -> String {
    if major < 5 {
        return format!("bench('{name}', {arguments});\n");
    }
    format!("test('t', async ({{ bench }}) => {{ await bench('{name}', {arguments}).run(); }});\n")
}

/// The names of a bench that [`bench`] has written.
fn named(major: u32, name: &str) -> String {
    if major < 5 { name.to_owned() } else { format!("t > {name}") }
}

#[track_caller]
fn count(project: &Project, name: &str, words: &str) -> Outcome {
    let instrument = if words.contains("--instrument") { "" } else { "--instrument counter" };
    let run = format!("run --engine node@24 --repeats 3 --save {name}.json {instrument}");
    let outcome = project.tiergate(&run).words(words).run();
    outcome.exits(0);
    outcome
}

#[track_caller]
fn per_op(file: &ResultFile, names: &str) -> f64 {
    let bench = bench_of(file, names);
    assert_eq!(bench.status, BenchStatus::Measured, "{bench:?}");
    assert!(bench.aa_spread.unwrap() <= 0.001, "{bench:?}");
    bench.instructions_per_op.unwrap()
}

#[track_caller]
fn assert_near(one: f64, other: f64, tolerance: f64, what: &str) {
    let difference = (one / other - 1.0).abs();
    assert!(difference <= tolerance, "{what}: {one} and {other}");
}

/// Identical benches count the same in any order; the planted one fails and its twin does not.
fn a_planted_regression_fails(major: u32) {
    let same = "mix(1000)";
    let project = project(major, &[("one", same), ("planted", same), ("twin", same)]);
    count(&project, "base", "");
    rewrite(&project, major, &[("twin", same), ("planted", "mix(1050)"), ("one", same)]);
    count(&project, "head", "");
    let outcome = project.tiergate("compare base.json head.json --format json").run();
    let verdicts = outcome.exits(1).verdicts();
    for (name, verdict) in [("one", "ok"), ("planted", "FAIL"), ("twin", "ok")] {
        let id = format!("a.bench.ts::{}", named(major, name));
        assert_eq!(verdicts[&id], verdict, "{outcome}");
    }
    let base = project.result("base.json");
    let first = per_op(&base, &named(major, "one"));
    for name in ["planted", "twin"] {
        assert_near(per_op(&base, &named(major, name)), first, 0.001, name);
    }
    assert!(first > 1_000.0 && base.benches[0].framework.starts_with(&format!("vitest {major}.")));
}

#[test]
fn a_planted_regression_fails_in_vitest_3() {
    a_planted_regression_fails(3);
}

#[test]
fn a_planted_regression_fails_in_vitest_4() {
    a_planted_regression_fails(4);
}

#[test]
fn a_planted_regression_fails_in_vitest_5() {
    a_planted_regression_fails(5);
}

/// Ops that allocate and ops that are awaited count the same in every process.
#[test]
fn repeats_agree() {
    for major in MAJORS {
        let json =
            "() => JSON.parse(JSON.stringify({ id: 1, tags: ['a', 'b'], text: 'some text' }))";
        let awaited = "async () => { await null; return mix(500)(); }";
        let project = project(major, &[("allocates", json), ("is awaited", awaited)]);
        count(&project, "base", "");
        let base = project.result("base.json");
        per_op(&base, &named(major, "allocates"));
        per_op(&base, &named(major, "is awaited"));
        // vitest starts the engine, so the kernel's bytes for it are its own: said, as it is asked for.
        let pinned = base.benches[0].readings[0].proof.pinned.clone().unwrap();
        assert!(!pinned.held.contains(&"seed".to_owned()));
        assert!(pinned.lifted.is_some_and(|why| why.starts_with("`seed`")));
        assert!(bench_of(&base, &named(major, "is awaited")).is_async);
    }
}

/// What runs before a bench in vitest's own process has no part in its count.
#[test]
fn a_bench_counts_the_same_whatever_comes_before_it() {
    let shapes = "
      const read = (point: any) => point.x + point.x * 3;
      const one = Array.from({ length: 400 }, (_, i) => ({ x: i, y: 1 }));
      const six = Array.from({ length: 400 }, (_, i) => [
        { x: i }, { y: 1, x: i }, { z: 1, x: i }, { a: 1, b: 2, x: i }, { c: 1, x: i }, { d: 1, e: 1, x: i },
      ][i % 6]);
      export const sum = (points: any[]) => () => {
        let total = 0;
        for (const point of points) total += read(point);
        return total;
      };
      export const ofOne = sum(one);
      export const ofSix = sum(six);";
    let project = project(4, &[]);
    project.file("shapes.ts", shapes);
    let write = |benches: &str| {
        let imports = "import { bench } from 'vitest';\nimport { ofOne, ofSix } from './shapes';\n";
        project.file("a.bench.ts", format!("{imports}{benches}"));
    };
    let (a, b) = ("bench('A', ofSix);\n", "bench('B', ofOne);\n");
    write(b);
    count(&project, "absent", "--filter *::B");
    for (name, text) in [("before", format!("{a}{b}")), ("after", format!("{b}{a}"))] {
        write(&text);
        count(&project, name, "--filter *::B");
        project.tiergate(&format!("compare absent.json {name}.json")).run().exits(0);
    }
    count(&project, "a", "--filter *::A");
    let absent = per_op(&project.result("absent.json"), "B");
    assert!(per_op(&project.result("a.json"), "A") > 1.05 * absent);
}

/// A bench that throws is incomplete, with the error and its place; its neighbour is measured.
#[test]
fn a_bench_that_throws_is_incomplete() {
    for major in MAJORS {
        let throws = "() => { throw new RangeError('too far'); }";
        let project = project(major, &[("good", "mix(100)"), ("throws", throws)]);
        let run = "run --engine node@24 --instrument wall --repeats 3 --save head.json";
        project.tiergate(run).run().exits(4);
        let head = project.result("head.json");
        let bench = bench_of(&head, &named(major, "throws"));
        assert_eq!(bench.status, BenchStatus::Incomplete);
        let reason = bench.reason.as_deref().unwrap();
        for text in ["the op threw", "RangeError: too far", "a.bench.ts:4:"] {
            assert!(reason.contains(text), "vitest {major}: {reason}");
        }
        assert_eq!(bench_of(&head, &named(major, "good")).status, BenchStatus::Measured);
    }
}

/// Ways to end that are not the bench's own, and one that never comes: with no process left behind.
#[test]
fn benches_that_end_their_process_or_hang_are_told_apart() {
    let late = |what: &str| format!("() => {{ if (++calls === 15) {what}; }}");
    let benches = [
        ("good", "mix(100)".to_owned()),
        ("is killed", late("process.kill(process.pid, 'SIGKILL')")),
        ("hangs", late("for (;;)")),
    ];
    let benches: Vec<_> = benches.iter().map(|(name, op)| (*name, op.as_str())).collect();
    let project = project(4, &benches);
    let text = project.read("a.bench.ts");
    project.file("a.bench.ts", format!("let calls = 0;\n{text}"));
    let run = "run --engine node@24 --instrument wall --repeats 3 --save head.json --timeout 20";
    project.tiergate(run).run().exits(4);
    let head = project.result("head.json");
    assert_eq!(bench_of(&head, "good").status, BenchStatus::Measured);
    for (name, text) in [("is killed", "killed by SIGKILL"), ("hangs", "not finished within 20 s")]
    {
        let reason = bench_of(&head, name).reason.as_deref().unwrap();
        assert!(reason.contains(text), "{name}: {reason}");
    }
}

/// Hooks that must alternate do so, and the op runs between them.
#[test]
fn a_bench_that_needs_its_hooks_gets_them() {
    let op = "() => { if (!isOpen) throw new Error('not open'); }";
    let hooks = "
      setup: () => { if (isOpen) throw new Error('opened twice'); isOpen = true; },
      teardown: () => { if (!isOpen) throw new Error('closed twice'); isOpen = false; },";
    for major in MAJORS {
        // From 5 on they are tinybench's hooks of a task.
        let hooks = if major < 5 {
            hooks.to_owned()
        } else {
            hooks.replace("setup", "beforeAll").replace("teardown", "afterAll")
        };
        let project = project(major, &[]);
        let imports = project.read("a.bench.ts");
        let arguments =
            if major < 5 { format!("{op}, {{ {hooks} }}") } else { format!("{{ {hooks} }}, {op}") };
        project.file(
            "a.bench.ts",
            format!("{imports}let isOpen = false;\n{}", bench(major, "needs hooks", &arguments)),
        );
        let run = "run --engine node@24 --instrument wall --repeats 3 --save head.json";
        project.tiergate(run).run().exits(0);
        let head = project.result("head.json");
        assert_eq!(bench_of(&head, &named(major, "needs hooks")).status, BenchStatus::Measured);
    }
}

/// Imports by vitest's module runner and by the engine are two programs: never ok, never FAIL.
#[test]
fn the_way_of_imports_is_part_of_what_is_compared() {
    for major in [4, 5] {
        let project = project(major, &[("one", "mix(1000)")]);
        project.file("mix.js", MIX.replace(": number", ""));
        project.file("a.bench.ts", project.read("a.bench.ts").replace("./mix", "./mix.js"));
        let config = |native: bool| {
            let native = if native { "{ viteModuleRunner: false }" } else { "{}" };
            let config = format!("export default {{ test: {{ experimental: {native} }} }};\n");
            project.file("vitest.config.mjs", config);
        };
        config(false);
        count(&project, "base", "");
        count(&project, "twin", "");
        project.tiergate("compare base.json twin.json").run().exits(0);
        config(true);
        count(&project, "native", "");
        let outcome = project.tiergate("compare base.json native.json").run();
        outcome.exits(3).prints("imports: `module runner` and `native`");
        let imports = &project.result("native.json").benches[0].conditions["imports"];
        assert_eq!(imports, "native");
    }
}

#[test]
fn an_unknown_major_is_incomplete() {
    let project = Project::new();
    project
        .file("node_modules/vitest/package.json", "{\"name\": \"vitest\", \"version\": \"9.0.0\"}")
        .file("a.bench.ts", "import { bench } from 'vitest';\nbench('one', () => {});\n");
    let outcome = project.tiergate("run --engine node@24 --instrument wall").run();
    outcome.exits(4).says("vitest 9.0.0 is not supported: tiergate knows vitest 3, 4, 5");
    // Without any vitest there is nothing to run it.
    project.remove("node_modules/vitest/package.json");
    let outcome = project.tiergate("list --engine node@24").run();
    outcome.exits(4).says("vitest is not installed for");
}

/// Files that do not say that they are vitest's.
#[test]
fn benches_by_way_of_a_module_and_global_ones_are_found() {
    let project = project(5, &[]);
    project
        .file("vitest.config.mjs", "export default { test: { globals: true } };\n")
        .file("tools.ts", "export { test as measure } from 'vitest';\n")
        .file(
            "a.bench.ts",
            format!(
                "import {{ measure as test }} from './tools.ts';\n{}",
                bench(5, "by a module", "() => {}")
            ),
        )
        .file("b.bench.ts", bench(5, "global", "() => {}"))
        .file("c.bench.mjs", "import { bench } from 'tiergate';\nbench('own', () => {});\n")
        .file("d.bench.mjs", "throw new RangeError('broken');\n");
    let outcome = project.tiergate("list --engine node@24 --format json").run();
    outcome.exits(4).says("RangeError: broken");
    let ids = ["a.bench.ts::t > by a module", "b.bench.ts::t > global", "c.bench.mjs::own"];
    assert_eq!(outcome.listed(), ids);
}

#[test]
fn other_engines_say_that_vitest_needs_node() {
    let project = project(4, &[("one", "mix(10)")]);
    let outcome = project.tiergate("run --engine bun --instrument wall").run();
    outcome.exits(4).says("its benches are vitest's, which runs them on Node only, not on bun");
}

#[test]
fn callgrind_counts_in_vitest_too() {
    need_valgrind!();
    let project = project(4, &[("one", "mix(1000)")]);
    count(&project, "counter", "");
    count(&project, "callgrind", "--instrument callgrind");
    let counter = per_op(&project.result("counter.json"), "one");
    assert_near(per_op(&project.result("callgrind.json"), "one"), counter, 0.002, "one");
}

/// `vitest bench` with the plugin that `init --vitest` writes: vitest finds the files, tiergate
/// measures them and its exit code is vitest's; vitest's tests are as ever.
fn vitest_bench_measures_with_the_plugin(major: u32) {
    let project = project(major, &[("one", "mix(1000)")]);
    project.tiergate("init --vitest").run().exits(0).prints("tiergate.vitest.mjs");
    project.tiergate("init --vitest").run().refuses(64, "tiergate.vitest.mjs");
    let options = format!(
        "{{ binary: '{}', args: ['--engine', 'node@24', '--instrument', 'wall', '--repeats', '3', \
         '--save', 'head.json'] }}",
        env!("CARGO_BIN_EXE_tiergate")
    );
    project
        .file(
            "vitest.config.ts",
            format!(
                "import tiergate from './tiergate.vitest.mjs';
                 export default {{ plugins: [tiergate({options})] }};"
            ),
        )
        .file("other.bench.ts", project.read("a.bench.ts").replace("one", "two"))
        .file(
            "a.test.ts",
            "import { expect, test } from 'vitest';\ntest('adds', () => expect(1 + 1).toBe(2));\n",
        );
    let vitest = |words: &str| project.node(24, "node_modules/vitest/vitest.mjs").words(words);
    let outcome = vitest("bench --run a.bench").run();
    outcome.exits(0).prints("1 measured");
    let ids: Vec<String> =
        project.result("head.json").benches.iter().map(|bench| bench.id.to_string()).collect();
    assert_eq!(ids, [format!("a.bench.ts::{}", named(major, "one"))]);
    vitest("run").run().exits(0).prints("1 passed");

    // Its own names are not tiergate's, and a bench that can't be measured does not pass.
    let named = vitest("bench --run -t one").run();
    assert_ne!(named.code, Some(0), "{named}");
    named.says("--filter");
    project.file("other.bench.ts", "throw new Error('it does not load');\n");
    vitest("bench --run").run().exits(4).prints("INCOMPLETE");
}

#[test]
fn vitest_3_bench_measures_with_the_plugin() {
    vitest_bench_measures_with_the_plugin(3);
}

#[test]
fn vitest_4_bench_measures_with_the_plugin() {
    vitest_bench_measures_with_the_plugin(4);
}

#[test]
fn vitest_5_bench_measures_with_the_plugin() {
    vitest_bench_measures_with_the_plugin(5);
}
