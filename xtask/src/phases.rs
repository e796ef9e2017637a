//! How far the collector's phase moves an op that allocates: the same window after some ops more,
//! by its whole count and by the median over its phases.

use crate::pinned::{Bench, SUITE, WORKLOADS, measure, prepare, print_heading, print_row, scratch};
use crate::steps::root;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Ops of warm-up beyond the calibrated one.
const MORE_OPS: [u64; 7] = [0, 50, 100, 150, 200, 250, 300];

/// Prints a Markdown table with two rows for each engine: `cargo xtask phases [ENGINE…]`.
pub(crate) fn run(engines: &[String]) -> Result<()> {
    let headings = ["engine", "warm-up", "window", "figure", "from", "to", "moves by"];
    for (index, engine) in prepare(engines)?.iter().enumerate() {
        let folder = scratch(engine)?;
        fs::copy(root().join(SUITE).join(WORKLOADS), folder.join(WORKLOADS))?;
        fs::write(folder.join("tiergate.toml"), "")?;
        let calibrated = churn(&folder, engine)?;
        let mut shifted = Vec::new();
        for more in MORE_OPS {
            let Bench { warmup_ops, window_ops, .. } = calibrated;
            let ops = format!("warmup = {}\nops = {window_ops}\n", warmup_ops + more);
            fs::write(folder.join("tiergate.toml"), format!("[bench.\"*\"]\n{ops}"))?;
            shifted.push(churn(&folder, engine)?);
        }
        let medians: Vec<f64> =
            shifted.iter().filter_map(|bench| bench.between_collections).collect();
        if index == 0 {
            print_heading(headings);
        }
        let whole: Vec<f64> = shifted.iter().map(|bench| bench.per_op).collect();
        for (figure, values) in [("whole count", whole), ("median over phases", medians)] {
            let ops = [calibrated.warmup_ops, calibrated.window_ops].map(|ops| ops.to_string());
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(0.0, f64::max);
            let moved = format!("{:.3} %", 100.0 * (high - low) / low);
            let figures = [figure.to_owned(), format!("{low:.0}"), format!("{high:.0}"), moved];
            print_row(engine, ops.into_iter().chain(figures));
        }
    }
    Ok(())
}

fn churn(folder: &Path, engine: &str) -> Result<Bench> {
    let more = ["--filter", "*::churn", "--repeats", "3"];
    let benches = measure(folder, &[WORKLOADS], engine, &more)?;
    benches.into_iter().next().context("there is no bench `churn`")
}
