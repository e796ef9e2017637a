//! Benches that can't be measured: the reason is named, the others are measured, and the exit code
//! is never 0.

use crate::support::{Outcome, Project, bench_of};
use tiergate_model::{BenchResult, BenchStatus, ResultFile};

/// Measures three times by the clock into `head.json`.
fn measure(project: &Project, engine: &str, words: &str) -> Outcome {
    let run = "run --instrument wall --repeats 3 --save head.json --format json --engine";
    project.tiergate(run).arg(engine).words(words).run()
}

#[track_caller]
fn reason<'a>(file: &'a ResultFile, names: &str) -> &'a str {
    let bench = bench_of(file, names);
    assert_eq!(bench.status, BenchStatus::Incomplete, "{bench:?}");
    assert!(bench.instructions_per_op.is_none() && bench.wall.is_none(), "{bench:?}");
    bench.reason.as_deref().unwrap()
}

#[track_caller]
fn assert_reason(file: &ResultFile, names: &str, texts: &[&str]) {
    let reason = reason(file, names);
    for text in texts {
        assert!(reason.contains(text), "`{text}` is not in the reason of `{names}`: {reason}");
    }
    assert_eq!(reason.lines().count(), 1, "{reason}");
}

#[track_caller]
fn assert_measured<'a>(file: &'a ResultFile, names: &str) -> &'a BenchResult {
    let bench = bench_of(file, names);
    assert_eq!(bench.status, BenchStatus::Measured, "{bench:?}");
    assert_eq!(bench.readings.len(), 3);
    bench
}

/// Ops that end the process in every way, or disturb the measurement.
const HOSTILE: &str = "
import { bench } from 'tiergate';
let calls = 0;
const late = (what) => () => {
  if (++calls === 15) what();
};
bench('good before', () => 1);
bench('exits', late(() => { process.exit(0); }));
bench('exits with a code', late(() => { process.exit(3); }));
bench('is killed', late(() => process.kill(process.pid, 'SIGKILL')));
bench('throws', late(() => { throw new RangeError('too far'); }));
bench('throws a text', late(() => { throw 'just a text'; }));
bench('rejects', async () => late(() => { throw new RangeError('too late'); })());
bench('hangs', late(() => { for (;;); }));
bench('never settles', () => new Promise(() => {}));
bench('reads a mark', () => process.ppid);
bench('arms', () => process.kill(0, 0));
bench('set-up throws', () => 1, { setup: () => { throw new Error('no set-up'); } });
bench('tear-down throws', () => 1, { teardown: () => { throw new Error('no tear-down'); } });
bench('good after', () => 1);
";

fn hostile_ops_are_told_apart_on(engine: &str) {
    let project = Project::with_budget(10, 10);
    project.file("a.bench.mjs", HOSTILE);
    let outcome = measure(&project, engine, "--timeout 8");
    outcome.exits(4);
    let head = project.result("head.json");
    let place = |line: &str| {
        let line = HOSTILE.lines().position(|one| one.starts_with(line)).unwrap() + 1;
        format!("a.bench.mjs:{line}:")
    };
    assert_measured(&head, "good before");
    assert_measured(&head, "good after");
    let exits = place("bench('exits',");
    assert_reason(&head, "exits", &["ended with exit code 0", &exits]);
    assert_reason(&head, "exits with a code", &["ended with exit code 3"]);
    assert_reason(&head, "is killed", &["killed by SIGKILL"]);
    let throws = place("bench('throws',");
    assert_reason(&head, "throws", &["the op threw", "RangeError: too far", &throws]);
    assert_reason(&head, "throws a text", &["the op threw", "just a text"]);
    let rejects = place("bench('rejects',");
    assert_reason(&head, "rejects", &["the op threw", "RangeError: too late", &rejects]);
    assert_reason(&head, "hangs", &["not finished within 8 s"]);
    assert_reason(&head, "never settles", &["never settled"]);
    assert_reason(&head, "reads a mark", &["marks more than planned", "process.ppid"]);
    assert_reason(&head, "arms", &["process.kill(0, 0)"]);
    assert_reason(&head, "set-up throws", &["the set-up threw", "no set-up"]);
    assert_reason(&head, "tear-down throws", &["the tear-down threw", "no tear-down"]);
    for bench in &head.benches {
        assert!(outcome.stderr.contains(bench.id.as_str()), "{}\n{outcome}", bench.id);
    }
}

#[test]
fn hostile_ops_are_told_apart_on_node_20() {
    hostile_ops_are_told_apart_on("node@20");
}

#[test]
fn hostile_ops_are_told_apart_on_node_24() {
    hostile_ops_are_told_apart_on("node@24");
}

#[test]
fn hostile_ops_are_told_apart_on_bun() {
    hostile_ops_are_told_apart_on("bun@1.4");
}

#[test]
fn hostile_ops_are_told_apart_on_deno() {
    hostile_ops_are_told_apart_on("deno@2.9");
}

#[test]
fn a_crash_is_told() {
    let project = Project::with_budget(10, 10);
    project.file(
        "a.bench.mjs",
        "import { bench } from 'tiergate';
         let calls = 0;
         bench('aborts', () => { if (++calls === 15) process.abort(); });
         bench('overflows', function again() { return again() + 1; });
         bench('good', () => 1);",
    );
    measure(&project, "node@24", "").exits(4);
    let head = project.result("head.json");
    assert_reason(&head, "aborts", &["killed by SIGABRT"]);
    assert_reason(&head, "overflows", &["the op threw", "RangeError"]);
    assert_measured(&head, "good");
}

/// A good and a throwing task under each framework, and the good one alone as its control.
#[test]
fn a_throwing_task_is_no_fast_task() {
    for major in [2, 5, 6] {
        let project = Project::with_budget(10, 10);
        project.install_tinybench("tiny", major);
        let file = |tasks: &str| {
            format!(
                "import {{ Bench }} from 'tinybench';
                 const bench = new Bench();
                 let calls = 0;
                 {tasks}
                 await bench.run();"
            )
        };
        let good = "bench.add('good', () => [1, 2].map(String));";
        project.file("tiny/a.bench.mjs", file(good));
        measure(&project, "node@24", "").exits(0);

        let throwing = "
          bench.add('throws at once', () => { throw new TypeError('not a thing'); });
          bench.add('throws late', () => { if (++calls > 12) throw new TypeError('no more'); });
          bench.add('rejects', async () => { throw new TypeError('not now'); });
          bench.add('good after', () => 1);";
        let text = file(&format!("{good}{throwing}"));
        project.file("tiny/a.bench.mjs", &text);
        let outcome = measure(&project, "node@24", "");
        outcome.exits(4);
        let head = project.result("head.json");
        assert_measured(&head, "good");
        assert_measured(&head, "good after");
        for (name, message) in [
            ("throws at once", "TypeError: not a thing"),
            ("throws late", "TypeError: no more"),
            ("rejects", "TypeError: not now"),
        ] {
            let line = text.lines().position(|line| line.contains(name)).unwrap() + 1;
            let place = format!("a.bench.mjs:{line}:");
            assert_reason(&head, name, &["the op threw", message, &place]);
            outcome.says(message);
        }
    }
}

#[test]
fn a_throwing_hook_is_told() {
    for major in [2, 5, 6] {
        let project = Project::with_budget(10, 10);
        project.install_tinybench("", major);
        let hooks = ["beforeAll", "beforeEach", "afterEach", "afterAll"];
        let tasks: String = hooks
            .iter()
            .map(|hook| {
                format!("bench.add('{hook}', () => 1, {{ {hook}() {{ throw new Error('in {hook}'); }} }});\n")
            })
            .collect();
        project.file(
            "a.bench.mjs",
            format!(
                "import {{ Bench }} from 'tinybench';
                 const bench = new Bench();\n{tasks}
                 bench.add('good', () => 1);
                 await bench.run();"
            ),
        );
        measure(&project, "node@24", "").exits(4);
        let head = project.result("head.json");
        assert_measured(&head, "good");
        for hook in hooks {
            assert_reason(&head, hook, &["threw", &format!("in {hook}")]);
        }
    }
}

#[test]
fn a_bench_that_is_listed_and_does_not_come_up_again_is_told() {
    let project = Project::with_budget(10, 10);
    project.install_tinybench("", 6);
    project.file(
        "a.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         const isFirst = !fs.existsSync('was here');
         fs.writeFileSync('was here', '');
         if (isFirst) bench('only once', () => 1);
         bench('always', () => 1);",
    );
    project.file(
        "b.bench.mjs",
        "import fs from 'node:fs';
         import { Bench } from 'tinybench';
         const isFirst = !fs.existsSync('was here, too');
         fs.writeFileSync('was here, too', '');
         const bench = new Bench();
         if (isFirst) bench.add('only once in a framework', () => 1);
         bench.add('always in a framework', () => 1);
         await bench.run();",
    );
    measure(&project, "node@24", "").exits(4);
    let head = project.result("head.json");
    for framework in ["", " in a framework"] {
        assert_measured(&head, &format!("always{framework}"));
        assert_reason(&head, &format!("only once{framework}"), &["not registered"]);
    }
}

#[test]
fn an_unknown_major_of_a_framework_is_named() {
    let project = Project::with_budget(10, 10);
    let manifest = "{\"name\": \"tinybench\", \"version\": \"99.1.0\", \"type\": \"module\",
                     \"exports\": \"./dist/index.js\"}";
    project.file("new/node_modules/tinybench/package.json", manifest);
    project.file(
        "new/node_modules/tinybench/dist/index.js",
        "export class Bench { add() { return this; } async run() {} }\nexport class Task {}\n",
    );
    project.file("new/package.json", "{}");
    let text = "import { Bench } from 'tinybench';
                const bench = new Bench().add('work', () => 1);
                await bench.run();";
    project.file("new/a.bench.mjs", text);
    project.install_tinybench("known", 6).file("known/a.bench.mjs", text);
    for engine in ["node@20", "node@24", "bun@1.4", "deno@2.9"] {
        let outcome = measure(&project, engine, "");
        outcome.exits(4).says("new/a.bench.mjs").says("tinybench 99.1.0 is not supported");
        outcome.says("hint: ");
        let head = project.result("head.json");
        assert_eq!(head.benches.len(), 2, "{outcome}");
        assert_measured(&head, "work");
        let list = project.tiergate("list --format json --engine").arg(engine).run();
        assert_eq!(list.exits(4).listed(), ["known/a.bench.mjs::work"]);
        list.says("tinybench 99.1.0 is not supported");
    }
}

#[test]
fn files_that_can_not_be_loaded_are_told_and_the_others_measured() {
    let project = Project::with_budget(10, 10);
    let good = "import { bench } from 'tiergate';\nbench('good', () => 1);\n";
    project.file("good.bench.mjs", good);
    project.file("throws.bench.mjs", format!("{good}throw new TypeError('no database');\n"));
    project.file("typo.bench.mjs", format!("{good}const = 1;\n"));
    project.file("missing.bench.mjs", format!("{good}import 'no-such-package';\n"));
    project.file("empty.bench.mjs", "");
    project.file("exits.bench.mjs", "process.exit(0);\n");
    project.file("misused.bench.mjs", "import { bench } from 'tiergate';\nbench('x', 5);\n");
    project.file("late.bench.mjs", format!("{good}setTimeout(() => bench('late', () => 1), 1);\n"));
    for engine in ["node@24", "bun@1.4", "deno@2.9"] {
        let outcome = measure(&project, engine, "");
        outcome.exits(4);
        let head = project.result("head.json");
        let told = |file: &str, texts: &[&str]| {
            let bench = head.benches.iter().find(|bench| bench.id.as_str() == file);
            let bench = bench.unwrap_or_else(|| panic!("{engine}: `{file}`\n{outcome}"));
            for text in texts {
                let reason = bench.reason.as_deref().unwrap();
                assert!(reason.contains(text), "{engine}: `{text}`: {bench:?}");
                outcome.says(&format!("`{file}`: {reason}"));
            }
        };
        told("throws.bench.mjs", &["threw while loading: TypeError: no database", "mjs:3:"]);
        // Each engine has words of its own for a syntax error.
        let typo = if engine == "node@24" { "SyntaxError" } else { "typo.bench.mjs" };
        told("typo.bench.mjs", &[typo]);
        told("missing.bench.mjs", &["no-such-package"]);
        told("empty.bench.mjs", &["no benchmark found"]);
        told("exits.bench.mjs", &["ended with exit code 0"]);
        told("misused.bench.mjs", &["must be the function to measure", "mjs:2:"]);
        assert_measured(&head, "good");
        outcome.says("hint: ");
    }
}

#[test]
fn garbage_on_the_streams_is_the_users_and_disturbs_nothing() {
    let project = Project::with_budget(10, 10);
    project.file(
        "a.bench.mjs",
        "import { bench } from 'tiergate';
         process.stdout.write('{\"event\":\"measured\"}\\n');
         process.stderr.write(Buffer.from([0xff, 0xfe, 0x0a]));
         console.log('loaded by the user');
         bench('prints', () => console.log('{\"event\":\"end\"} \\u0000 op of the user'));
         process.on('exit', () => console.log('left by the user'));",
    );
    for engine in ["node@24", "bun@1.4", "deno@2.9"] {
        let run = "run --instrument wall --repeats 3 --save head.json --format json --engine";
        let output = project.tiergate(run).arg(engine).bytes();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{engine}: {stderr}");
        for text in ["loaded by the user", "op of the user", "left by the user"] {
            assert!(stderr.contains(text), "{engine}: `{text}`: {stderr}");
        }
        assert!(output.stderr.windows(2).any(|pair| pair == [0xff, 0xfe]), "{engine}: {stderr}");
        let stdout: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(stdout["benches"][0]["status"], "measured");
        assert_measured(&project.result("head.json"), "prints");

        let list = project.tiergate("list --format json --engine").arg(engine).bytes();
        let stdout: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
        assert_eq!(stdout["benches"].as_array().unwrap().len(), 1, "{engine}");
    }
}

#[test]
fn forged_events_do_not_pass_for_a_measurement() {
    let project = Project::with_budget(10, 10);
    project.file(
        "a.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         // The environment that the process was started with still names the request.
         const variables = fs.readFileSync('/proc/self/environ', 'utf8').split('\\0');
         const request = variables.find((one) => one.startsWith('TIERGATE_REQUEST=')).slice(17);
         const { events } = JSON.parse(fs.readFileSync(request, 'utf8'));
         bench('writes garbage', () => fs.appendFileSync(events, 'garbage\\n'));
         bench('says that it is done', () => {
           const fields = { async: false, warmupOps: 10, windowOps: 10, sections: 1 };
           fs.appendFileSync(events, JSON.stringify({ event: 'measured', ...fields }) + '\\n');
           process.exit(0);
         });
         bench('good', () => 1);",
    );
    measure(&project, "node@24", "").exits(4);
    let head = project.result("head.json");
    assert_reason(&head, "writes garbage", &["events"]);
    reason(&head, "says that it is done");
    assert_measured(&head, "good");
}

#[test]
fn names_that_look_like_other_ids_are_benches_of_their_own() {
    let project = Project::with_budget(10, 10);
    project.file(
        "a.bench.mjs",
        "import { bench, group } from 'tiergate';
         bench('twice', () => 1);
         bench('twice', () => 2);
         bench('twice #2', () => 3);
         group('a', () => bench('b > c', () => 4));
         group('a > b', () => bench('c', () => 5));
         bench('line\\nbreak \\u001b[31m', () => 6);",
    );
    let outcome = measure(&project, "node@24", "");
    outcome.exits(0).says("twice");
    let head = project.result("head.json");
    assert_eq!(head.benches.len(), 6, "{outcome}");
    for bench in &head.benches {
        assert_eq!(bench.status, BenchStatus::Measured, "{bench:?}");
    }
    let human = project.tiergate("run --instrument wall --repeats 3 --engine node@24").run();
    assert!(!human.stdout.contains('\x1b') && !human.stderr.contains('\x1b'), "{human}");
}
