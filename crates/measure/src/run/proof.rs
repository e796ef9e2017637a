//! What traced and divided runs add to the readings of a bench.

use super::jump::{drift, jump};
use super::{Progress, phases};
use crate::executor::{Bench, Executor};
use crate::trace::{Place, Timeline};
use std::time::Instant;
use tiergate_model::{BenchResult, OpBudget, Perturbation, Reading, WindowShape};

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
    // V8's traces show every change of a function's code.
    let untold = match (executor.fingerprint().engine.name.is_v8(), bench.discovered.window) {
        (true, WindowShape::Span) => untold(&timeline, result),
        // What the counter saw is of all that lies between the first bracket and the last one.
        (true, WindowShape::Brackets) => None,
        (false, _) => jump(result),
    };
    untold.or_else(|| drift(result))
}

/// Ops for each write to code, at least, where the writes are not the ops' own work, as in one that makes
/// regular expressions.
const OPS_PER_WRITE: u64 = 100;

/// Why a window is not what its traced run tells: the counter saw code written in it, and there was
/// neither a change of code nor a collection, which moves what code refers to.
fn untold(timeline: &Timeline, result: &BenchResult) -> Option<String> {
    let is_told = timeline.events.iter().any(|one| matches!(one.place, Place::Window { .. }));
    let unperturbed =
        result.readings.iter().filter(|one| one.perturbation == Perturbation::None && !is_told);
    let writes =
        unperturbed.filter_map(|one| Some(one.proof.observed.as_ref()?.code_writes)).max()?;
    let is_rare = writes > 0 && writes * OPS_PER_WRITE < result.window_ops;
    is_rare.then(|| {
        format!(
            "unproven: code was written in the window ({writes} writes), and its traced run shows neither \
             a change of code nor a collection there; is a regular expression first used there?"
        )
    })
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
