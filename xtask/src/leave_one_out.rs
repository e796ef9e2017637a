//! What each pin is worth: the spread of equal readings with everything held, and with one thing
//! left out.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

const BENCHES: &str = "tests/suites/pinned/workloads.bench.mjs";

/// What is left out, by the words for `--engine-arg`.
const LEFT_OUT: [&str; 5] =
    ["no-pin:clock", "no-pin:gate", "no-pin:random", "no-pin:seed", "no-pin:resources"];

/// Prints a Markdown table for each engine: `cargo xtask leave-one-out [ENGINE…]`.
pub(crate) fn run(engines: &[String]) -> Result<()> {
    setup::engines()?;
    must_run(&mut command("cargo", &["build", "--release", "--package", "tiergate"]))?;
    let all = ["node@20", "node@22", "node@24", "node@26", "bun", "deno"].map(str::to_owned);
    let engines = if engines.is_empty() { &all[..] } else { engines };
    for engine in engines {
        let everything = measure(engine, &[])?;
        let names: Vec<&str> = everything.keys().map(String::as_str).collect();
        println!("\n| {engine} | {} |", names.join(" | "));
        println!("|---{}|", "|---".repeat(names.len()));
        print_row("everything held", &everything);
        for left_out in LEFT_OUT {
            print_row(left_out, &measure(engine, &["--engine-arg", left_out])?);
        }
        print_row("profile `default`", &measure(engine, &["--profile", "default"])?);
    }
    Ok(())
}

/// A bench's spread over its readings, and its instructions per op.
struct Row {
    spread: f64,
    per_op: f64,
}

fn measure(engine: &str, more: &[&str]) -> Result<BTreeMap<String, Row>> {
    let saved = root().join("target/leave-one-out.json");
    let mut run = Command::new(root().join("target/release/tiergate"));
    run.args(["run", BENCHES, "--instrument", "counter", "--repeats", "6", "--jobs", "4"])
        .args(["--engine", engine, "--save"])
        .arg(&saved)
        .args(["--config"])
        .arg(root().join("tests/suites/pinned/tiergate.toml"))
        .args(more)
        .current_dir(root())
        .env("TIERGATE_ENGINES", root().join("tests"))
        .stdout(std::process::Stdio::null());
    must_run(&mut run)?;
    let text = std::fs::read_to_string(&saved)?;
    let result: Value = serde_json::from_str(&text)?;
    let benches = result["benches"].as_array().context("the result has no benches")?;
    benches.iter().map(row).collect()
}

fn row(bench: &Value) -> Result<(String, Row)> {
    let id = bench["id"].as_str().context("a bench has no id")?;
    let name = id.rsplit("::").next().unwrap_or(id).to_owned();
    let row = Row {
        spread: bench["aa_spread"].as_f64().context("a bench has no spread")?,
        per_op: bench["instructions_per_op"].as_f64().context("a bench has no count")?,
    };
    Ok((name, row))
}

fn print_row(title: &str, benches: &BTreeMap<String, Row>) {
    let cells: Vec<String> = benches
        .values()
        .map(|row| {
            let spread =
                if row.spread == 0.0 { "**0**".to_owned() } else { format!("{:.0e}", row.spread) };
            format!("{spread} ({:.0})", row.per_op)
        })
        .collect();
    println!("| {title} | {} |", cells.join(" | "));
}
