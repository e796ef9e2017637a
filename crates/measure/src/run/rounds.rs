//! Wall-clock readings: rounds over all benches, each round beginning with another bench, so that
//! the machine's drift spreads evenly.

use super::budget::window_ops;
use super::found::find_budget;
use super::outcome::{empty_result, finish, push, skipped};
use super::subject::whole_batches;
use super::{Progress, RunPlan};
use crate::Fault;
use crate::executor::{Bench, Executor, RawReading, ReadOptions};
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_model::{BenchResult, BenchStatus, OpBudget, Perturbation, Unit, WallReading};

/// Native nanoseconds that a wall-clock window beside another instrument should hold.
const WALL_WINDOW_NS: f64 = 100e6;

/// All readings of a run whose instrument is the clock.
pub(super) fn measure(
    executor: &dyn Executor,
    plan: &RunPlan,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
) -> Vec<BenchResult> {
    let mut results: Vec<BenchResult> = plan.benches.iter().map(empty_result).collect();
    let mut budgets: Vec<Option<OpBudget>> = Vec::new();
    for (bench, result) in plan.benches.iter().zip(&mut results) {
        budgets.push(if bench.discovered.skipped {
            *result = skipped(result.clone());
            None
        } else {
            stop_or(interrupted, || find_budget(executor, plan, bench, progress))
                .map_err(|fault| fail(result, &fault))
                .ok()
                .map(|found| found.budget)
        });
    }
    rotate(plan, plan.repeats, |bench, index| {
        let Some((budget, result)) = budgets[index].zip(results.get_mut(index)) else { return };
        let raw = stop_or(interrupted, || {
            let show_output = result.readings.is_empty();
            executor.read(bench, budget, ReadOptions { show_output, ..ReadOptions::default() })
        });
        progress.process_finished(bench, seconds(&raw));
        match raw {
            Ok(raw) => push(result, raw, Perturbation::None),
            Err(fault) => {
                fail(result, &fault);
                budgets[index] = None;
            }
        }
    });
    for (result, budget) in results.iter_mut().zip(&budgets) {
        if budget.is_some() {
            finish(result, Unit::Nanoseconds);
        }
        progress.bench_finished(result);
    }
    results
}

/// Adds wall-clock rounds to results of another instrument. A bench whose rounds fail keeps its
/// counts and has no wall-clock figure.
pub(super) fn add_wall(
    executor: &dyn Executor,
    plan: &RunPlan,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
    results: &mut [BenchResult],
) {
    let mut rounds: Vec<Option<Vec<f64>>> = results
        .iter()
        .map(|result| (result.status == BenchStatus::Measured).then(Vec::new))
        .collect();
    let mut budgets: Vec<Option<OpBudget>> = Vec::new();
    for (bench, result) in plan.benches.iter().zip(results.iter()) {
        let budget = || {
            let sized = executor.size(bench)?;
            Ok(OpBudget {
                warmup_ops: result.warmup_ops,
                window_ops: whole_batches(bench, window_ops(sized.ns_per_op, WALL_WINDOW_NS)),
            })
        };
        let measured = result.status == BenchStatus::Measured;
        budgets.push(measured.then(|| stop_or(interrupted, budget).ok()).flatten());
    }
    rotate(plan, plan.wall_rounds, |bench, index| {
        let Some((budget, taken)) =
            budgets[index].zip(rounds.get_mut(index).and_then(Option::as_mut))
        else {
            return;
        };
        let raw = stop_or(interrupted, || executor.read_wall(bench, budget));
        progress.process_finished(bench, seconds(&raw));
        match raw {
            Ok(raw) => taken.push(raw.count as f64 / budget.window_ops as f64),
            Err(_) => budgets[index] = None,
        }
    });
    for ((result, taken), budget) in results.iter_mut().zip(rounds).zip(budgets) {
        if let (Some(taken), Some(_)) = (taken, budget) {
            result.wall = summary(taken);
            progress.bench_finished(result);
        }
    }
}

/// Median, fastest and slowest of the rounds; `None` without rounds.
pub(super) fn summary(rounds_ns_per_op: Vec<f64>) -> Option<WallReading> {
    Some(WallReading {
        median_ns_per_op: tiergate_stats::median(&rounds_ns_per_op)?,
        min_ns_per_op: rounds_ns_per_op.iter().copied().reduce(f64::min)?,
        max_ns_per_op: rounds_ns_per_op.iter().copied().reduce(f64::max)?,
        rounds_ns_per_op,
    })
}

fn rotate(plan: &RunPlan, rounds: u32, mut step: impl FnMut(&Bench, usize)) {
    let benches = plan.benches.len();
    for round in 0..rounds as usize {
        for place in 0..benches {
            let index = (place + round) % benches;
            if let Some(bench) = plan.benches.get(index) {
                step(bench, index);
            }
        }
    }
}

fn stop_or<T>(
    interrupted: &AtomicBool,
    step: impl FnOnce() -> Result<T, Fault>,
) -> Result<T, Fault> {
    if interrupted.load(Ordering::Relaxed) { Err(Fault::Interrupted) } else { step() }
}

fn seconds(raw: &Result<RawReading, Fault>) -> f64 {
    raw.as_ref().map_or(0.0, |raw| raw.seconds)
}

fn fail(result: &mut BenchResult, fault: &Fault) {
    result.status = BenchStatus::Incomplete;
    result.reason = Some(fault.to_string());
}
