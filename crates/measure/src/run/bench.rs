//! All counted readings of one bench, one after the other.

use super::budget::grown_window_ops;
use super::calibration::calibrate;
use super::{Progress, RunPlan};
use crate::Fault;
use crate::executor::{Bench, Executor, RawReading, ReadOptions};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tiergate_model::{
    BenchResult, BenchStatus, Observed, OpBudget, Perturbation, Reading, Twin, Unit,
};

/// Windows are grown at most so often; after that the bench is taken as it is.
pub(crate) const LARGEST_GROWTHS: u32 = 2;

pub(crate) fn measure(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
) -> BenchResult {
    let mut result = empty_result(bench);
    if bench.discovered.skipped {
        return skipped(result);
    }
    match take_all(executor, plan, bench, interrupted, progress, &mut result) {
        Ok(()) => finish(&mut result, executor.unit()),
        Err(fault) => {
            let wanted = plan.readings();
            let missing = wanted - result.readings.len().min(wanted);
            progress.drop_processes(missing.saturating_sub(1));
            result.reason = Some(fault.to_string());
        }
    }
    result
}

/// Runs the bench natively, timed and traced, where its budget is not known yet.
pub(crate) fn find_budget(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<(OpBudget, Option<f64>), Fault> {
    if let Some(planned) = plan.budgets.get(bench.id()) {
        return Ok((planned.budget, None));
    }
    calibrated_budget(executor, bench, progress)
        .map(|(budget, ns_per_op)| (budget, Some(ns_per_op)))
}

/// Finds a budget, and how many nanoseconds an op takes natively.
pub(crate) fn calibrated_budget(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<(OpBudget, f64), Fault> {
    let start = Instant::now();
    let sized = executor.size(bench);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let ns_per_op = sized?.ns_per_op;
    Ok((calibrate(executor, bench, ns_per_op)?.budget, ns_per_op))
}

fn take_all(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
    result: &mut BenchResult,
) -> Result<(), Fault> {
    if interrupted.load(Ordering::Relaxed) {
        return Err(Fault::Interrupted);
    }
    let (mut budget, growable_ns_per_op) = find_budget(executor, plan, bench, progress)?;
    set_budget(result, budget);
    let mut growths = 0;
    while result.readings.len() < plan.repeats as usize {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        let first = result.readings.is_empty();
        let options = ReadOptions { perturbation: Perturbation::None, show_output: first };
        let raw = executor.read(bench, budget, options);
        progress.process_finished(bench, raw.as_ref().map_or(0.0, |raw| raw.seconds));
        let raw = raw?;
        let grown = growable_ns_per_op
            .filter(|_| first && growths < LARGEST_GROWTHS)
            .and_then(|ns_per_op| grown_window_ops(budget.window_ops, raw.count, ns_per_op));
        if let Some(window_ops) = grown {
            growths += 1;
            budget.window_ops = whole_batches(bench, window_ops);
            set_budget(result, budget);
            progress.add_processes(1);
            continue;
        }
        push(result, raw, Perturbation::None);
    }
    for perturbation in &plan.perturbations {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        let options = ReadOptions { perturbation: *perturbation, show_output: false };
        let raw = executor.read(bench, budget, options);
        progress.process_finished(bench, raw.as_ref().map_or(0.0, |raw| raw.seconds));
        push(result, raw.map_err(|fault| fault.under(*perturbation))?, *perturbation);
    }
    if plan.budgets.get(bench.id()).is_some_and(|planned| planned.hand_set) {
        return Ok(());
    }
    prove(executor, bench, progress, result)
}

/// Adds to the readings what a traced run with the same seeds, flags and ops tells of them.
pub(crate) fn prove(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
    result: &mut BenchResult,
) -> Result<(), Fault> {
    let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
    let start = Instant::now();
    let timeline = executor.trace(bench, budget, None);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let twin = timeline?.twin();
    for reading in result.readings.iter_mut().filter(|one| one.perturbation == Perturbation::None) {
        reading.proof.twin = Some(twin.clone());
    }
    Ok(())
}

/// Why readings that are all there are none to judge by.
fn doubt(result: &BenchResult) -> Option<String> {
    result.readings.iter().find_map(|reading| {
        let elsewhere = reading.proof.observed.as_ref().and_then(Observed::work_elsewhere);
        elsewhere.or_else(|| reading.proof.twin.as_ref().and_then(Twin::fault))
    })
}

/// Windows in brackets are whole batches.
pub(crate) fn whole_batches(bench: &Bench, ops: u64) -> u64 {
    ops.next_multiple_of(bench.discovered.batch_ops.max(1))
}

fn set_budget(result: &mut BenchResult, budget: OpBudget) {
    result.warmup_ops = budget.warmup_ops;
    result.window_ops = budget.window_ops;
}

/// Adds a reading as the next repeat.
pub(crate) fn push(result: &mut BenchResult, raw: RawReading, perturbation: Perturbation) {
    if perturbation == Perturbation::None {
        set_budget(result, raw.budget);
    }
    result.is_async = raw.is_async;
    let before = result.readings.iter().filter(|one| one.perturbation == perturbation).count();
    let repeat = u32::try_from(before + 1).unwrap_or(u32::MAX);
    result.readings.push(Reading {
        perturbation,
        repeat,
        count: raw.count,
        window_ops: raw.budget.window_ops,
        seconds: raw.seconds,
        phases: raw.phases,
        proof: raw.proof,
    });
}

/// A result without readings, which says why as long as nothing better is known.
pub(crate) fn empty_result(bench: &Bench) -> BenchResult {
    let discovered = &bench.discovered;
    let framework = format!("{} {}", discovered.framework, discovered.framework_version);
    BenchResult {
        // The file's own path, which an id can't be asked for where a path holds `::`.
        file: bench.file.relative.clone(),
        conditions: discovered.conditions.clone(),
        ..BenchResult::incomplete(bench.id().clone(), framework, "not measured yet".to_owned())
    }
}

/// The result of a bench that its file skips.
pub(crate) fn skipped(mut result: BenchResult) -> BenchResult {
    result.status = BenchStatus::Skipped;
    result.reason = Some("the bench file skips it".to_owned());
    result
}

/// Summarises the readings.
pub(crate) fn finish(result: &mut BenchResult, unit: Unit) {
    let unperturbed =
        result.readings.iter().filter(|reading| reading.perturbation == Perturbation::None);
    let per_op: Vec<f64> = unperturbed.map(Reading::per_op).collect();
    result.status = BenchStatus::Measured;
    result.reason = doubt(result);
    result.aa_spread = tiergate_stats::spread(&per_op);
    match unit {
        Unit::Instructions => result.instructions_per_op = tiergate_stats::median(&per_op),
        Unit::Nanoseconds => result.wall = super::rounds::summary(per_op),
    }
}
