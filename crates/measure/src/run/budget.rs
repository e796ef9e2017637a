//! How many ops a window holds, until it is known from the lock or the settings.

use tiergate_model::OpBudget;

/// Instructions that a window should at least hold, so that its edges do not matter: the marks
/// cost a few thousand.
pub const MINIMUM_COUNT: u64 = 20_000_000;

/// The longest native time that one window may take, in nanoseconds. Under an instrument a
/// hundred times slower this is more than three minutes.
const LONGEST_WINDOW_NS: f64 = 2e9;

/// Ops of one batch of the harness's op loop; windows are whole batches where they can be.
const BATCH_OPS: u64 = 50;

/// A budget that is known before the bench has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedBudget {
    /// The ops.
    pub budget: OpBudget,
    /// Whether the user chose it: then it is taken as it is, and no traced run looks at it.
    pub hand_set: bool,
}

/// Ops for a window of about `target_ns` of native time, within the longest window.
pub(super) fn window_ops(ns_per_op: f64, target_ns: f64) -> u64 {
    let ns_per_op = if ns_per_op.is_finite() { ns_per_op.max(0.1) } else { LONGEST_WINDOW_NS };
    rounded((target_ns / ns_per_op).min(LONGEST_WINDOW_NS / ns_per_op))
}

/// Ops for a window that holds [`MINIMUM_COUNT`], given what a window of `ops` held; `None` when
/// it held enough or can't hold more.
pub(crate) fn grown_window_ops(ops: u64, count: u64, ns_per_op: f64) -> Option<u64> {
    if count >= MINIMUM_COUNT || count == 0 {
        return None;
    }
    let needed = ops as f64 * (MINIMUM_COUNT as f64 / count as f64) * 1.1;
    let grown = rounded(needed.min(LONGEST_WINDOW_NS / ns_per_op.max(0.1)));
    (grown > ops).then_some(grown)
}

/// Rounds up to two significant digits and to whole batches: numbers that people can compare, and
/// that small differences of a sizing run do not change.
#[allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "positive and far below 2^53"
)]
pub(super) fn rounded(ops: f64) -> u64 {
    let mut step = 1.0;
    while ops / step > 99.0 {
        step *= 10.0;
    }
    let ops = ((ops / step).ceil() * step).max(1.0) as u64;
    if ops > BATCH_OPS { ops.next_multiple_of(BATCH_OPS) } else { ops }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_round_and_within_their_limits() {
        assert_eq!(window_ops(1_000.0, 20e6), 20_000);
        assert_eq!(window_ops(1_234.0, 20e6), 17_000);
        assert_eq!(window_ops(300_000.0, 20e6), 100);
        assert_eq!(window_ops(1e6, 20e6), 20);
        assert_eq!(window_ops(5e9, 20e6), 1);
        assert_eq!(window_ops(0.0, 20e6), 200_000_000);
        assert_eq!(window_ops(f64::NAN, 20e6), 1);
    }

    #[test]
    fn a_window_grows_until_it_holds_enough() {
        assert_eq!(grown_window_ops(1_000, MINIMUM_COUNT, 1_000.0), None);
        assert_eq!(grown_window_ops(1_000, MINIMUM_COUNT / 2, 1_000.0), Some(2_200));
        assert_eq!(grown_window_ops(1, 1_000, 5e9), None);
    }
}
