//! Warm-ups that are found, and windows in which the code changes or work is done elsewhere.

use crate::support::{Project, bench_of};
use tiergate_model::{BenchStatus, CodeChange, Proof};

const ENGINES: [&str; 5] = ["node@22", "node@24", "node@26", "deno@2", "bun"];

const ON_NODE: [&str; 3] = ["node@22", "node@24", "node@26"];

const ON_V8: [&str; 4] = ["node@22", "node@24", "node@26", "deno@2"];

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
    for engine in ENGINES {
        let project = Project::with_benches(LATE_WRAPPER);
        counted(&project, engine, "", 0);
        let file = project.result("head.json");
        let bench = bench_of(&file, "wrapped");
        assert_eq!(bench.aa_spread, Some(0.0), "{engine}");
        let twin = proof(&project, "wrapped").twin.unwrap();
        assert_eq!(twin.changes_in_window, [], "{engine}");
        let last_tier = if engine == "bun" { "FTL" } else { "TurboFan" };
        assert_eq!(twin.tiers["small"], last_tier, "{engine}: {:?}", twin.tiers);
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
    for engine in ON_V8 {
        let project = Project::with_benches(TYPE_CHANGE);
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

/// JavaScriptCore stays in the same code, which goes another way from then on.
#[test]
fn a_jump_of_the_cost_without_a_change_of_code_is_seen_beside_collections() {
    let project = Project::with_benches(TYPE_CHANGE);
    counted(&project, "bun", "", 3);
    let file = project.result("head.json");
    let reason = bench_of(&file, "changes").reason.as_deref().unwrap_or("no reason");
    assert!(reason.contains("its cost drifts"), "{reason}");
    assert_eq!(bench_of(&file, "stays").reason, None);
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
    counted(&project, "node@24", "", 4);
    let file = project.result("head.json");
    let spawns = bench_of(&file, "spawns");
    assert_eq!(spawns.status, BenchStatus::Incomplete);
    let reason = spawns.reason.as_deref().unwrap();
    assert_eq!(reason, "work outside the measured thread: 5 processes started in the window");
    assert_eq!(bench_of(&file, "stays").reason, None);
}

/// It was started before the window, with nothing of this process's environment.
#[test]
fn work_of_a_child_that_runs_all_the_time_is_no_count_of_the_thread() {
    let project = Project::with_budget(200, 50);
    project.file(
        "child.cjs",
        "process.on('message', (n) => {
           let sum = 0;
           for (let i = 0; i < n; i++) sum = (sum * 31 + i) | 0;
           process.send(sum);
         });",
    );
    project.file(
        "a.bench.mjs",
        "import { bench } from 'tiergate';
         import { fork } from 'node:child_process';
         const child = fork(new URL('child.cjs', import.meta.url), { env: {} });
         const ask = (n) => new Promise((done) => { child.once('message', done); child.send(n); });
         await ask(1);
         child.unref();
         child.channel.unref();
         bench('asks', () => { child.channel.ref(); return ask(1_000_000); });
         bench('alone', async () => Math.sqrt(2));",
    );
    counted(&project, "node@24", "", 4);
    let file = project.result("head.json");
    let asks = bench_of(&file, "asks");
    let reason = asks.reason.as_deref().unwrap_or("no reason");
    assert_eq!(asks.status, BenchStatus::Incomplete, "{reason}");
    assert!(reason.contains("child processes ran for"), "{reason}");
    assert_eq!(bench_of(&file, "alone").status, BenchStatus::Measured);
}

#[test]
fn work_of_a_worker_or_a_pool_is_no_count_of_the_thread() {
    let project = Project::with_benches(
        "import { Worker } from 'node:worker_threads';
         import { pbkdf2 } from 'node:crypto';
         const loop = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum; };
         const text = `const { parentPort } = require('worker_threads');
           const loop = ${loop};
           parentPort.on('message', (n) => parentPort.postMessage(loop(n)));`;
         const worker = new Worker(text, { eval: true });
         worker.unref();
         const ask = (n) => new Promise((done) => { worker.once('message', done); worker.postMessage(n); });
         bench('posts', () => ask(200000));
         bench('pool', () => new Promise((done) => pbkdf2('a', 'b', 2000, 32, 'sha256', (_, key) => done(key))));
         bench('alone', async () => loop(20000));",
    );
    counted(&project, "node@24", "", 4);
    let file = project.result("head.json");
    for name in ["posts", "pool"] {
        let bench = bench_of(&file, name);
        assert_eq!(bench.status, BenchStatus::Incomplete, "{name}: {bench:?}");
        let reason = bench.reason.as_deref().unwrap();
        assert!(reason.contains("work outside the measured thread"), "{name}: {reason}");
    }
    let alone = bench_of(&file, "alone");
    assert_eq!((alone.status, &alone.reason), (BenchStatus::Measured, &None));
}

/// Benches that are calm in their window and yet none to judge by, each with a sound one of its shape.
const CALM: &str = "
const work = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum; };
bench('removed', () => 1 + 1);
bench('unused', () => { const point = { x: 1, y: 2 }; });
bench('empty loop', () => work(20));
const queue = Array.from({ length: 1500 }, (_, i) => i);
bench('drained', () => { const next = queue.pop(); return next === undefined ? 0 : work(next % 100 + 50); });
const ring = Array.from({ length: 1500 }, (_, i) => i);
let at = 0;
bench('ring', () => work(ring[at++ % ring.length] % 100 + 50));
const once = Array.from({ length: 3000 }, (_, i) => i).values();
bench('emptied at once', () => { let sum = 0; for (const one of once) sum += one; return sum; });
const again = Array.from({ length: 3000 }, (_, i) => i);
bench('walked', () => { let sum = 0; for (const one of again.values()) sum += one; return sum; });
const made = (function* () { for (let i = 0; i < 3000; i++) yield work(i % 100 + 50); })();
bench('generated', () => made.next().value);
const known = new Map();
bench('remembered', () => known.get(1) ?? known.set(1, work(500000)).get(1));
bench('looked up', () => known.get(at++ & 1));
const kept = [];
bench('grows', () => { kept.push(1); let sum = 0; for (const one of kept) sum += one; return sum; });
const full = Array.from({ length: 1000 }, () => 1);
bench('stays', () => { full.shift(); full.push(1); let sum = 0; for (const one of full) sum += one; return sum; });
";

#[test]
fn calm_windows_of_drained_grown_and_removed_work_are_none_to_judge_by() {
    for engine in ENGINES {
        let project = Project::with_benches(CALM);
        counted(&project, engine, "", 3);
        let file = project.result("head.json");
        for (name, word) in [
            ("removed", "nothing left to measure"),
            ("unused", "nothing left to measure"),
            ("drained", "input is used up"),
            ("emptied at once", "input is used up"),
            ("generated", "input is used up"),
            ("remembered", "done by the first op"),
            ("grows", "drifts"),
        ] {
            let bench = bench_of(&file, name);
            assert_eq!(bench.status, BenchStatus::Measured, "{engine} {name}");
            let reason = bench.reason.as_deref().unwrap_or("no reason");
            assert!(reason.contains(word), "{engine} {name}: {reason}");
        }
        for name in ["empty loop", "ring", "walked", "looked up", "stays"] {
            let bench = bench_of(&file, name);
            assert_eq!(bench.reason, None, "{engine} {name}");
            assert_eq!(bench.aa_spread, Some(0.0), "{engine} {name}");
        }
    }
}

/// A table in which every op forgets one entry: its lookups get dearer until the engine cleans it up,
/// every some ten thousand ops.
const TABLE: &str = "
const table = new Map();
let next = 0;
for (; next < 10000; next++) table.set('key:' + next, next);
const names = Array.from({ length: 20000 }, (_, i) => 'key:' + i);
bench('forgets', () => {
  table.delete(names[(next + 10000) % 20000]);
  table.set(names[next % 20000], next++);
});
";

#[test]
fn what_rises_and_falls_over_many_ops_gets_a_window_that_holds_it_often() {
    for engine in ON_NODE {
        let project = Project::with_benches(TABLE);
        counted(&project, engine, "", 0);
        let file = project.result("head.json");
        let bench = bench_of(&file, "forgets");
        assert_eq!((&bench.reason, bench.aa_spread), (&None, Some(0.0)), "{engine}");
        let calibration = bench.calibration.unwrap();
        assert!(calibration.processes >= 4 && calibration.seconds > 0.0, "{engine}");
    }
}

#[test]
fn the_evidence_is_shown_and_exported() {
    let project = Project::with_benches(LATE_WRAPPER);
    let words = "prove a.bench.mjs::wrapped --repeats 3 --engine node@24 --export html=w.html \
                 --export trace=w.txt";
    let shown = project.tiergate(words).run();
    shown.exits(0);
    for word in ["the window opens", "compiled by TurboFan", "cost of an op by its age", "again:"] {
        shown.prints(word);
    }
    assert!(project.read("w.html").contains("<svg"));
    assert!(project.read("w.txt").contains("tiergate-mark"));
    project.tiergate("prove a.bench.mjs::none --engine node@24").run().exits(64);
}
