//! The ops of a bench, as they are known before or found by timed and traced runs.

use super::calibration::{calibrate, hold_grown};
use super::{Progress, RunPlan};
use crate::Fault;
use crate::executor::{Bench, Executor};
use crate::trace::TimedEvent;
use std::time::Instant;
use tiergate_model::{Calibration, OpBudget};

/// A budget, and how it came about.
pub(super) struct Found {
    pub(super) budget: OpBudget,
    /// Where the budget was found now, and may still be bettered.
    pub(super) ns_per_op: Option<f64>,
    /// Why no window is one to judge by, where traced runs have shown that.
    pub(super) doubt: Option<String>,
    pub(super) calibration: Option<Calibration>,
}

/// The budget of the plan; or finds one.
pub(super) fn find_budget(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<Found, Fault> {
    match plan.budgets.get(bench.id()) {
        Some(planned) => {
            Ok(Found { budget: planned.budget, ns_per_op: None, doubt: None, calibration: None })
        }
        None => calibrated_budget(executor, bench, progress),
    }
}

/// Runs the bench natively, timed and traced.
pub(super) fn calibrated_budget(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
) -> Result<Found, Fault> {
    let start = Instant::now();
    let sized = executor.size(bench);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let ns_per_op = sized?.ns_per_op;
    let calibrated = calibrate(executor, bench, ns_per_op)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Found {
        budget: calibrated.budget,
        ns_per_op: Some(ns_per_op),
        doubt: never_settles(calibrated.unsettled.as_ref()),
        calibration: Some(Calibration { processes: calibrated.runs + 1, seconds }),
    })
}

/// The warm-up that a grown window needs, and why even that is none to judge by.
pub(super) fn held(
    executor: &dyn Executor,
    bench: &Bench,
    budget: OpBudget,
    ns_per_op: f64,
) -> Result<Found, Fault> {
    let start = Instant::now();
    let held = hold_grown(executor, bench, budget, ns_per_op)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Found {
        budget: held.budget,
        ns_per_op: Some(ns_per_op),
        doubt: never_settles(held.unsettled.as_ref()),
        calibration: Some(Calibration { processes: held.runs, seconds }),
    })
}

fn never_settles(event: Option<&TimedEvent>) -> Option<String> {
    let event = event?;
    let at = event.until().map_or_else(String::new, |op| format!(" by op {op}"));
    Some(format!("it never settles: {}{at}", event.event))
}
