//! Whether the halves of a window differ by more than the collections in it.

use super::Progress;
use super::age::without_marks;
use crate::executor::{Bench, Executor, Stretch, Tiers};
use std::time::Instant;
use tiergate_model::{BenchResult, OpBudget, Perturbation};

/// Halves with collections in them that differ by less are not looked at.
const JUMP: f64 = 0.05;

/// Stretches of the window for each collection, so that most of them hold none.
const STRETCHES_A_COLLECTION: u64 = 4;

/// The window is divided into so many at least and at most. Where there are more collections, they
/// are in all stretches alike.
const STRETCHES: (u64, u64) = (32, 256);

/// Neighbouring stretches of which the median is taken, as parts of the window.
const PARTS: usize = 8;

/// Stretches without ops, which tell what a mark costs.
const EMPTY: usize = 5;

/// Why the window is none of equal ops, where it holds collections, its halves differ, and its
/// window counted in many stretches shows that it is not for them.
pub(super) fn jump(
    executor: &dyn Executor,
    bench: &Bench,
    progress: &Progress<'_>,
    result: &BenchResult,
) -> Option<String> {
    let reading = result.readings.iter().find(|one| one.perturbation == Perturbation::None)?;
    let collections = reading.proof.twin.as_ref()?.collections_in_window();
    if collections == 0 || !reading.halves().is_some_and(differ) {
        return None;
    }
    let stretches = (STRETCHES_A_COLLECTION * collections).clamp(STRETCHES.0, STRETCHES.1);
    let share = result.window_ops / stretches;
    if share == 0 {
        return None;
    }
    let mut shares = vec![0; EMPTY];
    shares.extend((0..stretches).map(|_| share));
    let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: shares.iter().sum() };
    progress.add_processes(1);
    let start = Instant::now();
    let course = executor.course(bench, budget, &shares, Tiers::AsMeasured);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    // Without a course the window is as it was before anybody looked.
    let (first, later) = furthest(&without_marks(&course.ok()??))?;
    differ((first, later)).then(|| {
        format!(
            "its cost drifts: {first:.0} instructions per op in one part of the window, {later:.0} \
             in a later one, beside its collections; does its state change from op to op?"
        )
    })
}

fn differ((first, second): (f64, f64)) -> bool {
    (second / first - 1.0).abs() > JUMP
}

/// The median costs of an op in the two parts of the window that differ most, in their order.
fn furthest(course: &[Stretch]) -> Option<(f64, f64)> {
    let parts: Vec<f64> = course
        .chunks(course.len().div_ceil(PARTS).max(1))
        .filter_map(|part| {
            let costs: Vec<f64> = part.iter().map(Stretch::per_op).collect();
            tiergate_stats::median(&costs)
        })
        .collect();
    let at = |order: fn(&f64, &f64) -> std::cmp::Ordering| {
        (0..parts.len()).max_by(|a, b| order(&parts[*a], &parts[*b]))
    };
    let (largest, smallest) = (at(f64::total_cmp)?, at(|a, b| b.total_cmp(a))?);
    let (first, later) = (largest.min(smallest), largest.max(smallest));
    Some((parts[first], parts[later]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(cost: impl Fn(u64) -> u64) -> Vec<Stretch> {
        let stretch = |at: u64| Stretch { after_ops: at * 10, ops: 10, count: 10 * cost(at) };
        (0..48).map(stretch).collect()
    }

    #[test]
    fn a_collection_is_no_jump_and_other_work_is() {
        let collected = course(|at| if at % 4 == 3 { 9_000 } else { 1_000 });
        assert_eq!(furthest(&collected), Some((1_000.0, 1_000.0)));
        for jump in [5, 24, 44] {
            let jumped = course(|at| if at < jump { 188 } else { 4_405 });
            assert_eq!(furthest(&jumped), Some((188.0, 4_405.0)), "{jump}");
        }
        assert_eq!(furthest(&[]), None);
    }
}
