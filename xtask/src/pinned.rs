//! Measuring the workloads that show what a pinned process holds constant.

use crate::setup;
use crate::steps::{command, must_run, root, run};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the workloads and the ops that they are measured with are.
pub(crate) const SUITE: &str = "tests/suites/pinned";

/// Six kinds of work.
pub(crate) const WORKLOADS: &str = "workloads.bench.mjs";

/// TypeScript's compiler.
pub(crate) const TYPESCRIPT: &str = "typescript.bench.mjs";

/// The exit codes of a run that may have measured something, be it nothing to judge by: the ops are
/// the same on all engines, so code need not have settled before them; and without pins others do a
/// part of the work.
const MEASURED: [i32; 3] = [0, 3, 4];

/// Builds tiergate, installs the engines, and tells which of them are asked for.
pub(crate) fn prepare(engines: &[String]) -> Result<Vec<String>> {
    setup::engines()?;
    must_run(&mut command("cargo", &["build", "--release", "--package", "tiergate"]))?;
    let all = ["node@20", "node@22", "node@24", "node@26", "bun", "deno"].map(str::to_owned);
    Ok(if engines.is_empty() { all.to_vec() } else { engines.to_vec() })
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A folder for what is written on the way.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let folder = target().join("pinned").join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Measures the bench files of a folder with a configuration in it, and gives the benches of the
/// result. All of them have been measured.
pub(crate) fn measure(
    folder: &Path,
    files: &[&str],
    engine: &str,
    more: &[&str],
) -> Result<Vec<Bench>> {
    let result = result(folder, files, engine, more)?;
    let benches = result["benches"].as_array().context("the result has no benches")?;
    benches.iter().map(Bench::read).collect()
}

/// Measures them, and gives the whole result; those that the configuration names where `files` is empty.
pub(crate) fn result(folder: &Path, files: &[&str], engine: &str, more: &[&str]) -> Result<Value> {
    let saved = scratch(engine)?.join("result.json");
    let mut tiergate = Command::new(target().join("release/tiergate"));
    tiergate
        .arg("run")
        .args(files)
        .args(["--instrument", "counter", "--engine", engine, "--save"])
        .arg(&saved)
        .args(more)
        .current_dir(folder)
        .env("TIERGATE_ENGINES", root().join("tests"))
        .stdout(Stdio::null());
    let status = run(&mut tiergate)?;
    if !status.code().is_some_and(|code| MEASURED.contains(&code)) {
        bail!("the command above failed: {status}");
    }
    let text = std::fs::read_to_string(&saved)?;
    let result: Value = serde_json::from_str(&text)?;
    for bench in result["benches"].as_array().context("the result has no benches")? {
        if bench["readings"].as_array().is_none_or(Vec::is_empty) {
            bail!("{} has no readings: {}", bench["id"], bench["reason"]);
        }
    }
    Ok(result)
}

/// What a result says of a bench.
pub(crate) struct Bench {
    pub(crate) name: String,
    /// A fraction.
    pub(crate) spread: f64,
    pub(crate) per_op: f64,
    pub(crate) warmup_ops: u64,
    pub(crate) window_ops: u64,
    /// The median over the phases of its window.
    pub(crate) between_collections: Option<f64>,
}

impl Bench {
    fn read(bench: &Value) -> Result<Self> {
        let id = bench["id"].as_str().context("a bench has no id")?;
        let number =
            |field: &str| bench[field].as_f64().with_context(|| format!("`{id}` has no {field}"));
        let ops =
            |field: &str| bench[field].as_u64().with_context(|| format!("`{id}` has no {field}"));
        Ok(Self {
            name: id.rsplit("::").next().unwrap_or(id).to_owned(),
            spread: number("aa_spread")?,
            per_op: number("instructions_per_op")?,
            warmup_ops: ops("warmup_ops")?,
            window_ops: ops("window_ops")?,
            between_collections: bench["window_phases"]["median"].as_f64(),
        })
    }

    /// Its spread and its count per op, as a cell of a table.
    pub(crate) fn cell(&self) -> String {
        let spread = self.spread;
        let spread = if spread == 0.0 { "**0**".to_owned() } else { format!("{spread:.0e}") };
        format!("{spread} ({:.0})", self.per_op)
    }
}

/// Prints the heading of a Markdown table.
pub(crate) fn print_heading<'a>(columns: impl IntoIterator<Item = &'a str>) {
    let columns: Vec<&str> = columns.into_iter().collect();
    println!("\n| {} |", columns.join(" | "));
    println!("{}|", "|---".repeat(columns.len()));
}

/// Prints a row of a Markdown table.
pub(crate) fn print_row(title: &str, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    println!("| {title} | {} |", cells.join(" | "));
}
