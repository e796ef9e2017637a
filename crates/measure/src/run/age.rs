//! Whether an op does the same at the window's age as it did at first, and as it goes on doing.
//!
//! A calm window proves little: an op whose input was used up during the warm-up is the calmest of
//! all. So the ops are counted once more from their first calls on, at the engine's lowest tiers:
//! there the same work costs the same at any age, and what differs is the op's own doing.

use crate::executor::{Retained, Stretch, Stretches};
use tiergate_model::OpBudget;

/// Calls in which inline caches and lazily compiled functions settle.
const FIRST_OPS: u64 = 10;

/// Stretches without ops, which tell what a mark costs.
const EMPTY: usize = 5;

/// Ops of the first stretches.
const SHORTEST: u64 = 12;

/// Stretches of the window; of the ops before it there are as many as it takes when each is longer by
/// a tenth than the one before.
const IN_WINDOW: u64 = 64;

/// Ops of the window that a look needs.
const MOST_OF_WINDOW: u64 = 64_000;

/// Instructions at the lowest tiers that a look may take: about a second.
pub(super) const LARGEST_LOOK: f64 = 1.5e9;

/// The lowest tiers take about so many times the instructions of the highest.
pub(super) const LOWEST_TIER_FACTOR: f64 = 10.0;

/// A fall or rise of the cost that is told.
pub(super) const TOLD: f64 = 0.5;

/// An op that costs this share of what it did at first, and next to nothing, has run dry.
pub(super) const DRY_SHARE: f64 = 1.0 / 3.0;

/// Instructions at the lowest tiers in which little can be done but to find that nothing is left.
/// Where an op that does nothing costs more, it is so many: engines' lowest tiers differ.
pub(super) const NEXT_TO_NOTHING: f64 = 300.0;

/// More instructions than it takes the first ops to be compiled and to find their way: 200,000 to 500,000
/// for small functions, the harness's share included.
const AT_ONCE: f64 = 600_000.0;

/// The same for functions of some hundred lines, whose compilation is nothing that an op remembers.
const REMEMBERED: f64 = 3_000_000.0;

/// A change of the cost since the first ops that can be one of the op's state.
const DRIFT_SINCE_FIRST: f64 = 0.05;

/// The same change within the window.
const DRIFT_IN_WINDOW: f64 = 0.003;

/// The share of all pairs of an earlier and a later stretch that must tell the same direction: noise
/// tells both.
const DRIFT_PAIRS: f64 = 0.9;

/// A stretch that costs so many times the usual holds more than the op's usual work.
const PEAK: f64 = 1.3;

/// The share of the window's cost in peaks that can decide about it.
const PEAKS_SHARE: f64 = 0.02;

/// The same for a single one of them: another warm-up can bring one more or less.
const PEAK_SHARE: f64 = 0.0125;

/// With so many in a window, one more or less does not matter much.
const ENOUGH_PEAKS: f64 = 8.0;

/// Bytes on the heap that are more than what compilers and caches keep of a few functions.
const LEAST_GROWTH: f64 = 100e3;

/// The same for each op: no value of its own fits in fewer.
const LEAST_GROWTH_PER_OP: f64 = 4.0;

/// Fewer ops than that tell nothing.
const FEWEST_OPS: u64 = 24;

/// What to look at: ops from the first ones to the window's, and how they are divided; from the very
/// first op on where it can have marks of its own. Fewer where they would take too long; `None` for ops
/// that are too long themselves.
pub(super) fn look(
    budget: OpBudget,
    per_op: f64,
    from_first: bool,
) -> Option<(OpBudget, Vec<u64>)> {
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "positive and far below 2^53"
    )]
    let affordable = (LARGEST_LOOK / (per_op.max(1.0) * LOWEST_TIER_FACTOR)) as u64;
    let before = budget.warmup_ops.saturating_sub(FIRST_OPS).min(affordable);
    let within = budget.window_ops.min(MOST_OF_WINDOW).min(affordable - before);
    if before + within < FEWEST_OPS {
        return None;
    }
    let mut shares = divided(before, within);
    let mut warmup_ops = FIRST_OPS;
    if from_first {
        shares.insert(middle(&shares), 0);
        shares.splice(0..0, [1, 0, FIRST_OPS - 1]);
        warmup_ops = 0;
    }
    Some((OpBudget { warmup_ops, window_ops: shares.iter().sum() }, shares))
}

/// Where half of the ops are through: there the heap is weighed.
fn middle(shares: &[u64]) -> usize {
    let all = shares.iter().sum::<u64>();
    let mut through = 0;
    shares
        .iter()
        .position(|ops| {
            through += ops;
            2 * through > all
        })
        .unwrap_or(shares.len())
}

/// Ops before the window in stretches that grow, and those in it in equal ones, after some without
/// ops.
pub(super) fn divided(before: u64, within: u64) -> Vec<u64> {
    let mut shares = vec![0; EMPTY];
    let (mut left, mut share) = (before, SHORTEST);
    while left > 0 {
        shares.push(share.min(left));
        left -= share.min(left);
        share += share / 10;
    }
    let share = within.div_ceil(IN_WINDOW).max(1);
    shares.extend((0..within / share).map(|_| share));
    shares
}

/// What the ops' course says of the window.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Age {
    /// The same work at any age.
    Steady,
    /// Another cost than that of the first ops, but a steady one; worth telling.
    Changed(String),
    /// Extra work every so many ops, which the window holds too few of.
    Refills {
        /// Ops from one peak to the next, where the look saw several.
        period_ops: Option<u64>,
        /// In words.
        reason: String,
    },
    /// Another cost than that of the first ops, which goes on changing within the window.
    Drifts(String),
    /// No window of this op is one to judge by.
    Unsteady(String),
}

/// Judges a course at the lowest tiers, given what an op that does nothing costs there.
pub(super) fn judge(course_of: &Stretches, budget: OpBudget, empty: Option<f64>) -> Age {
    let course = without_marks(&course_of.stretches);
    let (first_ops, course): (Vec<Stretch>, Vec<Stretch>) =
        course.into_iter().partition(|one| one.after_ops < FIRST_OPS);
    let course = &course;
    let first = first_cost(course);
    let in_window: Vec<Stretch> =
        course.iter().copied().filter(|one| one.after_ops >= budget.warmup_ops).collect();
    // A look that could not reach the window tells of what it reached.
    let reached = !in_window.is_empty();
    let late = if reached { in_window } else { course[course.len() * 3 / 4..].to_vec() };
    let (Some(first), Some(usual)) = (first, usual(&late)) else { return Age::Steady };
    let until = late.last().map_or(0, |one| one.after_ops + one.ops);
    let empty = empty.unwrap_or(0.0);
    let (net, net_first) = (usual - empty, first - empty);
    let next_to_nothing = empty.max(NEXT_TO_NOTHING);
    if net < net_first * DRY_SHARE
        && net < next_to_nothing
        && net_first > net + next_to_nothing / 6.0
    {
        return Age::Unsteady(format!(
            "its input is used up: the first ops took {first:.0} instructions at the lowest tier, \
             those of the window {usual:.0}; make the input anew in a hook, or let ops not use it up"
        ));
    }
    let at_once = first_ops.iter().map(|one| one.count as f64).sum::<f64>();
    let beside = at_once - usual * FIRST_OPS as f64;
    if course_of.ran_dry && (beside > AT_ONCE || net < net_first * DRY_SHARE) {
        return Age::Unsteady(format!(
            "its input is used up: the first op gave something and those of the window nothing, in \
             {usual:.0} instructions at the lowest tier; make the input anew in a hook, or let ops not \
             use it up"
        ));
    }
    if net < next_to_nothing && beside > REMEMBERED {
        return Age::Unsteady(format!(
            "its work is done by the first op: the first {FIRST_OPS} ops took {at_once:.0} instructions \
             at the lowest tier, one of the window {usual:.0}; make what it uses up or remembers anew in a \
             hook, or call it once before the bench, if the first call is not to be measured"
        ));
    }
    if let Some((from, to)) = drift(&late)
        && (usual / first - 1.0).abs() > DRIFT_SINCE_FIRST
        && (usual > first) == (to > from)
    {
        return Age::Drifts(format!(
            "its cost drifts: the cost of an op goes from {first:.0} at first to {from:.0} and {to:.0} \
             instructions at op {until}, at the lowest tier; does its state grow from op to op?"
        ));
    }
    if reached && let Some(refills) = refills(course, &late, usual, budget.window_ops) {
        return refills;
    }
    if usual < first * (1.0 - TOLD) || usual > first * (1.0 + TOLD) {
        return Age::Changed(format!(
            "the first ops took {first:.0} instructions at the lowest tier, those of the window \
             {usual:.0}: what is measured is the later state"
        ));
    }
    Age::Steady
}

/// Why memory grows, where ops leave something behind that is more than what their code takes.
pub(super) fn growth(retained: Retained) -> Option<String> {
    let Retained { bytes, ops } = retained;
    let per_op = bytes / ops as f64;
    (ops > 0 && bytes > LEAST_GROWTH && per_op > LEAST_GROWTH_PER_OP).then(|| {
        format!(
            "each op leaves about {per_op:.0} bytes on the heap ({:.1} MB after {ops} ops), which no \
             collection frees: the longer it runs, the larger the heap and its collections",
            bytes / 1e6
        )
    })
}

/// The stretches that have ops, without what their marks cost.
pub(super) fn without_marks(course: &[Stretch]) -> Vec<Stretch> {
    let marks: Vec<f64> =
        course.iter().filter(|one| one.ops == 0).map(|one| one.count as f64).collect();
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "a median of counts"
    )]
    let mark = tiergate_stats::median(&marks).unwrap_or(0.0) as u64;
    course
        .iter()
        .filter(|one| one.ops > 0)
        .map(|one| Stretch { count: one.count.saturating_sub(mark), ..*one })
        .collect()
}

/// The cost of the first ops: the median of the first stretches.
fn first_cost(course: &[Stretch]) -> Option<f64> {
    usual(&course[..course.len().min(3)])
}

/// The median cost of an op.
fn usual(stretches: &[Stretch]) -> Option<f64> {
    let costs: Vec<f64> = stretches.iter().map(Stretch::per_op).collect();
    tiergate_stats::median(&costs)
}

/// The costs of the first and the second half, where they differ by more than a steady op's would.
fn drift(late: &[Stretch]) -> Option<(f64, f64)> {
    if late.len() < 6 {
        return None;
    }
    let (front, back) = late.split_at(late.len() / 2);
    let (from, to) = (usual(front)?, usual(back)?);
    let pairs = front.iter().flat_map(|one| back.iter().map(move |other| (one, other)));
    let agreeing =
        pairs.filter(|(one, other)| (other.per_op() > one.per_op()) == (to > from)).count();
    let share = agreeing as f64 / (front.len() * back.len()) as f64;
    ((to / from - 1.0).abs() > DRIFT_IN_WINDOW && share >= DRIFT_PAIRS).then_some((from, to))
}

/// Whether the window holds work that comes now and then too seldom; `late` is as much of it as was
/// looked at.
fn refills(course: &[Stretch], late: &[Stretch], usual: f64, window_ops: u64) -> Option<Age> {
    let is_peak = |one: &Stretch| one.per_op() > usual * PEAK;
    let all: f64 = late.iter().map(|one| one.count as f64).sum();
    let extra: f64 = late
        .iter()
        .filter(|one| is_peak(one))
        .map(|one| one.count as f64 - usual * one.ops as f64)
        .sum();
    if extra < PEAKS_SHARE * all {
        return None;
    }
    let looked_at: u64 = late.iter().map(|one| one.ops).sum();
    let peaks =
        starts(late, is_peak).len() as f64 * (window_ops as f64 / looked_at as f64).max(1.0);
    if peaks >= ENOUGH_PEAKS || extra / all / peaks.max(1.0) < PEAK_SHARE {
        return None;
    }
    // Where the window holds but one, those of the warm-up tell how far they lie apart.
    let period_ops = period(&starts(course, is_peak));
    let every = match period_ops {
        Some(ops) => format!("every {ops} ops or so"),
        None => "now and then".to_owned(),
    };
    Some(Age::Refills {
        period_ops,
        reason: format!(
            "it does extra work {every}, {:.0} % of the window's, which holds it {peaks:.0} times: one time \
             more or less would be another result",
            100.0 * extra / all,
        ),
    })
}

/// The ops at which peaks begin.
fn starts(stretches: &[Stretch], is_peak: impl Fn(&Stretch) -> bool) -> Vec<u64> {
    let mut before = false;
    let mut found = Vec::new();
    for one in stretches {
        let peak = is_peak(one);
        if peak && !before {
            found.push(one.after_ops);
        }
        before = peak;
    }
    found
}

fn period(starts: &[u64]) -> Option<u64> {
    let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let (first, last) = (starts.first()?, starts.last()?);
    let shortest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = gaps.iter().copied().fold(0.0, f64::max);
    // Growing distances are those of a table that doubles, and no period.
    (gaps.len() >= 2 && longest < 1.5 * shortest).then(|| (last - first) / (gaps.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: OpBudget = OpBudget { warmup_ops: 9_000, window_ops: 4_000 };
    const MARK: f64 = 1_234.0;

    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "small and positive"
    )]
    fn course(cost: impl Fn(u64) -> f64) -> Stretches {
        let (budget, shares) = look(BUDGET, 100.0, true).unwrap();
        let mut after_ops = budget.warmup_ops;
        let stretches = shares
            .into_iter()
            .map(|ops| {
                let count = (after_ops..after_ops + ops).map(&cost).sum::<f64>() + MARK;
                let stretch = Stretch { after_ops, ops, count: count as u64 };
                after_ops += ops;
                stretch
            })
            .collect();
        Stretches { stretches, ran_dry: false, retained: None }
    }

    fn judged(cost: impl Fn(u64) -> f64) -> Age {
        judge(&course(cost), BUDGET, Some(100.0))
    }

    #[test]
    fn the_same_work_is_steady() {
        assert_eq!(judged(|_| 5_000.0), Age::Steady);
        assert_eq!(judged(|op| 5_000.0 + (op % 7) as f64), Age::Steady);
    }

    #[test]
    fn used_up_input_is_told_from_a_filled_cache() {
        let dry = judged(|op| if op < 40 { 5_000.0 } else { 150.0 });
        assert!(matches!(&dry, Age::Unsteady(reason) if reason.contains("used up")), "{dry:?}");
        let filled = judged(|op| if op < 2_000 { 5_000.0 } else { 900.0 });
        assert!(matches!(filled, Age::Changed(_)), "{filled:?}");
    }

    #[test]
    fn work_of_the_first_op_alone_is_not_measured() {
        let once = |first: f64, rest: f64| judged(move |op| if op == 0 { first } else { rest });
        let remembered = once(4_000_000.0, 200.0);
        assert!(matches!(&remembered, Age::Unsteady(reason) if reason.contains("first op")));
        assert_eq!(once(900_000.0, 200.0), Age::Steady);
        assert_eq!(once(4_000_000.0, 900.0), Age::Steady);
        let mut emptied = course(|op| if op == 0 { 900_000.0 } else { 900.0 });
        emptied.ran_dry = true;
        let emptied = judge(&emptied, BUDGET, Some(100.0));
        assert!(matches!(&emptied, Age::Unsteady(reason) if reason.contains("used up")));
    }

    #[test]
    fn next_to_nothing_is_what_an_engine_takes_for_it() {
        let course = course(|op| if op < 40 { 18_000.0 } else { 1_040.0 });
        let of_empty = |empty| judge(&course, BUDGET, Some(empty));
        assert!(matches!(of_empty(690.0), Age::Unsteady(_)));
        assert!(matches!(of_empty(100.0), Age::Changed(_)));
    }

    #[test]
    fn growing_state_drifts_until_it_is_full() {
        let grows = judged(|op| 1_000.0 + op as f64);
        assert!(matches!(&grows, Age::Drifts(reason) if reason.contains("drifts")), "{grows:?}");
        let full = judged(|op| 1_000.0 + op.min(300) as f64);
        assert_eq!(full, Age::Steady);
        let noisy = |op: u64| if op % 640 < 320 { 40.0 } else { 0.0 };
        let scattered = judged(|op| 1_000.0 + op.min(300) as f64 + noisy(op));
        assert_eq!(scattered, Age::Steady);
    }

    #[test]
    fn extra_work_now_and_then_needs_a_long_window() {
        let rare = judged(|op| if op % 1_500 == 0 { 400_000.0 } else { 1_000.0 });
        assert!(matches!(rare, Age::Refills { period_ops: Some(1_400..=1_600), .. }), "{rare:?}");
        assert_eq!(judged(|op| if op % 300 == 0 { 40_000.0 } else { 1_000.0 }), Age::Steady);
    }

    #[test]
    fn what_ops_leave_on_the_heap_is_told() {
        let told = |bytes, ops| growth(Retained { bytes, ops });
        assert!(told(5.6e6, 64_000).unwrap().contains("about 88 bytes"));
        assert_eq!(told(90e3, 500), None);
        assert_eq!(told(150e3, 64_000), None);
        assert_eq!(told(-3e6, 64_000), None);
    }

    #[test]
    fn the_heap_is_weighed_in_the_middle_of_what_is_looked_at() {
        for per_op in [100.0, 15_000.0] {
            let (_, shares) = look(BUDGET, per_op, true).unwrap();
            let at = shares.iter().rposition(|ops| *ops == 0).unwrap();
            let sum = |shares: &[u64]| shares.iter().sum::<u64>() as f64;
            let share = sum(&shares[..at]) / sum(&shares);
            assert!((0.4..=0.5).contains(&share), "{per_op}: {share}");
        }
    }

    #[test]
    fn a_look_is_as_long_as_it_can_be() {
        let ops = |per_op| look(BUDGET, per_op, false).map(|(budget, _)| budget.window_ops);
        assert_eq!(ops(100.0), Some(13_000 - FIRST_OPS - 31));
        assert_eq!(ops(1e6), Some(150));
        assert_eq!(ops(1e9), None);
    }
}
