//! Benches whose framework runs a loop of its own, and what ops leave behind: looked at beyond the
//! window as other benches are.

use crate::support::{Project, bench_of, need_x86, skip};
use tiergate_model::BenchStatus;

const COMMON: &str = include_str!("../../../../tests/suites/node-core/benchmark/common.js");

/// A file of Node's own suite; `before` is run once for each loop.
fn file(project: &Project, name: &str, before: &str, op: &str) {
    project.file(
        &format!("benchmark/loops/{name}.bench.js"),
        format!(
            "const common = require('../common.js');
             const bench = common.createBenchmark(main, {{ case: ['{name}'], n: [1000] }});
             function main({{ n }}) {{
               {before}
               let last;
               bench.start();
               for (let i = 0; i < n; i++) {{ {op} }}
               bench.end(n);
               globalThis.kept = last;
             }}"
        ),
    );
}

#[test]
fn loops_of_a_framework_are_looked_at_beyond_the_window() {
    need_x86!();
    let project = Project::with_benches("");
    project.file("benchmark/common.js", COMMON);
    let queue = "Array.from({ length: 500 }, (_, i) => ({ i, a: [i, i] }))";
    let take = "const one = queue.pop(); if (one) last = JSON.stringify(one);";
    let around = "const one = queue[i % 500]; last = JSON.stringify(one);";
    file(&project, "drained", &format!("const queue = {queue};"), take);
    file(&project, "stays", &format!("const queue = {queue};"), around);
    let run = "run --repeats 3 --save head.json --engine node@24 benchmark/loops";
    project.tiergate(run).run().exits(3);
    let results = project.result("head.json");
    for (name, word) in [("drained", Some("input is used up")), ("stays", None)] {
        let bench = bench_of(&results, &format!("case=\"{name}\" n=1000"));
        assert_eq!(bench.status, BenchStatus::Measured, "{name}");
        let reason = bench.reason.as_deref();
        match word {
            Some(word) => assert!(reason.is_some_and(|told| told.contains(word)), "{reason:?}"),
            None => assert_eq!(reason, None, "{name}"),
        }
    }
}

const LEFT_BEHIND: &str = "
const kept = [];
bench('keeps all', () => { kept.push([kept.length]); return kept.length; });
const ring = Array.from({ length: 1000 }, (_, i) => [i]);
let at = 0;
bench('keeps some', () => { at = (at + 1) % 1000; ring[at] = [at]; return at; });
";

#[test]
fn what_ops_leave_on_the_heap_is_told() {
    need_x86!();
    for engine in ["node@24", "bun"] {
        let project = Project::with_benches(LEFT_BEHIND);
        let run = format!("run --repeats 3 --save head.json --engine {engine}");
        let outcome = project.tiergate(&run).run();
        let results = project.result("head.json");
        let is_told = |name: &str| {
            let warnings = &bench_of(&results, name).warnings;
            warnings.iter().any(|told| told.contains("on the heap"))
        };
        assert!(is_told("keeps all"), "{engine}: {outcome:?}");
        assert!(!is_told("keeps some"), "{engine}: {outcome:?}");
    }
}
