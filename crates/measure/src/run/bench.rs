//! All counted readings of one bench, one after the other.

use super::outcome::{empty_result, skipped};
use super::{Progress, RunPlan, Subject, Turns};
use crate::executor::{Bench, Executor};
use std::sync::atomic::AtomicBool;
use tiergate_model::{BenchResult, Perturbation};

pub(crate) fn measure(
    executor: &dyn Executor,
    plan: &RunPlan,
    bench: &Bench,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
) -> BenchResult {
    if bench.discovered.skipped {
        return skipped(empty_result(bench));
    }
    let subject = Subject::new(executor, bench, interrupted, progress);
    let mut turns = Turns::new(vec![subject], progress);
    if let Some(ops) = turns.find_ops(plan.budgets.get(bench.id())) {
        let budget = turns.first(ops);
        for _ in 1..plan.repeats {
            turns.read(budget, Perturbation::None);
        }
        for perturbation in &plan.perturbations {
            turns.read(budget, *perturbation);
        }
        turns.prove();
    }
    turns.settle();
    let is_sound = turns.is_sound();
    let result = turns.sides.pop().map_or_else(|| empty_result(bench), |side| side.result);
    if !is_sound {
        let wanted = plan.readings();
        let missing = wanted - result.readings.len().min(wanted);
        progress.drop_processes(missing.saturating_sub(1));
    }
    result
}
