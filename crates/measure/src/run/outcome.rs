//! The result of a bench: readings one by one, and what they come to.

use crate::executor::{Bench, RawReading};
use tiergate_model::{
    BenchResult, BenchStatus, Observed, OpBudget, Perturbation, Reading, Twin, Unit,
};

/// Sums up readings that are all there, and says why they are none to judge by, if they are not.
pub(super) fn conclude(result: &mut BenchResult, unit: Unit, doubt: Option<String>) {
    finish(result, unit);
    // What the engine told of the window itself says more than what the ops do at another age.
    result.reason = result.reason.take().or(doubt);
    if let Some(elsewhere) = work_elsewhere(result) {
        result.status = BenchStatus::Incomplete;
        result.reason = Some(elsewhere);
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

pub(super) fn set_budget(result: &mut BenchResult, budget: OpBudget) {
    result.warmup_ops = budget.warmup_ops;
    result.window_ops = budget.window_ops;
}

/// Adds a reading as the next repeat.
pub(super) fn push(result: &mut BenchResult, raw: RawReading, perturbation: Perturbation) {
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
