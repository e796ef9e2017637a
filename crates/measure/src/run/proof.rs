//! What traced and divided runs add to the readings of a bench.

use super::jump::jump;
use super::{Progress, phases};
use crate::executor::{Bench, Executor};
use std::time::Instant;
use tiergate_model::{BenchResult, OpBudget, Perturbation, Reading};

/// Adds to the readings what a traced run with the same seeds, flags and ops tells of them. Says why
/// they are none to judge by, where there is no such run or its collections don't explain what the
/// window shows.
pub(super) fn prove(
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
    result.warnings.extend(timeline.untraced.iter().cloned());
    if phases::are_wanted(&timeline) {
        count_phases(executor, bench, progress, result);
    }
    let slow = result.readings.first().and_then(Reading::halves_warning);
    result.warnings.extend(slow);
    // V8's traces show every change of code.
    if executor.fingerprint().engine.name.is_v8() { None } else { jump(result) }
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
