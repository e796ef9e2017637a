//! The window of a bench that allocates, counted in many short phases.
//!
//! This is done in a process beside the readings: marks between the phases would be in the readings'
//! counts, and whether a side has them must not depend on what its code does.

use super::age::without_marks;
use crate::Fault;
use crate::executor::{Bench, Executor, Stretch, Tiers};
use crate::trace::Timeline;
use tiergate_engine::trace::CollectionKind;
use tiergate_model::{BenchResult, OpBudget, WindowPhases};
use tiergate_stats::{median, quantile};

/// Phases of a window. Where an incremental collector works a little at a time, as in Bun, fewer of
/// them would not be short against the distance between its steps: with 125 the median of an op that
/// allocates moves by 0.8 % with the warm-up there, with 250 by 0.2 %.
const MOST_PHASES: u64 = 250;

/// With fewer phases a median says nothing.
const FEWEST_PHASES: usize = 12;

/// Stretches without ops, which tell what a mark costs.
const EMPTY: usize = 5;

/// Whether collections fall in the window, or so near before it that another warm-up would move
/// them there.
pub(super) fn are_wanted(timeline: &Timeline) -> bool {
    let OpBudget { warmup_ops, window_ops } = timeline.budget;
    let from = warmup_ops.saturating_sub(window_ops);
    [CollectionKind::Young, CollectionKind::Full]
        .into_iter()
        .any(|kind| timeline.collections(kind, from) > 0)
}

/// Counts the window once more, in phases; `None` where the instrument or the bench can't be divided.
///
/// # Errors
/// Why the process gave no count.
pub(super) fn count(
    executor: &dyn Executor,
    bench: &Bench,
    result: &BenchResult,
) -> Result<Option<WindowPhases>, Fault> {
    let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
    let shares = shares(budget.window_ops);
    let course = executor.course(bench, budget, &shares, Tiers::AsMeasured)?;
    // Marks around each batch are in the parts of a window in brackets; a reading knows their cost.
    let marks = result.readings.first().and_then(|reading| reading.proof.subtracted_mark_cost);
    let marks_per_op = marks.unwrap_or(0) as f64 / budget.window_ops.max(1) as f64;
    Ok(course.and_then(|course| summed_up(&course, marks_per_op)))
}

fn shares(window_ops: u64) -> Vec<u64> {
    let share = window_ops.div_ceil(MOST_PHASES).max(1);
    let mut shares = vec![0; EMPTY];
    shares.extend((0..window_ops / share).map(|_| share));
    shares
}

fn summed_up(course: &[Stretch], marks_per_op: f64) -> Option<WindowPhases> {
    let phases = without_marks(course);
    let ops = phases.first()?.ops;
    let per_op: Vec<f64> = phases
        .iter()
        .filter(|phase| phase.ops == ops)
        .map(|phase| (phase.per_op() - marks_per_op).max(0.0))
        .collect();
    let middle = median(&per_op).filter(|middle| *middle > 0.0)?;
    let (first, third) = (quantile(&per_op, 0.25)?, quantile(&per_op, 0.75)?);
    let quartile_spread = (third - first) / middle;
    (per_op.len() >= FEWEST_PHASES).then_some(WindowPhases {
        ops,
        per_op,
        median: middle,
        quartile_spread,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Place, TimedEvent};
    use tiergate_engine::trace::Event;

    const MARK: u64 = 1_000;

    /// A window of an op of 2,000 instructions, with a collection every so many ops, the first of
    /// them so many ops after the window opens.
    fn course(window_ops: u64, every: u64, first: u64) -> Vec<Stretch> {
        let mut after_ops = 0;
        shares(window_ops)
            .into_iter()
            .map(|ops| {
                let collections =
                    (after_ops..after_ops + ops).filter(|op| op % every == first).count() as u64;
                let stretch =
                    Stretch { after_ops, ops, count: MARK + ops * 2_000 + collections * 500_000 };
                after_ops += ops;
                stretch
            })
            .collect()
    }

    #[test]
    fn the_median_does_not_know_where_collections_fall() {
        for (every, first) in [(900, 0), (900, 899), (101, 50)] {
            let phases = summed_up(&course(10_000, every, first), 0.0).unwrap();
            assert_eq!((phases.ops, phases.per_op.len()), (40, 250));
            assert_eq!((phases.median, phases.quartile_spread > 0.0), (2_000.0, every == 101));
            let collections = (0..10_000).filter(|op| op % every == first).count() as f64;
            let expected = collections * 500_000.0 / (collections * 500_000.0 + 2e7);
            assert!((phases.share_above() - expected).abs() < 1e-9, "{every}");
        }
    }

    #[test]
    fn marks_around_batches_are_taken_off() {
        let phases = summed_up(&course(1_000, 5_000, 4_999), 30.0).unwrap();
        assert_eq!((phases.ops, phases.median), (4, 1_970.0));
    }

    #[test]
    fn few_ops_make_no_phases() {
        assert_eq!(summed_up(&course(11, 100, 99), 0.0), None);
        assert_eq!(summed_up(&[], 0.0), None);
    }

    #[test]
    fn collections_near_the_window_count_too() {
        let timeline = |until| Timeline {
            budget: OpBudget { warmup_ops: 5_000, window_ops: 1_000 },
            events: vec![TimedEvent {
                place: Place::Warmup { after: until - 50, until },
                event: Event::Collection { kind: CollectionKind::Young, reason: String::new() },
            }],
            raw: String::new(),
            untraced: Vec::new(),
        };
        assert!(are_wanted(&timeline(4_500)));
        assert!(!are_wanted(&timeline(3_000)));
    }
}
