//! Everything that can be told of a bench that has been measured.

use super::age::{divided, without_marks};
use crate::Fault;
use crate::executor::{Bench, Executor, Stretch, Tiers};
use crate::trace::{Place, TimedEvent};
use tiergate_engine::trace::Event;
use tiergate_model::{BenchResult, CurvePoint, Evidence, Moment, MomentKind, OpBudget};

/// Evidence, and the engine's own words that a part of it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The evidence.
    pub evidence: Evidence,
    /// The raw trace.
    pub trace: String,
}

/// Runs a measured bench once more with traces, and once counted from its first op on. `repeat` is
/// the command that does all this again.
///
/// # Errors
/// Why the bench can't be run so.
pub fn evidence(
    executor: &dyn Executor,
    bench: &Bench,
    result: BenchResult,
    repeat: String,
) -> Result<Shown, Fault> {
    let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
    let timeline = executor.trace(bench, budget, None)?;
    let moments = timeline.events.iter().filter_map(moment).collect();
    let curve = curve(executor, bench, budget)?;
    let fingerprint = &executor.fingerprint().engine;
    let engine =
        format!("{} {} ({})", fingerprint.name, fingerprint.version, fingerprint.jit_engine);
    let flags = fingerprint.flags.clone();
    let evidence = Evidence { engine, flags, result, moments, curve, repeat };
    Ok(Shown { evidence, trace: timeline.raw })
}

/// Counted from the second op on: the first one tells the harness what kind of op it is.
fn curve(
    executor: &dyn Executor,
    bench: &Bench,
    budget: OpBudget,
) -> Result<Vec<CurvePoint>, Fault> {
    let shares = divided(budget.warmup_ops.saturating_sub(1), budget.window_ops);
    let whole = OpBudget { warmup_ops: 1, window_ops: shares.iter().sum() };
    let course = executor.course(bench, whole, &shares, Tiers::AsMeasured)?.unwrap_or_default();
    let point =
        |one: Stretch| CurvePoint { after_ops: one.after_ops, ops: one.ops, per_op: one.per_op() };
    Ok(without_marks(&course.stretches).into_iter().map(point).collect())
}

fn moment(timed: &TimedEvent) -> Option<Moment> {
    let (after_ops, until_ops, in_window) = match timed.place {
        Place::Warmup { after, until } => (after, until, false),
        Place::Window { after, until } => (after, until, true),
        Place::Before | Place::Aside | Place::After => return None,
    };
    let kind = match &timed.event {
        Event::Bailout { .. } => MomentKind::Bailout,
        Event::Collection { .. } => MomentKind::Collection,
        _ if timed.unsettles() => MomentKind::Compile,
        _ => return None,
    };
    Some(Moment { after_ops, until_ops, in_window, kind, what: timed.event.to_string() })
}
