//! Shards: every bench once, evenly, both sides together; and what is put together of them.

use crate::support::{Outcome, Project, Repository, Script, need_x86, scripted, skip};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const FILE: &str = "a.bench.mjs";
const BENCHES: usize = 12;

/// Twelve scripted benches of which head makes one slower, and lacks one; with recorded seconds.
fn repository() -> Repository {
    let project = Project::new();
    project.file(FILE, "// scripted\n");
    let lock: String = (0..BENCHES)
        .map(|number| {
            format!(
                "[node-24.\"{FILE}::b{number}\"]\nwarmup_ops = 100\nwindow_ops = 100\nseconds = {}.5\n",
                1 + number % 5
            )
        })
        .collect();
    project.file("tiergate.lock", format!("version = 1\n{lock}"));
    let repository = Repository::of(project);
    let benches = |side: &str| -> Vec<Value> {
        let numbers = (0..BENCHES).filter(|number| side == "base" || *number != 7);
        let count = |number| if side == "head" && number == 3 { 1.05e4 } else { 1e4 };
        numbers.map(|number| scripted(&format!("b{number}"), &[count(number)])).collect()
    };
    for side in ["base", "head"] {
        let script = Script::new().file(FILE, benches(side));
        script.write(repository.project(), &format!("script-{side}.json"));
    }
    repository.file("x", "1");
    repository
}

fn gate(repository: &Repository, words: &str, variables: &[(&str, &str)]) -> Outcome {
    let line = format!("gate --instrument mock --base main --no-build-hash --format json {words}");
    let mut invocation = repository
        .tiergate(&line)
        .script("script-head.json")
        .env("TIERGATE_MOCK_BASE", repository.path("script-base.json"));
    for (name, value) in variables {
        invocation = invocation.env(name, value);
    }
    invocation.run()
}

fn merge(repository: &Repository, words: &str) -> Outcome {
    repository.tiergate(&format!("merge --format json {words}")).run()
}

fn rows(outcome: &Outcome) -> Value {
    outcome.json()["rows"].clone()
}

#[test]
fn four_shards_put_together_are_the_whole() {
    let repository = repository();
    let whole = gate(&repository, "", &[]);
    let verdicts = whole.exits(4).verdicts();
    assert_eq!(verdicts[&format!("{FILE}::b3")], "FAIL");
    assert_eq!(verdicts[&format!("{FILE}::b7")], "INCOMPLETE");
    let mut seen = BTreeSet::new();
    for index in 1..=4 {
        let words = format!("--shard {index}/4 --save saved/{index}");
        for id in gate(&repository, &words, &[]).verdicts().into_keys() {
            assert!(seen.insert(id.clone()), "{id} is in two shards");
        }
    }
    assert_eq!(seen.len(), BENCHES);
    let merged = merge(&repository, "saved --save saved-all");
    assert_eq!(rows(merged.exits(4)), rows(&whole), "{merged}");
    assert_eq!(rows(merge(&repository, "saved-all").exits(4)), rows(&whole));
    for kind in ["markdown", "junit"] {
        merge(&repository, &format!("saved --export {kind}=saved.{kind}")).exits(4);
        let text = repository.project().read(&format!("saved.{kind}"));
        assert!(text.contains("b3"), "{text}");
    }
}

#[test]
fn missing_and_doubled_shards_are_named() {
    let repository = repository();
    for index in 1..=3 {
        gate(&repository, &format!("--shard {index}/4 --save saved/{index}"), &[]);
    }
    merge(&repository, "saved").refuses(4, "shard 4/4 is missing");
    let copy = |from: &str, to: &str| {
        fs::create_dir_all(repository.path(to)).unwrap();
        for name in ["gate.json", "base.json", "head.json"] {
            fs::copy(repository.path(from).join(name), repository.path(to).join(name)).unwrap();
        }
    };
    copy("saved/1", "saved/again");
    merge(&repository, "saved").refuses(4, "shard 1/4 is there twice");
    merge(&repository, "saved/1").refuses(4, "2/4, 3/4, 4/4 are missing");
    fs::remove_dir_all(repository.path("saved/again")).unwrap();
    gate(&repository, "--shard 2/2 --save saved/4", &[]);
    merge(&repository, "saved").refuses(4, "shard 2/2");
    fs::create_dir(repository.path("saved-none")).unwrap();
    merge(&repository, "saved-none").refuses(4, "no results");
    let path = repository.path("saved/1/head.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, &text[..text.len() / 2]).unwrap();
    merge(&repository, "saved/1").refuses(4, "cut off");
}

#[test]
fn shards_of_other_commits_or_settings_do_not_belong_together() {
    let repository = repository();
    gate(&repository, "--shard 1/2 --save saved/1", &[]);
    repository.file("x", "2");
    gate(&repository, "--shard 2/2 --save saved/2", &[]);
    merge(&repository, "saved").refuses(2, "head is");
    repository.file("x", "1");
    gate(&repository, "--shard 2/2 --save saved/2 --fail 9%", &[]);
    merge(&repository, "saved").refuses(2, "limits");
    gate(&repository, "--shard 2/2 --save saved/2", &[]);
    merge(&repository, "saved").exits(4);
}

#[test]
fn more_shards_than_benches_leave_some_without_work() {
    let repository = repository();
    let words = |index: u32| format!("--filter *b1 --shard {index}/3 --save saved/{index}");
    let codes: Vec<Option<i32>> =
        (1..=3).map(|index| gate(&repository, &words(index), &[]).code).collect();
    assert_eq!(codes, [Some(0); 3]);
    assert_eq!(merge(&repository, "saved").exits(0).verdicts().len(), 1);
}

/// Slurm and Kubernetes start the same command as many processes; each knows its place by its
/// environment.
#[test]
fn the_ci_says_which_shard_it_is() {
    let repository = repository();
    let whole = rows(&gate(&repository, "", &[]));
    let environments = [
        ("TIERGATE_SHARD_INDEX", 0, "TIERGATE_SHARD_TOTAL"),
        ("CI_NODE_INDEX", 1, "CI_NODE_TOTAL"),
        ("BUILDKITE_PARALLEL_JOB", 0, "BUILDKITE_PARALLEL_JOB_COUNT"),
        ("CIRCLE_NODE_INDEX", 0, "CIRCLE_NODE_TOTAL"),
        ("SLURM_ARRAY_TASK_ID", 0, "SLURM_ARRAY_TASK_COUNT"),
        ("JOB_COMPLETION_INDEX", 0, "JOB_COMPLETION_TOTAL"),
    ];
    for (index, first, total) in environments {
        let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
            let repository = &repository;
            let start = |job: u32| {
                scope.spawn(move || {
                    let number = (job + first).to_string();
                    let words = format!("--shard auto --save saved/{index}/{job}");
                    gate(repository, &words, &[(index, number.as_str()), (total, "3")])
                })
            };
            let jobs = [start(0), start(1), start(2)];
            jobs.map(|job| job.join().unwrap()).into()
        });
        assert!(outcomes.iter().all(|one| matches!(one.code, Some(0 | 1 | 4))), "{outcomes:?}");
        let merged = merge(&repository, &format!("saved/{index}"));
        assert_eq!(rows(&merged), whole, "{index}: {merged}");
    }
    gate(&repository, "--shard auto", &[]).refuses(64, "--shard auto");
    gate(&repository, "--shard 5/4", &[]).refuses(64, "5 of 4");
}

#[test]
fn runs_and_lists_are_divided_too() {
    let repository = repository();
    fs::create_dir(repository.path("saved")).unwrap();
    let mut listed = BTreeMap::new();
    for index in 1..=3 {
        let outcome = repository
            .tiergate(&format!("list --format json --shard {index}/3"))
            .script("script-base.json")
            .run();
        let ids = outcome.exits(0).listed();
        let line = format!("run --instrument mock --shard {index}/3 --save saved/{index}.json");
        repository.tiergate(&line).script("script-base.json").run().exits(0);
        let measured = repository.project().result(&format!("saved/{index}.json"));
        let measured: Vec<String> =
            measured.benches.iter().map(|bench| bench.id.to_string()).collect();
        assert_eq!(ids, measured);
        listed.extend(ids.into_iter().map(|id| (id, index)));
    }
    assert_eq!(listed.len(), BENCHES);
    let merged = repository.tiergate("merge saved --save saved.json").run();
    merged.exits(0);
    assert_eq!(repository.project().result("saved.json").benches.len(), BENCHES);
    // A part is never a base for the whole.
    let part = repository.tiergate("compare saved/1.json saved.json --format json").run();
    assert!(part.exits(4).stdout.contains("--shard 1/3"), "{part}");
}

/// Four processes at a time, with a real engine. What they say is the whole gate's, and their parts
/// are even by the recorded seconds.
#[test]
fn four_counting_processes_are_the_whole_gate() {
    need_x86!();
    let project = Project::new();
    let seconds = |number: usize| [0.9, 0.5, 1.3, 0.7, 1.1][number % 5];
    let mut lock = "version = 1\n".to_owned();
    let mut file =
        "import { bench } from 'tiergate';\nimport { step } from './lib.mjs';\n".to_owned();
    for number in 0..BENCHES {
        let steps = 200 + 40 * number;
        file += &format!(
            "bench('b{number}', () => {{ let sum = 0; for (let i = 0; i < {steps}; i++) sum = step(sum, i); return sum; }});\n"
        );
        lock += &format!(
            "[node-24.\"{FILE}::b{number}\"]\nwarmup_ops = 3000\nwindow_ops = 500\nseconds = {}\n",
            seconds(number)
        );
    }
    let library =
        |more: &str| format!("export const step = (sum, i) => ((sum * 31 + i{more}) | 0);\n");
    project.file(FILE, file).file("tiergate.lock", lock).file("lib.mjs", library(""));
    project.file("tiergate.toml", "engine = [\"node@24\"]\n");
    let repository = Repository::of(project);
    repository.file("lib.mjs", library(" + (i & 1)"));
    let gate = |words: &str| {
        let line = "gate --instrument counter --base main --format json --jobs 1";
        repository.tiergate(&format!("{line} {words}")).run()
    };
    let parts: Vec<Outcome> = std::thread::scope(|scope| {
        let start = |index| {
            let gate = &gate;
            scope.spawn(move || gate(&format!("--shard {index}/4 --save saved/{index}")))
        };
        let jobs: Vec<_> = (1..=4).map(start).collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    let whole = gate("");
    let merged = merge(&repository, "saved");
    assert_eq!(merged.code, whole.code, "{whole}");
    assert_eq!(merged.verdicts(), whole.verdicts(), "{merged}\n{whole}");
    assert_eq!(rows(&merged), rows(&whole));

    let even = (0..BENCHES).map(seconds).sum::<f64>() / 4.0;
    for part in &parts {
        let number = |id: &String| id.rsplit("::b").next().unwrap().parse::<usize>().unwrap();
        let sum: f64 = part.verdicts().keys().map(|id| seconds(number(id))).sum();
        assert!((sum / even - 1.0).abs() <= 0.1, "{sum} s instead of {even} s\n{part}");
    }
}
