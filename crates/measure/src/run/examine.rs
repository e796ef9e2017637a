//! Looks at a bench beyond its window: at its first ops, and at what an op costs that does nothing.

use super::age::{Age, growth, judge, look};
use super::subject::whole_batches;
use super::{Progress, loops};
use crate::executor::{Bench, Executor, RawReading, Stretches, Tiers};
use std::time::Instant;
use tiergate_model::{BenchResult, OpBudget, Reading, WindowShape};

/// An op that costs so few instructions more than an empty one holds no work: what differs is how
/// its result is made.
const NOTHING_LEFT: f64 = 2.0;

/// Extra work that comes every so many ops should come so often in a window.
const PERIODS: u64 = 16;

/// Instructions that a window may hold for its sake.
const LARGEST_COUNT: u64 = 2_000_000_000;

/// What was seen.
pub(super) enum Examined {
    Steady,
    Warning(String),
    /// Another cost than that of the first ops; in a window whose halves differ it is still on its
    /// way.
    Changed(String),
    /// No window of this bench is one to judge by.
    Doubt(String),
    /// A longer window would be.
    TooShort {
        period_ops: Option<u64>,
        reason: String,
    },
}

/// What the first reading of a bench says of its ops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    count: u64,
    budget: OpBudget,
    is_async: bool,
    own_loop: bool,
}

impl Counted {
    pub(super) fn of(raw: &RawReading) -> Self {
        let RawReading { count, budget, is_async, own_loop, .. } = *raw;
        Self { count, budget, is_async, own_loop }
    }

    /// The ops of the window.
    pub(super) fn window_ops(&self) -> u64 {
        self.budget.window_ops
    }
}

pub(super) fn examine(
    executor: &dyn Executor,
    bench: &Bench,
    raw: &Counted,
    progress: &Progress<'_>,
    warnings: &mut Vec<String>,
) -> Examined {
    let per_op = raw.count as f64 / raw.budget.window_ops as f64;
    let in_our_loop = !raw.own_loop && bench.discovered.window == WindowShape::Span;
    let empty = |tiers| in_our_loop.then(|| executor.empty_op(raw.is_async, tiers)).flatten();
    if let Some(cost) = empty(Tiers::AsMeasured)
        && per_op < cost + NOTHING_LEFT
    {
        return Examined::Doubt(format!(
            "nothing left to measure: it costs {per_op:.1} instructions per op, and an op that does \
             nothing {cost:.1}; the compiler has removed the work, or there is none"
        ));
    }
    let loops_itself = loops_itself(bench);
    let look = if loops_itself {
        loops::look(raw.budget, per_op)
    } else {
        look(raw.budget, per_op, in_our_loop)
    };
    let Some((budget, shares)) = look else {
        return Examined::Steady;
    };
    let budget = OpBudget { window_ops: whole_batches(bench, budget.window_ops), ..budget };
    // Brackets call their ops in the same loop.
    let lowest = (loops_itself || !raw.own_loop)
        .then(|| executor.empty_op(raw.is_async, Tiers::Lowest))
        .flatten();
    let judged = |course: &Stretches| {
        if loops_itself { loops::judge(course, lowest) } else { judge(course, raw.budget, lowest) }
    };
    progress.add_processes(1);
    let start = Instant::now();
    let course = executor.course(bench, budget, &shares, Tiers::Lowest);
    progress.process_finished(bench, start.elapsed().as_secs_f64());
    let retained = course.as_ref().ok().and_then(Option::as_ref).and_then(|one| one.retained);
    warnings.extend(retained.and_then(growth));
    match course {
        Ok(None) => Examined::Steady,
        Err(fault) => Examined::Warning(format!("its first ops could not be looked at: {fault}")),
        Ok(Some(course)) => match judged(&course) {
            Age::Steady => Examined::Steady,
            Age::Changed(warning) => Examined::Changed(warning),
            Age::Unsteady(reason) => Examined::Doubt(reason),
            // What rises and falls over many ops, as a table that is cleaned up at times, evens out.
            Age::Drifts(reason) => Examined::TooShort { period_ops: None, reason },
            Age::Refills { period_ops, reason } => Examined::TooShort { period_ops, reason },
        },
    }
}

/// Whether the loop of the ops is the user's own, so that no mark can lie between them.
fn loops_itself(bench: &Bench) -> bool {
    bench.discovered.window == WindowShape::Span && !bench.discovered.divisible
}

/// Why a window is none to judge by in which the cost still changes, given that it has changed since
/// the first ops.
pub(super) fn still_changing(result: &BenchResult) -> Option<String> {
    let told = result.readings.iter().find_map(Reading::halves_warning)?;
    Some(format!("its cost drifts: {told}, and the first ops took another number"))
}

/// A window that holds the extra work often enough, or, where it is not known how often it comes, many
/// times as many ops, as far as that can be afforded.
pub(super) fn lengthened(
    bench: &Bench,
    window_ops: u64,
    period_ops: Option<u64>,
    count: u64,
) -> Option<u64> {
    let wanted = match period_ops {
        Some(period) => period.max(1) * PERIODS,
        None => window_ops * (LARGEST_COUNT / count.max(1)).min(PERIODS),
    };
    let longer = whole_batches(bench, wanted);
    let per_op = count as f64 / window_ops as f64;
    (wanted > window_ops && longer as f64 * per_op <= LARGEST_COUNT as f64 * 1.01).then_some(longer)
}
