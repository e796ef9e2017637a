//! The exactness of the counter against single-stepping, address by address.

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
const WARMUPS: [&str; 4] = ["1000", "2000", "3000", "4000"];
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
    let mut table = vec!["| engine | windows equal | |".to_owned(), "|---|---|---|".to_owned()];
    let mut failed = 0;
    for engine in engines {
        let outcomes = compare(engine, &workloads, &driver)?;
        let differing: Vec<&str> = outcomes.iter().filter_map(|o| o.as_deref()).collect();
        failed += differing.len();
        let equal = outcomes.len() - differing.len();
        let first = differing.first().unwrap_or(&"");
        table.push(format!("| {engine} | {equal} of {} | {first} |", outcomes.len()));
    }
    println!("\n{}\n\n{failed} windows differ", table.join("\n"));
    if failed > 0 {
        bail!("the counter and single-stepping disagree");
    }
    Ok(())
}

/// What differs in each window of an engine.
fn compare(engine: &str, workloads: &[&str], driver: &Path) -> Result<Vec<Option<String>>> {
    let mut outcomes = Vec::new();
    if engine == C_PROGRAM {
        let program = compile()?;
        for window in 0..C_WINDOWS {
            let mut step = stepping(driver);
            step.arg(&program).args([&(100 + window).to_string(), "1"]);
            outcomes.push(outcome(&format!("{engine} {window}"), &mut step)?);
        }
        return Ok(outcomes);
    }
    for workload in workloads {
        for warmup in WARMUPS {
            let mut step = stepping(driver);
            step.args(engine_command(engine)?);
            if engine.starts_with("node") {
                step.args(NODE_FLAGS);
            }
            if engine == "bun" {
                step.envs(BUN_SERIAL);
            }
            step.arg(format!("tests/windows/{workload}.mjs")).args([warmup, ops(workload)]);
            outcomes.push(outcome(&format!("{engine} {workload} {warmup}"), &mut step)?);
        }
    }
    Ok(outcomes)
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

/// Runs one window; what differs, if something does.
fn outcome(name: &str, step: &mut Command) -> Result<Option<String>> {
    let output = step.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let reason = if text.is_empty() { String::from_utf8_lossy(&output.stderr) } else { text };
    let first = reason.lines().next().unwrap_or("no output");
    println!("{name}: {first}");
    Ok((!output.status.success()).then(|| format!("{name}: {first}")))
}

fn compile() -> Result<std::path::PathBuf> {
    let program = examples().join("window-program");
    let source = root().join("tests/windows/program.c");
    must_run(command("cc", &["-O2", "-o"]).arg(&program).arg(source))?;
    Ok(program)
}
