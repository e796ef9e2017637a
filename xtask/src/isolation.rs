//! What it costs to run each bench in a process of its own, against one process for all.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Files of ten benches that do nothing, with the words by which their framework runs them itself.
const FILES: [(&str, &str, &[&str]); 4] = [
    ("tinybench 6", "tests/suites/tinybench-6/empty.bench.mjs", &["empty.bench.mjs"]),
    (
        "vitest 3",
        "tests/suites/vitest-3/empty.bench.ts",
        &["../../node_modules/vitest/vitest.mjs", "bench", "--run", "empty"],
    ),
    (
        "vitest 4",
        "tests/suites/vitest-4/empty.bench.ts",
        &["node_modules/vitest/vitest.mjs", "bench", "--run", "empty"],
    ),
    (
        "vitest 5",
        "tests/suites/vitest-5/empty.bench.ts",
        &["node_modules/vitest/vitest.mjs", "bench", "--run", "empty"],
    ),
];
const BENCHES: f64 = 10.0;

/// Runs of which the mean counts.
const ROUNDS: u32 = 5;

/// Readings without which there is no result.
const FEWEST_READINGS: u32 = 3;

/// Linux tells processor time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// What runs the benches; nothing else of the machine's should.
const ENGINE: &str = "node-24";

/// Prints a Markdown table of seconds of processor time, which other programs on the machine don't
/// move much.
pub(crate) fn run() -> Result<()> {
    setup::engines()?;
    must_run(&mut command("cargo", &["build", "--quiet", "--release", "--package", "tiergate"]))?;
    println!(
        "| framework | all in one process | each in its own | with `--code-cache` | under callgrind |"
    );
    println!("|---|--:|--:|--:|--:|");
    for (name, file, words) in FILES {
        let shared = shared_seconds(file, words)? / BENCHES;
        let native = isolated_seconds(file, &["--instrument", "wall"])?;
        let cached = isolated_seconds(file, &["--instrument", "wall", "--code-cache"])?;
        let callgrind = isolated_seconds(file, &["--instrument", "callgrind"])?;
        let [with_native, with_cached] =
            [native, cached].map(|taken| format!("{taken:.3} s (+{:.3} s)", taken - shared));
        println!(
            "| {name} | {shared:.3} s | {with_native} | {with_cached} | {callgrind:.2} s (+{:.2} s) |",
            callgrind - shared
        );
    }
    Ok(())
}

/// Seconds that the framework's own run of the whole file takes.
fn shared_seconds(file: &str, words: &[&str]) -> Result<f64> {
    let folder = root().join(file).parent().context("the file has no folder")?.to_path_buf();
    let node = root().join("tests/node_modules").join(ENGINE).join("bin/node");
    let before = children_seconds()?;
    for _ in 0..ROUNDS {
        let mut own = Command::new(&node);
        own.args(words).current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null());
        if !own.status()?.success() {
            bail!("`{file}` does not run by its framework");
        }
    }
    Ok((children_seconds()? - before) / f64::from(ROUNDS))
}

/// Seconds of one reading's process: what more readings of a run take more.
fn isolated_seconds(file: &str, how: &[&str]) -> Result<f64> {
    let few = run_seconds(file, how, FEWEST_READINGS)?;
    let many = run_seconds(file, how, FEWEST_READINGS + ROUNDS)?;
    Ok((many - few) / f64::from(ROUNDS))
}

fn run_seconds(file: &str, how: &[&str], readings: u32) -> Result<f64> {
    let before = children_seconds()?;
    let saved = root().join("target/isolation.json");
    std::fs::create_dir_all(root().join("target"))?;
    let mut run = command("cargo", &["run", "--quiet", "--release", "--package", "tiergate"]);
    run.args(["--", "run", file, "--engine", "node@24", "--jobs", "1"])
        .args(["--repeats", &readings.to_string()])
        .args(how)
        .args(["--filter", "*empty 1", "--config"])
        .arg(root().join("tests/suites/isolation.toml"))
        .arg("--save")
        .arg(&saved)
        .env("TIERGATE_ENGINES", root().join("tests"))
        .stdout(Stdio::null());
    // Nothing is left to measure in the bench, which tiergate says by its exit code.
    let status = run.stderr(Stdio::null()).status()?;
    let result: Value = serde_json::from_str(&std::fs::read_to_string(&saved)?)?;
    let taken = result["benches"][0]["readings"].as_array().map_or(0, Vec::len);
    if taken != readings as usize {
        bail!("`{file}` has {taken} readings instead of {readings} ({how:?}: {status})");
    }
    Ok(children_seconds()? - before)
}

/// Processor time of all processes that this one has started and that have ended, theirs included.
fn children_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The second field, a name in brackets, can hold spaces; `cutime` and `cstime` are 16 and 17.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(13).take(2);
    let ticks: Vec<f64> = fields.map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}
