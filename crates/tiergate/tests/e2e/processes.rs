//! The engines' processes: what they see, and that none is left behind.

use crate::support::{Project, bench_of};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::Duration;
use tiergate_model::BenchStatus;

/// Whether a process is there; one that has ended and was not waited for is not.
fn is_alive(id: &str) -> bool {
    let process = Pid::from_raw(id.trim().parse().unwrap());
    let is_zombie = std::fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")));
    kill(process, None) != Err(Errno::ESRCH) && !is_zombie
}

#[track_caller]
fn assert_gone(project: &Project, file: &str) {
    let ids = project.read(file);
    assert!(!ids.trim().is_empty(), "nothing was started");
    for id in ids.lines() {
        // A signal is delivered a moment after it was sent.
        let ends = (0..200).any(|_| {
            let is_gone = !is_alive(id);
            if !is_gone {
                std::thread::sleep(Duration::from_millis(10));
            }
            is_gone
        });
        if !ends {
            let _ = kill(Pid::from_raw(id.trim().parse().unwrap()), Signal::SIGKILL);
            panic!("process {id} of `{file}` has outlived the run");
        }
    }
}

const DAEMONS: &str = "
import fs from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { bench } from 'tiergate';
const once = (start) => {
  let isStarted = false;
  return () => {
    if (isStarted) return;
    isStarted = true;
    start();
  };
};
const keep = (id) => fs.appendFileSync('started', `${id}\\n`);
const shell = (text) => spawnSync('/bin/sh', ['-c', text], { stdio: 'ignore' });
bench('child', once(() => keep(spawn('sleep', ['600'], { stdio: 'ignore' }).pid)));
bench('session of its own', once(() => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  keep(child.pid);
  child.unref();
}));
bench('holds the streams', once(() => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
  keep(child.pid);
  child.unref();
}));
bench('daemon', once(() => shell('setsid sleep 600 & echo $! >> started')));
bench('tree of daemons', once(() => shell(
  \"setsid sh -c 'echo $$ >> started; setsid sleep 600 & echo $! >> started; wait' & sleep 0.2\",
)));
";

#[test]
fn nothing_that_an_op_has_started_outlives_the_run() {
    for engine in ["node@24", "bun@1.4", "deno@2.9"] {
        let project = Project::with_budget(5, 5);
        project.file("a.bench.mjs", DAEMONS);
        let run = "run --instrument wall --repeats 3 --timeout 30 --save head.json --engine";
        project.tiergate(run).arg(engine).run();
        assert_eq!(project.result("head.json").benches.len(), 5);
        // The last reading of a run is the one after which nobody cleans up any more.
        assert_gone(&project, "started");
    }
}

#[test]
fn a_tree_of_daemons_is_gone_after_the_last_reading() {
    let project = Project::with_budget(5, 5);
    project.file("a.bench.mjs", DAEMONS);
    let run = "run --instrument wall --repeats 3 --engine node@24 --filter";
    project.tiergate(run).arg("*tree*").run();
    assert_gone(&project, "started");
}

#[test]
fn the_end_of_one_engine_is_not_the_end_of_anothers_children() {
    let project = Project::new();
    project.file(
        "a.bench.mjs",
        "import fs from 'node:fs';
         import { execFileSync } from 'node:child_process';
         import { bench } from 'tiergate';
         const text = execFileSync('/bin/sh', ['-c', 'setsid sleep 600 >/dev/null 2>&1 & echo $!']);
         const id = Number(text);
         fs.writeFileSync('started', `${id}\\n`);
         for (const end = Date.now() + 60_000; !fs.existsSync('b has ended');) {
           if (Date.now() > end) throw new Error('the other file never ended');
         }
         process.kill(id, 0);
         bench('uses a daemon', () => 1);",
    );
    project.file(
        "b.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         while (!fs.existsSync('started'));
         bench('quick', () => 1);",
    );
    project.file(
        "c.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         fs.writeFileSync('b has ended', '');
         bench('after b', () => 1);",
    );
    project.file("tiergate.toml", "jobs = 2\n");
    project.tiergate("list --engine node@24").run().exits(0);
    assert_gone(&project, "started");
}

#[test]
fn an_interrupted_run_ends_its_engines() {
    for (signal, code) in [(Signal::SIGINT, Some(130)), (Signal::SIGKILL, None)] {
        for engine in ["node@24", "bun@1.4", "deno@2.9"] {
            let project = Project::with_budget(5, 5);
            project.file(
                "a.bench.mjs",
                "import fs from 'node:fs';
                 import { spawn } from 'node:child_process';
                 import { bench } from 'tiergate';
                 bench('quick', () => 1);
                 bench('hangs', () => {
                   const child = spawn('sleep', ['600'], { stdio: 'ignore' });
                   fs.writeFileSync('engine', `${process.pid}\\n`);
                   fs.writeFileSync('child', `${child.pid}\\n`);
                   for (;;);
                 });",
            );
            let run = "run --instrument wall --repeats 3 --save head.json --engine";
            let mut running = project.tiergate(run).arg(engine).start();
            running.wait_until("the op hangs", |project| {
                project.has("child") && project.read("child").ends_with('\n')
            });
            running.signal(signal);
            let outcome = running.end();
            assert_eq!(outcome.code, code, "{outcome}");
            assert_gone(&project, "engine");
            if signal == Signal::SIGINT {
                assert_gone(&project, "child");
                let head = project.result("head.json");
                assert_eq!(bench_of(&head, "hangs").status, BenchStatus::Incomplete);
            } else {
                let child = project.read("child").trim().parse().unwrap();
                let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
            }
        }
    }
}

#[test]
fn engines_see_an_environment_of_fixed_content() {
    let project = Project::new();
    project.file(
        "tiergate.toml",
        "[bench.\"*\"]\nwarmup = 5\nops = 5\n
         [environment]\npass = [\"PASSED\", \"NOT_SET\"]\n
         [environment.set]\nWAS_SET = \"to this\"\n",
    );
    project.file(
        "bench/a.bench.mjs",
        "import fs from 'node:fs';
         import { bench } from 'tiergate';
         const { env, pid } = process;
         const seen = { env: { ...env }, cwd: process.cwd(), input: fs.readFileSync(0, 'utf8') };
         fs.writeFileSync(`seen-${pid}.json`, JSON.stringify(seen));
         bench('work', () => 1);",
    );
    for engine in ["node@20", "node@24", "bun@1.4", "deno@2.9"] {
        for entry in std::fs::read_dir(project.root()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("seen-") {
                std::fs::remove_file(path).unwrap();
            }
        }
        let run = project.tiergate("run --instrument wall --repeats 3 --engine").arg(engine);
        run.env("PASSED", "along").env("SECRET", "token").env("NODE_OPTIONS", "--no-opt").run();
        let mut seen = Vec::new();
        for entry in std::fs::read_dir(project.root()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.starts_with("seen-") {
                seen.push(serde_json::from_str::<serde_json::Value>(&project.read(&name)).unwrap());
            }
        }
        assert_eq!(seen.len(), 4, "{engine}");
        for one in &seen {
            let env = one["env"].as_object().unwrap();
            assert_eq!(env["PASSED"], "along", "{engine}");
            assert_eq!(env["WAS_SET"], "to this", "{engine}");
            for name in env.keys() {
                let hidden = ["SECRET", "NODE_OPTIONS", "LD_PRELOAD"].contains(&name.as_str());
                assert!(!hidden && !name.starts_with("TIERGATE_"), "{engine}: {name}");
            }
            let root = project.root().canonicalize().unwrap();
            assert_eq!(one["cwd"].as_str().unwrap(), root.to_str().unwrap(), "{engine}");
            assert_eq!(one["input"], "", "{engine}");
            assert_eq!(one["env"], seen[0]["env"], "{engine}");
        }
    }
}

#[test]
fn children_of_an_op_are_not_measured_processes() {
    let project = Project::with_budget(3, 3);
    project.file(
        "a.bench.mjs",
        "import { spawnSync } from 'node:child_process';
         import { bench } from 'tiergate';
         const script = 'process.ppid; process.kill(0, 0); process.ppid; process.ppid';
         bench('runs itself', () => {
           const { status, stderr } = spawnSync(process.execPath, ['-e', script]);
           if (status !== 0) throw new Error(String(stderr));
         });",
    );
    let run = "run --instrument wall --repeats 3 --save head.json --engine node@24";
    project.tiergate(run).run().exits(0);
}

#[test]
fn runs_beside_one_another_unpack_the_harness_once() {
    let project = Project::with_budget(3, 3);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    let cache = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..6)
        .map(|_| {
            let list = project.tiergate("list --engine node@24");
            list.env("XDG_CACHE_HOME", cache.path()).spawn_as_it_is()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let copies = std::fs::read_dir(cache.path().join("tiergate")).unwrap().count();
    assert_eq!(copies, 1, "half copies are left");
}

#[test]
fn a_damaged_copy_of_the_harness_is_replaced() {
    let project = Project::with_budget(3, 3);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    let cache = tempfile::tempdir().unwrap();
    let list = || project.tiergate("list --engine node@24").env("XDG_CACHE_HOME", cache.path());
    list().run().exits(0);
    let copy = std::fs::read_dir(cache.path().join("tiergate")).unwrap().next().unwrap().unwrap();
    let entry = copy.path().join("harness/entry/node.cjs");
    std::fs::write(&entry, "process.exit(7);\n").unwrap();
    list().run().exits(0);
    assert_ne!(std::fs::read_to_string(&entry).unwrap(), "process.exit(7);\n");
}
