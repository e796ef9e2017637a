//! What the counter costs: thread CPU time in the same window, natively and counted, interleaved.

use crate::windows::{ENGINES, Mode, WORKLOADS, Window, build_driver};
use crate::{setup, windows};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

/// Nanoseconds of native time that a window should take.
const WARM: f64 = 200e6;
/// The same for a window whose cost is mostly translation.
const COLD: f64 = 10e6;

struct Plan {
    engines: Vec<String>,
    workloads: Vec<String>,
    rounds: usize,
    callgrind: bool,
}

/// `cargo xtask bench-counter [--rounds N] [--callgrind] [ENGINE…] [WORKLOAD…]`
pub(crate) fn run(words: &[String]) -> Result<()> {
    let plan = plan(words)?;
    windows::install()?;
    setup::programs()?;
    let driver = build_driver()?;
    println!(
        "\nCPU time of the thread in the window, counted / native: of the minima (of the medians)."
    );
    for (title, length) in [("windows of 0.2 s", WARM), ("windows of 10 ms", COLD)] {
        println!("\n| {title} | {} |", plan.workloads.join(" | "));
        println!("|---{}|", "|---".repeat(plan.workloads.len()));
        let mut all = Vec::new();
        let mut attach = Vec::new();
        for engine in &plan.engines {
            let mut cells = Vec::new();
            for workload in &plan.workloads {
                let window = Window { driver: &driver, engine, workload };
                let row = measure(&window, length, plan.rounds, plan.callgrind && length == WARM)
                    .with_context(|| format!("{engine}, {workload}"))?;
                all.push(row.of_minima);
                attach.push(row.attach_us);
                cells.push(row.cell());
            }
            println!("| {engine} | {} |", cells.join(" | "));
        }
        println!(
            "\nMedian {:.2}, largest {:.2}; attaching {:.0} µs at best, {:.0} µs in the median.",
            median(&mut all),
            all.last().copied().unwrap_or_default(),
            attach.iter().copied().fold(f64::INFINITY, f64::min),
            median(&mut attach),
        );
    }
    Ok(())
}

fn plan(words: &[String]) -> Result<Plan> {
    let mut plan = Plan { engines: Vec::new(), workloads: Vec::new(), rounds: 5, callgrind: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--callgrind" => plan.callgrind = true,
            "--rounds" => {
                plan.rounds = words.next().context("`--rounds` needs a number")?.parse()?;
            }
            word if ENGINES.contains(&word) => plan.engines.push(word.to_owned()),
            word if WORKLOADS.contains(&word) => plan.workloads.push(word.to_owned()),
            other => bail!("`{other}` is neither an engine nor a workload"),
        }
    }
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    if plan.engines.is_empty() {
        plan.engines = all(&ENGINES);
    }
    if plan.workloads.is_empty() {
        plan.workloads = all(&WORKLOADS);
    }
    Ok(plan)
}

struct Row {
    of_minima: f64,
    of_medians: f64,
    attach_us: f64,
    callgrind: Option<f64>,
}

impl Row {
    fn cell(&self) -> String {
        let callgrind = self.callgrind.map(|ratio| format!(", callgrind {ratio:.0}"));
        format!("{:.2} ({:.2}){}", self.of_minima, self.of_medians, callgrind.unwrap_or_default())
    }
}

fn measure(window: &Window<'_>, length_ns: f64, rounds: usize, callgrind: bool) -> Result<Row> {
    let sized = window.run(Mode::Native, None)?;
    let ops = (length_ns / sized.ns_per_op).ceil().max(1.0);
    let mut times: BTreeMap<bool, Vec<f64>> = BTreeMap::new();
    let mut attach = Vec::new();
    for _ in 0..rounds {
        for counted in [false, true] {
            let mode = if counted { Mode::Counted } else { Mode::Native };
            let seen = window.run(mode, Some(ops))?;
            times.entry(counted).or_default().push(seen.cpu_us);
            attach.extend(seen.attach_ns.map(|ns| ns / 1e3));
        }
    }
    let [native, counted] = [false, true].map(|key| times.remove(&key).unwrap_or_default());
    let minimum = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let (best, of_minima) = (minimum(&native), minimum(&counted) / minimum(&native));
    let of_medians = median(&mut counted.clone()) / median(&mut native.clone());
    let callgrind =
        if callgrind { Some(window.run(Mode::Callgrind, Some(ops))?.cpu_us / best) } else { None };
    Ok(Row { of_minima, of_medians, attach_us: median(&mut attach), callgrind })
}

/// The median; the values are sorted.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
