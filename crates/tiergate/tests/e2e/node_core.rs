//! `createBenchmark` of Node's own suite, on the stand-in of its `benchmark/common.js`: the engine
//! flags that a file asks for.

use crate::support::{Project, bench_of};
use tiergate_model::BenchStatus;

const COMMON: &str = include_str!("../../../../tests/suites/node-core/benchmark/common.js");

fn project(flags: &str) -> Project {
    let project = Project::with_budget(20, 10);
    project.file("benchmark/common.js", COMMON);
    project.file(
        "benchmark/misc/collect.js",
        format!(
            "const common = require('../common.js');
             const bench = common.createBenchmark(main, {{ n: [10] }}, {{ flags: {flags} }});
             function main({{ n }}) {{
               if (typeof globalThis.gc !== 'function') throw new Error('no gc');
               bench.start();
               for (let i = 0; i < n; i++) globalThis.sink = [i];
               bench.end(n);
             }}"
        ),
    );
    project
}

#[test]
fn flags_of_a_file_are_those_of_its_processes() {
    let project = project("['--expose-gc', '--no-warnings']");
    let run = "run --instrument wall --repeats 3 --save base.json benchmark/misc/collect.js";
    project.tiergate(run).words("--engine node@24").run().exits(0);
    let base = project.result("base.json");
    let bench = bench_of(&base, "n=10");
    assert_eq!(bench.status, BenchStatus::Measured);
    assert_eq!(bench.conditions["engine arguments"], "--expose-gc --no-warnings");
}

#[test]
fn a_flag_that_the_engine_does_not_know_is_named() {
    let project = project("['--expose-gc', '--no-such-flag']");
    let run = "run --instrument wall --repeats 3 --save base.json benchmark/misc/collect.js";
    project.tiergate(run).words("--engine node@24").run().exits(4);
    let base = project.result("base.json");
    let bench = bench_of(&base, "n=10");
    assert_eq!(bench.status, BenchStatus::Incomplete);
    let reason = bench.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("--no-such-flag") && !reason.contains("--expose-gc"), "{reason}");
}
