//! The exactness of the counter against single-stepping, address by address: both in copies of one process. A copy
//! has one thread only, so engines are told not to rely on others.

use crate::steps::{command, must_run, root};
use crate::whole_programs::BUN_SERIAL;
use crate::windows::{
    self, ENGINES, NODE_FLAGS, WORKLOADS, build_driver, engine_command, examples,
};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

/// The program that isn't run by an engine.
const C_PROGRAM: &str = "c";
/// Calls before the window: four stages of the engine's compiling, hence four windows per workload.
const WARMUPS: [u32; 4] = [1000, 2000, 3000, 4000];
/// Further calls where a window holds a compilation, which is too much to step through.
const DETOURS: [u32; 3] = [0, 150, 450];
/// As `NODE_FLAGS`.
const DENO_SERIAL: &str = "--v8-flags=--single-threaded";
/// As many windows of the C program, each with other data.
const C_WINDOWS: u32 = 24;

/// `cargo xtask oracle [ENGINE…] [WORKLOAD…]`
pub(crate) fn run(words: &[String]) -> Result<()> {
    let mut engines: Vec<&str> = Vec::new();
    let mut workloads: Vec<&str> = Vec::new();
    for word in words {
        if ENGINES.contains(&word.as_str()) || word == C_PROGRAM {
            engines.push(word);
        } else if WORKLOADS.contains(&word.as_str()) {
            workloads.push(word);
        } else {
            bail!("`{word}` is neither an engine nor a workload");
        }
    }
    if engines.is_empty() {
        engines = ENGINES.into_iter().chain([C_PROGRAM]).collect();
    }
    if workloads.is_empty() {
        // Hundreds of millions of instructions are too many to step through.
        workloads = WORKLOADS.into_iter().filter(|name| *name != "typescript").collect();
    }
    windows::install()?;
    let driver = build_driver()?;
    let mut table = vec![
        "| engine | windows | equal | different by themselves | not compared | wrong |".to_owned(),
        "|---|---|---|---|---|---|".to_owned(),
    ];
    let mut all = [0; OUTCOMES];
    for engine in engines {
        let outcomes = compare(engine, &workloads, &driver)?;
        let cells = outcomes.map(|n| n.to_string()).join(" | ");
        table.push(format!("| {engine} | {} | {cells} |", outcomes.iter().sum::<usize>()));
        all.iter_mut().zip(outcomes).for_each(|(sum, n)| *sum += n);
    }
    println!("\n{}", table.join("\n"));
    if all[Outcome::Wrong as usize] > 0 || all[Outcome::Equal as usize] == 0 {
        bail!("the counter and single-stepping disagree");
    }
    Ok(())
}

/// What a window showed, in the order of the table's columns.
#[derive(Clone, Copy)]
enum Outcome {
    Equal,
    DiffersByItself,
    NotCompared,
    Wrong,
}

const OUTCOMES: usize = 4;

/// The numbers of an engine's outcomes.
fn compare(engine: &str, workloads: &[&str], driver: &Path) -> Result<[usize; OUTCOMES]> {
    let mut outcomes = [0; OUTCOMES];
    if engine == C_PROGRAM {
        let program = compile()?;
        for window in 0..C_WINDOWS {
            let mut step = stepping(driver);
            step.arg(&program).args([&(100 + window).to_string(), "1"]);
            outcomes[outcome(&format!("{engine} {window}"), &mut step)? as usize] += 1;
        }
        return Ok(outcomes);
    }
    for workload in workloads {
        for warmup in WARMUPS {
            let mut last = Outcome::NotCompared;
            for detour in DETOURS {
                let calls = warmup + detour;
                let mut step = window_of(engine, workload, calls, driver)?;
                last = outcome(&format!("{engine} {workload} {calls}"), &mut step)?;
                if !matches!(last, Outcome::NotCompared) {
                    break;
                }
            }
            outcomes[last as usize] += 1;
        }
    }
    Ok(outcomes)
}

/// A window after so many calls.
fn window_of(engine: &str, workload: &str, calls: u32, driver: &Path) -> Result<Command> {
    let mut step = stepping(driver);
    step.args(engine_command(engine)?);
    match engine {
        "bun" => {
            step.envs(BUN_SERIAL);
        }
        "deno" => {
            step.arg(DENO_SERIAL);
        }
        _ => {
            step.args(NODE_FLAGS);
        }
    }
    step.arg(format!("tests/windows/{workload}.mjs")).args([&calls.to_string(), ops(workload)]);
    Ok(step)
}

/// Few ops: each instruction is a system call of the tracer.
fn ops(workload: &str) -> &'static str {
    match workload {
        "json" | "churn" => "1",
        "regexp" => "4",
        _ => "10",
    }
}

fn stepping(driver: &Path) -> Command {
    let mut step = command(&examples().join("oracle").to_string_lossy(), &[]);
    step.arg(driver);
    step
}

/// Runs one window, and tells its first line.
fn outcome(name: &str, step: &mut Command) -> Result<Outcome> {
    let output = step.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{name}: {}", text.lines().next().unwrap_or("no output"));
    // The codes that the oracle's head documents.
    Ok(match output.status.code() {
        Some(0) => Outcome::Equal,
        Some(1) => Outcome::Wrong,
        Some(3) => Outcome::DiffersByItself,
        _ => Outcome::NotCompared,
    })
}

fn compile() -> Result<std::path::PathBuf> {
    let program = examples().join("window-program");
    let source = root().join("tests/windows/program.c");
    must_run(command("cc", &["-O2", "-o"]).arg(&program).arg(source))?;
    Ok(program)
}
