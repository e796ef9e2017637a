//! Instructions counted: with the counter, and once with callgrind, of which a reading takes
//! seconds.

use crate::support::{Outcome, Project, bench_of, need_valgrind, skip};
use tiergate_model::{BenchStatus, ResultFile};

/// A sync op of some thousand instructions that depends on nothing outside of it.
const MIX: &str = "
const mix = (steps) => () => {
  let hash = 17;
  for (let i = 0; i < steps; i++) hash = (hash * 31 + (i ^ (hash >>> 7))) | 0;
  return hash;
};
";

fn project(benches: &str) -> Project {
    let project = Project::with_budget(80_000, 500);
    rewrite(&project, benches);
    project
}

fn rewrite(project: &Project, benches: &str) {
    let imports = "import { bench, group } from 'tiergate';";
    project.file("a.bench.mjs", format!("{imports}\n{MIX}\n{benches}"));
}

#[track_caller]
fn count(project: &Project, engine: &str, name: &str, words: &str) -> Outcome {
    count_with("counter", project, engine, name, words)
}

#[track_caller]
fn count_with(
    instrument: &str,
    project: &Project,
    engine: &str,
    name: &str,
    words: &str,
) -> Outcome {
    let run =
        format!("run --instrument {instrument} --repeats 3 --save {name}.json --engine {engine}");
    let outcome = project.tiergate(&run).words(words).run();
    outcome.exits(0);
    outcome
}

#[track_caller]
fn per_op(file: &ResultFile, names: &str) -> f64 {
    let bench = bench_of(file, names);
    assert_eq!(bench.status, BenchStatus::Measured, "{bench:?}");
    let count = bench.instructions_per_op.unwrap();
    assert!(count > 1_000.0, "{bench:?}");
    count
}

#[track_caller]
fn assert_near(one: f64, other: f64, tolerance: f64, what: &str) {
    let difference = (one / other - 1.0).abs();
    assert!(difference <= tolerance, "{what}: {one} and {other}");
}

/// Identical tasks count the same in any order; of two changed sides, the planted one fails and
/// its twin does not.
#[test]
fn a_planted_regression_fails_and_its_twin_is_ok() {
    planted_regression_fails("counter");
}

#[test]
fn callgrind_finds_the_planted_regression_too() {
    need_valgrind!();
    planted_regression_fails("callgrind");
}

fn planted_regression_fails(instrument: &str) {
    let project = project(
        "bench('one', mix(1000));
         bench('planted', mix(1000));
         bench('twin', mix(1000));",
    );
    count_with(instrument, &project, "node@24", "base", "");
    rewrite(
        &project,
        "bench('twin', mix(1000));
         bench('planted', mix(1050));
         bench('one', mix(1000));",
    );
    count_with(instrument, &project, "node@24", "head", "");
    let outcome = project.tiergate("compare base.json head.json --format json").run();
    let verdicts = outcome.exits(1).verdicts();
    for (name, verdict) in [("one", "ok"), ("planted", "FAIL"), ("twin", "ok")] {
        assert_eq!(verdicts[&format!("a.bench.mjs::{name}")], verdict, "{outcome}");
    }
    let base = project.result("base.json");
    let head = project.result("head.json");
    assert_near(per_op(&base, "planted"), per_op(&base, "one"), 0.001, "planted in base");
    for name in ["one", "twin"] {
        let first = per_op(&base, "one");
        assert_near(per_op(&base, name), first, 0.001, name);
        assert_near(per_op(&head, name), first, 0.001, name);
    }
    assert_near(per_op(&head, "planted"), 1.05 * per_op(&base, "planted"), 0.005, "planted");
    let twins = "compare base.json head.json --fail 6% --warn 6%";
    project.tiergate(twins).run().exits(0);
}

/// What ran before a bench in a process of the framework's own has no part in its count.
#[test]
fn a_bench_counts_the_same_whatever_comes_before_it() {
    let shared = "
      const read = (point) => point.x + point.x * 3;
      const one = Array.from({ length: 400 }, (_, i) => ({ x: i, y: 1 }));
      const six = Array.from({ length: 400 }, (_, i) => [
        { x: i }, { y: 1, x: i }, { z: 1, x: i }, { a: 1, b: 2, x: i }, { c: 1, x: i }, { d: 1, e: 1, x: i },
      ][i % 6]);
      const sum = (points) => () => {
        let total = 0;
        for (const point of points) total += read(point);
        return total;
      };";
    let a = "bench('A', sum(six));";
    let b = "bench('B', sum(one));";
    let project = project(&format!("{shared}{b}"));
    count(&project, "node@24", "absent", "--filter *::B");
    let absent = per_op(&project.result("absent.json"), "B");
    for (name, text) in [("before", format!("{a}{b}")), ("after", format!("{b}{a}"))] {
        rewrite(&project, &format!("{shared}{text}"));
        count(&project, "node@24", name, "--filter *::B");
        assert_near(per_op(&project.result(&format!("{name}.json")), "B"), absent, 0.001, name);
        let compare = format!("compare absent.json {name}.json");
        project.tiergate(&compare).run().exits(0);
    }
    // With all of A's shapes the same function costs more: the two can be told apart.
    count(&project, "node@24", "a", "--filter *::A");
    assert!(per_op(&project.result("a.json"), "A") > 1.05 * absent);
}

fn repeats_agree_on(engine: &str) {
    let project = project(
        "bench('numbers', mix(1000));
         const words = 'the quick brown fox jumps over the lazy dog'.split(' ');
         bench('words', () => words.map((word) => word.toUpperCase()).join('-').length);",
    );
    count(&project, engine, "base", "");
    let base = project.result("base.json");
    for name in ["numbers", "words"] {
        let bench = bench_of(&base, name);
        assert!(!bench.is_async && bench.readings.len() == 3);
        assert!(bench.aa_spread.unwrap() <= 0.0001, "{engine}: {bench:?}");
    }
}

#[test]
fn repeats_agree_on_node() {
    for engine in ["node@20", "node@22", "node@24", "node@26"] {
        repeats_agree_on(engine);
    }
}

/// What two ways of counting the same window say. They differ by the processor features that
/// Valgrind offers to the engine.
#[test]
fn the_counter_agrees_with_callgrind() {
    need_valgrind!();
    let project = project("bench('numbers', mix(1000));");
    count(&project, "node@24", "counter", "");
    count_with("callgrind", &project, "node@24", "callgrind", "");
    let counter = per_op(&project.result("counter.json"), "numbers");
    let callgrind = per_op(&project.result("callgrind.json"), "numbers");
    assert_near(counter, callgrind, 0.002, "numbers");
}

/// Identical tasks cost the same, wherever they stand.
#[test]
fn identical_tasks_count_the_same_on_every_engine() {
    for engine in ["node@22", "bun", "deno"] {
        let project =
            project("bench('one', mix(1000)); bench('two', mix(1000)); bench('three', mix(1000));");
        count(&project, engine, "base", "");
        let base = project.result("base.json");
        for name in ["two", "three"] {
            assert_near(per_op(&base, name), per_op(&base, "one"), 0.002, name);
        }
    }
}

/// Hooks lie outside of the window: a costly one changes nothing.
#[test]
fn hooks_are_not_counted() {
    let project = Project::with_budget(400, 100);
    rewrite(
        &project,
        "const heavy = mix(20_000);
         bench('light hooks', mix(1000), { before() {}, after() {} });
         bench('heavy hooks', mix(1000), { before: heavy, after: heavy });",
    );
    count(&project, "node@24", "base", "");
    let base = project.result("base.json");
    let light = per_op(&base, "light hooks");
    assert_near(per_op(&base, "heavy hooks"), light, 0.01, "hooks");
}
