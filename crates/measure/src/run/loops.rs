//! Whether the ops of a loop that is the user's own are the same at any age.
//!
//! No marks can lie between such ops. So the loop is run at several lengths: loops of one length at
//! two ages differ by the age alone, and what a longer loop costs beyond a shorter one is the cost of
//! its later ops alone, whatever each loop does once.

use super::age::{
    Age, DRY_SHARE, LARGEST_LOOK, LOWEST_TIER_FACTOR, NEXT_TO_NOTHING, TOLD, without_marks,
};
use crate::executor::{Stretch, Stretches};
use tiergate_model::OpBudget;

/// Ops of the short loops that are run at two ages; the first of each pair lets the code settle.
const SHORT: [u64; 2] = [12, 24];

/// Loops of no ops, which tell what the marks cost.
const EMPTY: usize = 5;

/// The longest loop and its parts.
const PARTS: [u64; 3] = [4, 2, 1];

/// Shorter windows tell nothing of the ops in them.
const FEWEST_OPS: u64 = 100;

/// Instructions by which a fall must exceed what a loop takes by itself.
const FALL: f64 = 50.0;

/// A difference between a loop's earlier and later ops that is one of its state.
const DRIFT: f64 = 0.05;

/// The lengths of the loops, the very first op first; `None` for ops that are too long.
pub(super) fn look(budget: OpBudget, per_op: f64) -> Option<(OpBudget, Vec<u64>)> {
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "positive and far below 2^53"
    )]
    let affordable = (LARGEST_LOOK / (per_op.max(1.0) * LOWEST_TIER_FACTOR)) as u64;
    let longest = budget.window_ops.min(affordable / 4);
    if longest < FEWEST_OPS {
        return None;
    }
    let mut shares = vec![1];
    shares.extend([0; EMPTY]);
    shares.extend(SHORT);
    let mut left = budget.warmup_ops.min(affordable / 4);
    let mut share = SHORT[1];
    while left > 0 {
        shares.push(share.min(left));
        left -= share.min(left);
        share += share / 10;
    }
    shares.extend(SHORT);
    shares.extend(PARTS.map(|part| longest / part));
    Some((OpBudget { warmup_ops: 0, window_ops: shares.iter().sum() }, shares))
}

/// Judges such a course at the lowest tiers, given what an op costs there that does nothing.
pub(super) fn judge(course: &Stretches, empty: Option<f64>) -> Age {
    let course = without_marks(&course.stretches);
    let [_, _, young, .., short, old, quarter, half, whole] = &course[..] else {
        return Age::Steady;
    };
    let inner = beyond(short, old);
    let (middle, outer) = (beyond(quarter, half), beyond(half, whole));
    let empty = empty.unwrap_or(0.0);
    let is_nothing = outer < empty + NEXT_TO_NOTHING.max(empty);
    let is_dry = |from: f64, to: f64| is_nothing && to < from * DRY_SHARE && from > to + FALL;
    if is_dry(young.per_op(), old.per_op()) {
        return Age::Unsteady(format!(
            "its input is used up: in a loop of {} ops one took {:.0} instructions at the lowest tier \
             at first and {:.0} at op {}; make the input anew for each loop",
            old.ops,
            young.per_op(),
            old.per_op(),
            old.after_ops
        ));
    }
    if is_dry(inner, outer) {
        return Age::Unsteady(format!(
            "its input is used up: the first ops of a loop took {inner:.0} instructions each at the \
             lowest tier, the last of {} ops {outer:.0}; make as much input as there are ops",
            whole.ops
        ));
    }
    let is_change = |from: f64, to: f64| (to / from - 1.0).abs() > DRIFT;
    if is_change(middle, outer) && is_change(inner, outer) && (outer > middle) == (outer > inner) {
        return Age::Drifts(format!(
            "its cost drifts: in a loop of {} ops one costs {inner:.0} instructions at first, {middle:.0} \
             in the second quarter and {outer:.0} in the second half, at the lowest tier; does its state \
             grow from op to op?",
            whole.ops
        ));
    }
    if (old.per_op() / young.per_op() - 1.0).abs() > TOLD {
        return Age::Changed(format!(
            "in a loop of {} ops one took {:.0} instructions at the lowest tier at first, and {:.0} at \
             op {}: what is measured is the later state",
            old.ops,
            young.per_op(),
            old.per_op(),
            old.after_ops
        ));
    }
    Age::Steady
}

/// What each op of a loop costs that a shorter loop does not have.
fn beyond(shorter: &Stretch, longer: &Stretch) -> f64 {
    let count = longer.count.saturating_sub(shorter.count);
    count as f64 / longer.ops.saturating_sub(shorter.ops).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: OpBudget = OpBudget { warmup_ops: 9_000, window_ops: 40_000 };
    const MARKS: f64 = 900.0;
    /// What a loop does once.
    const ONCE: f64 = 70_000.0;

    /// Judges ops by their cost, given how many were through in all and in their loop.
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "small and positive"
    )]
    fn judged(cost: impl Fn(u64, u64) -> f64) -> Age {
        let (_, shares) = look(BUDGET, 100.0).unwrap();
        let mut after_ops = 0;
        let stretches = shares
            .into_iter()
            .map(|ops| {
                let sum: f64 = (0..ops).map(|op| cost(after_ops + op, op)).sum();
                let once = if ops > 0 { ONCE } else { 0.0 };
                let stretch = Stretch { after_ops, ops, count: (sum + once + MARKS) as u64 };
                after_ops += ops;
                stretch
            })
            .collect();
        judge(&Stretches { stretches, ran_dry: false, retained: None }, Some(100.0))
    }

    #[test]
    fn what_each_loop_does_once_is_none_of_its_ops() {
        assert_eq!(judged(|_, _| 90.0), Age::Steady);
        assert_eq!(judged(|_, _| 9_000.0), Age::Steady);
        assert_eq!(judged(|op, _| if op < 5 { 100_000.0 } else { 90.0 }), Age::Steady);
    }

    #[test]
    fn used_up_input_is_found_at_either_age() {
        for dry in [
            judged(|op, _| if op < 3_000 { 20_000.0 } else { 90.0 }),
            judged(|_, in_loop| if in_loop < 1_000 { 2_000.0 } else { 90.0 }),
        ] {
            assert!(matches!(&dry, Age::Unsteady(reason) if reason.contains("used up")), "{dry:?}");
        }
    }

    #[test]
    fn growing_state_drifts() {
        for grown in [
            judged(|op, _| 500.0 + op as f64 / 10.0),
            judged(|_, in_loop| 500.0 + in_loop as f64 / 10.0),
            judged(|_, in_loop| if in_loop < 30_000 { 2_000.0 } else { 90.0 }),
        ] {
            assert!(matches!(grown, Age::Drifts(_)), "{grown:?}");
        }
        let filled = judged(|op, _| if op < 5_000 { 40_000.0 } else { 9_000.0 });
        assert!(matches!(filled, Age::Changed(_)), "{filled:?}");
    }

    #[test]
    fn ops_that_are_too_long_are_not_looked_at() {
        assert_eq!(look(BUDGET, 1e9), None);
        assert_eq!(look(OpBudget { window_ops: 10, ..BUDGET }, 1e5), None);
    }
}
