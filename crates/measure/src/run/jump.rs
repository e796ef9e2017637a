//! Whether the cost of an op jumps within a window, or goes on changing, by more than the collections in
//! it explain.
//!
//! The jump is for engines whose traces don't show every change of code. On V8 it would say nothing new,
//! and the wrong thing at times: marking goes on beside the ops for a good part of a window before a
//! collection of the whole heap, and makes each of their writes dearer. But it ends with that.

use tiergate_model::{BenchResult, Perturbation, WindowPhases};

/// Halves with collections in them that differ by less are not looked at.
const JUMP: f64 = 0.05;

/// Neighbouring phases of which the median is taken, as parts of the window: a collection is in few
/// of the phases of a part, or in all of them alike.
const PARTS: usize = 8;

/// Why the window is none of equal ops, where it holds collections, its halves differ, and its phases
/// show that it is not for them.
pub(super) fn jump(result: &BenchResult) -> Option<String> {
    let reading = result.readings.iter().find(|one| one.perturbation == Perturbation::None)?;
    let is_calm = reading.proof.twin.as_ref()?.collections_in_window() == 0;
    if is_calm || !reading.halves().is_some_and(differ) {
        return None;
    }
    let (first, later) = furthest(result.window_phases.as_ref()?)?;
    differ((first, later)).then(|| {
        format!(
            "its cost drifts: {first:.0} instructions per op in one part of the window, {later:.0} \
             in a later one, beside its collections; does its state change from op to op?"
        )
    })
}

/// Why the window is none of equal ops, where it holds collections, its halves differ, and the cost
/// between them goes one way from its begin to its end.
pub(super) fn drift(result: &BenchResult) -> Option<String> {
    let reading = result.readings.iter().find(|one| one.perturbation == Perturbation::None)?;
    let twin = reading.proof.twin.as_ref()?;
    let halves = reading.halves()?;
    if twin.collections_in_window() == 0 || !differ(halves) {
        return None;
    }
    let (first, last) = one_way(halves, result.window_phases.as_ref()?)?;
    Some(format!(
        "its cost drifts: {first:.0} instructions per op at the begin of the window, {last:.0} at its \
         end, beside its collections; does its state grow from op to op?"
    ))
}

/// The costs of an op in the first and the last part of the window, where each part differs from the
/// one before in the direction in which the halves do.
fn one_way(halves: (f64, f64), phases: &WindowPhases) -> Option<(f64, f64)> {
    let parts = parts(phases);
    let (first, last) = (*parts.first()?, *parts.last()?);
    let rises = halves.1 > halves.0;
    let is_one_way =
        parts.windows(2).all(|pair| if rises { pair[1] > pair[0] } else { pair[1] < pair[0] });
    (parts.len() == PARTS && is_one_way && differ((first, last))).then_some((first, last))
}

fn differ((first, second): (f64, f64)) -> bool {
    (second / first - 1.0).abs() > JUMP
}

/// The median costs of an op in the parts of the window, in their order.
fn parts(phases: &WindowPhases) -> Vec<f64> {
    let costs = &phases.per_op;
    let length = costs.len().div_ceil(PARTS).max(1);
    costs.chunks(length).filter_map(tiergate_stats::median).collect()
}

/// The median costs of an op in the two parts of the window that differ most, in their order.
fn furthest(phases: &WindowPhases) -> Option<(f64, f64)> {
    let parts = parts(phases);
    let at = |order: fn(&f64, &f64) -> std::cmp::Ordering| {
        (0..parts.len()).max_by(|a, b| order(&parts[*a], &parts[*b]))
    };
    let (largest, smallest) = (at(f64::total_cmp)?, at(|a, b| b.total_cmp(a))?);
    Some((parts[largest.min(smallest)], parts[largest.max(smallest)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases(cost: impl Fn(u32) -> f64) -> WindowPhases {
        let per_op: Vec<f64> = (0..48).map(cost).collect();
        WindowPhases { ops: 10, per_op, median: 0.0, quartile_spread: 0.0 }
    }

    #[test]
    fn what_goes_one_way_through_the_whole_window_drifts() {
        let grown = phases(|at| 1_000.0 + 10.0 * f64::from(at));
        assert_eq!(one_way((1_100.0, 1_300.0), &grown), Some((1_025.0, 1_445.0)));
        let shrunk = phases(|at| 2_000.0 - 10.0 * f64::from(at));
        assert!(one_way((1_900.0, 1_600.0), &shrunk).is_some());
        let marked = phases(|at| if at > 30 { 1_400.0 } else { 1_000.0 });
        assert_eq!(one_way((1_000.0, 1_300.0), &marked), None);
        let scattered = phases(|at| 1_000.0 + 200.0 * f64::from(at / 6 % 2));
        assert_eq!(one_way((1_100.0, 1_300.0), &scattered), None);
    }

    #[test]
    fn a_collection_is_no_jump_and_other_work_is() {
        let collected = phases(|at| if at % 4 == 3 { 9_000.0 } else { 1_000.0 });
        assert_eq!(furthest(&collected), Some((1_000.0, 1_000.0)));
        for jump in [5, 24, 44] {
            let jumped = phases(|at| if at < jump { 188.0 } else { 4_405.0 });
            assert_eq!(furthest(&jumped), Some((188.0, 4_405.0)), "{jump}");
        }
    }
}
