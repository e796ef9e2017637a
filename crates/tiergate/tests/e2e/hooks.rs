//! Hooks and promises: tiergate calls what the framework calls, as often and in the same order.

use crate::support::{Project, bench_of, node};
use std::collections::BTreeMap;
use std::process::Command;
use tiergate_model::BenchStatus;

/// Tasks that note one letter for each call: the bench's set-up and tear-down, `beforeAll`,
/// `beforeEach`, the op, `afterEach` and `afterAll`.
fn noting_tasks(options: &str, run: &str) -> String {
    format!(
        "import fs from 'node:fs';
         import {{ Bench }} from 'tinybench';
         const logs = {{}};
         process.on('exit', () => {{
           for (const [name, log] of Object.entries(logs)) {{
             fs.writeFileSync(`log ${{name}} ${{process.pid}}`, log);
           }}
         }});
         const note = (name, letter) => {{ logs[name] = (logs[name] ?? '') + letter; }};
         const each = (name) => ({{
           beforeEach: () => note(name, 'b'),
           afterEach: () => note(name, 'a'),
         }});
         const all = (name) => ({{
           beforeAll: () => note(name, 'A'),
           afterAll: () => note(name, 'Z'),
         }});
         const bench = new Bench({{
           time: 0, iterations: 5, warmupTime: 0, warmupIterations: 4, {options}
           setup: (task) => note(task.name, 'S'),
           teardown: (task) => note(task.name, 'T'),
         }});
         bench
           .add('none', () => note('none', 'o'))
           .add('all', () => note('all', 'o'), all('all'))
           .add('each', () => note('each', 'o'), each('each'))
           .add('async', async () => note('async', 'o'), {{ ...all('async'), ...each('async') }});
         {run}"
    )
}

/// The logs of all processes with the names in theirs; then they are gone.
fn logs(project: &Project) -> Vec<(String, String)> {
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(project.root()).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(name) = file.strip_prefix("log ") {
            let name = name.split(' ').next().unwrap().to_owned();
            logs.push((name, std::fs::read_to_string(&path).unwrap()));
            std::fs::remove_file(path).unwrap();
        }
    }
    logs
}

/// Takes runs of `beforeEach op afterEach` together.
fn folded(log: &str) -> String {
    // From 5 on the framework calls a function once when it is added, to see whether it is async.
    let log = log.strip_prefix("oS").map_or(log.to_owned(), |rest| format!("S{rest}"));
    ["boa", "o"].iter().fold(log, |mut folded, round| {
        let twice = round.repeat(2);
        while folded.contains(&twice) {
            folded = folded.replace(&twice, round);
        }
        folded
    })
}

fn hooks_are_called_as_by_tinybench(major: u32) {
    let project = Project::with_budget(8, 6);
    project.install_tinybench("", major);
    let run = "await bench.run();";
    let warmed = if major == 2 { "await bench.warmup(); await bench.run();" } else { run };
    for (options, run) in [("", warmed), ("warmup: false,", run)] {
        project.file("a.bench.mjs", noting_tasks(options, run));
        let mut command = Command::new(node(24));
        let status = command.arg("a.bench.mjs").current_dir(project.root()).status().unwrap();
        assert!(status.success());
        let own: BTreeMap<String, String> = logs(&project).into_iter().collect();
        assert_eq!(own.len(), 4);

        project.tiergate("run --instrument wall --repeats 3 --engine node@24").run().exits(0);
        let measured = logs(&project);
        assert_eq!(measured.len(), 4 * 3, "{measured:?}");
        for (name, log) in &measured {
            assert_eq!(folded(log), folded(&own[name]), "tinybench {major}, {name}, {options}");
            assert_eq!(log.matches('o').count(), 8 + 6, "tinybench {major}, {name}: {log}");
        }
    }
}

#[test]
fn hooks_are_called_as_by_tinybench_2() {
    hooks_are_called_as_by_tinybench(2);
}

#[test]
fn hooks_are_called_as_by_tinybench_5() {
    hooks_are_called_as_by_tinybench(5);
}

#[test]
fn hooks_are_called_as_by_tinybench_6() {
    hooks_are_called_as_by_tinybench(6);
}

/// Tasks that throw unless their hooks alternate with the op, in tinybench and our own API.
#[test]
fn a_task_that_needs_its_hooks_gets_them() {
    let task = "
      let isReady = false;
      let isOpen = false;
      const before = () => {
        if (!isOpen || isReady) throw new Error('before: out of turn');
        isReady = true;
      };
      const op = () => {
        if (!isReady) throw new Error('op: out of turn');
        isReady = false;
      };
      const after = () => {
        if (!isOpen || isReady) throw new Error('after: out of turn');
      };
      const open = () => {
        if (isOpen) throw new Error('opened twice');
        isOpen = true;
      };
      const close = () => {
        if (!isOpen) throw new Error('closed twice');
        isOpen = false;
      };";
    for engine in ["node@20", "bun@1.4", "deno@2.9"] {
        let project = Project::with_budget(40, 20);
        project.file(
            "own/a.bench.mjs",
            format!(
                "import {{ bench }} from 'tiergate';
                 {task}
                 bench('own', op, {{ setup: open, teardown: close, before, after }});
                 bench('own without its hooks', op, {{ setup: open, teardown: close }});"
            ),
        );
        for major in [2, 5, 6] {
            let folder = format!("tinybench-{major}");
            project.install_tinybench(&folder, major);
            project.file(
                &format!("{folder}/a.bench.mjs"),
                format!(
                    "import {{ Bench }} from 'tinybench';
                     {task}
                     const hooks = {{ beforeAll: open, afterAll: close, beforeEach: before, afterEach: after }};
                     const bench = new Bench().add('task {major}', op, {{ async: false, ...hooks }});
                     bench.add('task {major} without its hooks', op, {{ async: false }});
                     await bench.run();"
                ),
            );
        }
        let run = "run --instrument wall --repeats 3 --save head.json --engine";
        project.tiergate(run).arg(engine).run().exits(4);
        let head = project.result("head.json");
        for name in ["own", "task 2", "task 5", "task 6"] {
            let with = bench_of(&head, name);
            assert_eq!(with.status, BenchStatus::Measured, "{engine}: {with:?}");
            let without = bench_of(&head, &format!("{name} without its hooks"));
            assert_eq!(without.status, BenchStatus::Incomplete, "{engine}: {without:?}");
            assert!(without.reason.as_deref().unwrap().contains("op: out of turn"));
        }
    }
}

/// Ops that throw when the one before has not come to its end.
#[test]
fn every_promise_is_awaited_before_the_next_op() {
    let ops = "
      let running = 0;
      // Long enough for a clock to tell it from the marks around it.
      const spin = () => { let sum = 0; for (let i = 0; i < 300000; i++) sum += i % 7; return sum; };
      const work = async () => {
        if (++running > 1) throw new Error('two ops at a time');
        spin();
        await null;
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      };
      const thenable = () => {
        if (++running > 1) throw new Error('two ops at a time');
        return { then(resolve) { setImmediate(() => { running--; resolve(); }); } };
      };";
    for engine in ["node@24", "bun@1.4", "deno@2.9"] {
        let project = Project::with_budget(20, 10);
        project.file(
            "own/a.bench.mjs",
            format!(
                "import {{ bench }} from 'tiergate';
                 {ops}
                 bench('async', async () => work());
                 bench('promise', () => work());
                 bench('thenable', thenable);
                 bench('batched', () => work(), {{
                   before: async () => {{ if (running) throw new Error('before: out of turn'); }},
                   after: async () => {{ if (running) throw new Error('after: out of turn'); }},
                   batch: 5,
                 }});"
            ),
        );
        for major in [2, 5, 6] {
            let folder = format!("tinybench-{major}");
            project.install_tinybench(&folder, major);
            project.file(
                &format!("{folder}/a.bench.mjs"),
                format!(
                    "import {{ Bench }} from 'tinybench';
                     {ops}
                     const bench = new Bench();
                     bench.add('async {major}', async () => work());
                     bench.add('promise {major}', () => work());
                     bench.add('hooked {major}', () => work(), {{
                       beforeEach() {{ if (running) throw new Error('before: out of turn'); }},
                     }});
                     await bench.run();"
                ),
            );
        }
        let run = "run --instrument wall --repeats 3 --save head.json --engine";
        project.tiergate(run).arg(engine).run().exits(0);
        let head = project.result("head.json");
        assert_eq!(head.benches.len(), 13);
        for bench in &head.benches {
            assert!(bench.is_async, "{engine}: {bench:?}");
        }
    }
}

/// The number of calls between two hooks of our own API is the size of its batch.
#[test]
fn hooks_of_our_own_api_are_called_around_every_batch() {
    let project = Project::with_budget(20, 20);
    project.file(
        "a.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         let log = '';
         process.on('exit', () => log && fs.writeFileSync(`log batched ${process.pid}`, log));
         bench('batched', (state, { size }) => { log += 'o'; return state; }, {
           params: { size: [1] },
           batch: 4,
           setup: ({ size }) => { log += 'S'; return { size }; },
           before: (state) => { log += state.size === 1 ? 'b' : '?'; },
           after: (state, { size }) => { log += size === 1 ? 'a' : '?'; },
           teardown: (state) => { log += state.size === 1 ? 'T' : '?'; },
         });",
    );
    project.tiergate("run --instrument wall --repeats 3 --engine node@24").run().exits(0);
    let measured = logs(&project);
    assert_eq!(measured.len(), 3);
    for (_, log) in measured {
        assert_eq!(log, format!("S{}T", "booooa".repeat(10)));
    }
}
