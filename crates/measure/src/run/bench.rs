//! All counted readings of one bench, one after the other.

use super::budget::grown_window_ops;
use super::calibration::{calibrate, hold_grown};
use super::examine::{Counted, Examined, examine, lengthened, still_changing};
use super::jump::jump;
use super::{Progress, RunPlan, phases};
use crate::Fault;
use crate::executor::{Bench, Executor, RawReading, ReadOptions};
use crate::trace::TimedEvent;
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
        Ok(doubt) => conclude(&mut result, executor.unit(), doubt),
        Err(fault) => {
            let wanted = plan.readings();
            let missing = wanted - result.readings.len().min(wanted);
            progress.drop_processes(missing.saturating_sub(1));
            result.reason = Some(fault.to_string());
        }
    }
    result
}

/// Sums up readings that are all there, and says why they are none to judge by, if they are not.
pub(crate) fn conclude(result: &mut BenchResult, unit: Unit, doubt: Option<String>) {
    finish(result, unit);
    // What the engine told of the window itself says more than what the ops do at another age.
    result.reason = result.reason.take().or(doubt);
    if let Some(elsewhere) = work_elsewhere(result) {
        result.status = BenchStatus::Incomplete;
        result.reason = Some(elsewhere);
    }
}

/// Runs the bench natively, timed and traced, where its budget is not known yet.
pub(crate) fn find_budget(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<Found, Fault> {
    if let Some(planned) = plan.budgets.get(bench.id()) {
        let (budget, hand_set) = (planned.budget, planned.hand_set);
        return Ok(Found { budget, hand_set, ns_per_op: None, unsettled: None });
    }
    calibrated_budget(executor, bench, progress)
}

/// Finds a budget by timed and traced runs.
pub(crate) fn calibrated_budget(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<Found, Fault> {
    let start = Instant::now();
    let sized = executor.size(bench);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let ns_per_op = sized?.ns_per_op;
    let calibrated = calibrate(executor, bench, ns_per_op)?;
    Ok(Found {
        budget: calibrated.budget,
        hand_set: false,
        ns_per_op: Some(ns_per_op),
        unsettled: calibrated.unsettled,
    })
}

/// A budget, and how it came about.
pub(crate) struct Found {
    pub(crate) budget: OpBudget,
    hand_set: bool,
    /// Where the budget was found now, and may still be bettered.
    pub(crate) ns_per_op: Option<f64>,
    unsettled: Option<TimedEvent>,
}

impl Found {
    /// Why no window is one to judge by, where traced runs have shown that.
    pub(crate) fn doubt(&self) -> Option<String> {
        never_settles(self.unsettled.as_ref())
    }
}

/// The warm-up that a grown window needs, and why even that is none to judge by.
pub(crate) fn held(
    executor: &dyn Executor,
    bench: &Bench,
    budget: OpBudget,
    ns_per_op: f64,
) -> Result<(u64, Option<String>), Fault> {
    let held = hold_grown(executor, bench, budget, ns_per_op)?;
    Ok((held.budget.warmup_ops, never_settles(held.unsettled.as_ref())))
}

fn never_settles(event: Option<&TimedEvent>) -> Option<String> {
    let event = event?;
    let at = event.until().map_or_else(String::new, |op| format!(" by op {op}"));
    Some(format!("it never settles: {}{at}", event.event))
}

fn take_all(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
    result: &mut BenchResult,
) -> Result<Option<String>, Fault> {
    if interrupted.load(Ordering::Relaxed) {
        return Err(Fault::Interrupted);
    }
    let found = find_budget(executor, plan, bench, progress)?;
    let mut budget = found.budget;
    set_budget(result, budget);
    let mut doubt = found.doubt();
    let mut growths = 0;
    let mut is_lengthened = false;
    let mut has_changed = false;
    while result.readings.len() < plan.repeats as usize {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        let first = result.readings.is_empty();
        let options = ReadOptions { perturbation: Perturbation::None, show_output: first };
        let raw = executor.read(bench, budget, options);
        progress.process_finished(bench, raw.as_ref().map_or(0.0, |raw| raw.seconds));
        let raw = raw?;
        let grown = found
            .ns_per_op
            .filter(|_| first && growths < LARGEST_GROWTHS)
            .and_then(|ns_per_op| grown_window_ops(budget.window_ops, raw.count, ns_per_op));
        if let Some(window_ops) = grown {
            growths += 1;
            budget.window_ops = whole_batches(bench, window_ops);
            if let Some(ns_per_op) = found.ns_per_op {
                let (warmup_ops, unsettled) = held(executor, bench, budget, ns_per_op)?;
                budget.warmup_ops = warmup_ops;
                doubt = doubt.or(unsettled);
            }
            set_budget(result, budget);
            progress.add_processes(1);
            continue;
        }
        if first && !found.hand_set && doubt.is_none() {
            match examine(executor, bench, &Counted::of(&raw), progress) {
                Examined::Steady => {}
                Examined::Warning(warning) => result.warnings.push(warning),
                Examined::Changed(warning) => {
                    has_changed = true;
                    result.warnings.push(warning);
                }
                Examined::Doubt(reason) => doubt = Some(reason),
                Examined::TooShort { period_ops: Some(period), reason } => {
                    let longer = lengthened(bench, budget.window_ops, period, raw.count);
                    match longer.filter(|_| found.ns_per_op.is_some() && !is_lengthened) {
                        Some(window_ops) => {
                            is_lengthened = true;
                            growths = LARGEST_GROWTHS;
                            budget.window_ops = window_ops;
                            set_budget(result, budget);
                            progress.add_processes(1);
                            continue;
                        }
                        None => doubt = Some(reason),
                    }
                }
                Examined::TooShort { reason, .. } => doubt = Some(reason),
            }
        }
        if first {
            let observed = raw.proof.observed.as_ref();
            let warning = observed.and_then(|seen| seen.warning(raw.count, budget.window_ops));
            result.warnings.extend(warning);
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
    let unproven = prove(executor, bench, progress, result);
    let changing = has_changed.then(|| still_changing(result)).flatten();
    Ok(doubt.or(unproven).or(changing))
}

/// Adds to the readings what a traced run with the same seeds, flags and ops tells of them. Says why
/// they are none to judge by, where there is no such run or its collections don't explain what the
/// window shows.
pub(crate) fn prove(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
    result: &mut BenchResult,
) -> Option<String> {
    let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
    let start = Instant::now();
    let timeline = executor.trace(bench, budget, None);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let timeline = match timeline {
        Ok(timeline) => timeline,
        Err(fault) => return Some(format!("unproven, its traced run failed: {fault}")),
    };
    let twin = timeline.twin();
    for reading in result.readings.iter_mut().filter(|one| one.perturbation == Perturbation::None) {
        reading.proof.twin = Some(twin.clone());
    }
    if phases::are_wanted(&timeline) {
        count_phases(executor, bench, progress, result);
    }
    let slow = result.readings.first().and_then(Reading::halves_warning);
    result.warnings.extend(slow);
    jump(result)
}

/// Has the window counted in phases. It decides nothing, so that its failure is but told.
fn count_phases(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
    result: &mut BenchResult,
) {
    progress.add_processes(1);
    let start = Instant::now();
    let counted = phases::count(executor, bench, result);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    match counted {
        Ok(phases) => result.window_phases = phases,
        Err(fault) => {
            let warning = format!("its window could not be counted in phases: {fault}");
            result.warnings.push(warning);
        }
    }
}

/// Why readings that are all there are none to judge by.
fn doubt(result: &BenchResult) -> Option<String> {
    let readings = &result.readings;
    let changes = readings.iter().find_map(|one| one.proof.twin.as_ref().and_then(Twin::fault));
    changes.or_else(|| readings.iter().find_map(Reading::halves_fault))
}

/// What of the work is in no count.
fn work_elsewhere(result: &BenchResult) -> Option<String> {
    let started = |reading: &Reading| {
        let observed = reading.proof.observed.as_ref();
        observed.and_then(Observed::work_elsewhere)
    };
    let spent = |reading: &Reading| {
        let spent = reading.proof.elsewhere?;
        Some(format!("work outside the measured thread: {spent}"))
    };
    let readings = &result.readings;
    readings.iter().find_map(started).or_else(|| readings.iter().find_map(spent))
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
