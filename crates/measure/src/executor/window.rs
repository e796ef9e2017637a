//! How a window lies between marks, and what follows for its count.

use super::{Bench, Stretch, Tiers};
use crate::Fault;
use crate::instrument::Instrument;
use tiergate_model::{InstrumentKind, OpBudget, WindowShape};
use tiergate_protocol::shape;

/// How a window is divided.
#[derive(Debug, Clone, Copy)]
pub(super) enum Division<'a> {
    /// Not at all.
    Whole,
    /// Into two parts that must agree.
    Halves,
    /// Into parts of so many ops each; windows in brackets into as many parts, of equal length.
    Shares(&'a [u64]),
    /// Into loops of the user's own, of so many ops each.
    Loops(&'a [u64]),
}

/// Two parts that must agree, where the instrument can tell them apart without leaving the window.
pub(super) fn division(instrument: &dyn Instrument) -> Division<'static> {
    if instrument.kind() == InstrumentKind::Counter { Division::Halves } else { Division::Whole }
}

impl<'a> Division<'a> {
    /// Into stretches of a course; `None` where a bench can't be divided so.
    pub(super) fn of_course(bench: &Bench, shares: &'a [u64], tiers: Tiers) -> Option<Self> {
        match (bench.discovered.divisible, bench.discovered.window, tiers) {
            (true, ..) => Some(Self::Shares(shares)),
            (false, WindowShape::Span, Tiers::Lowest) => Some(Self::Loops(shares)),
            _ => None,
        }
    }
}

/// How many marks and sections a bench's window has.
pub(super) struct WindowPlan {
    pub(super) shape: &'static str,
    pub(super) marks_each: u64,
    pub(super) sections: usize,
    /// The ops of its parts.
    pub(super) shares: Vec<u64>,
}

impl WindowPlan {
    pub(super) fn of(bench: &Bench, budget: OpBudget, division: Division<'_>) -> Self {
        let ops = budget.window_ops;
        if let Division::Loops(shares) = division {
            return Self::loops(shares.to_vec());
        }
        let batch = bench.discovered.batch_ops.max(1);
        let batches = ops.div_ceil(batch);
        let parts = match division {
            Division::Halves if bench.discovered.divisible && batches > 1 => 2,
            Division::Shares(shares) if bench.discovered.divisible => shares.len() as u64,
            _ => 1,
        };
        match (bench.discovered.window, division) {
            (WindowShape::Span, Division::Shares(shares)) if parts > 1 => {
                Self::span(shares.to_vec())
            }
            (WindowShape::Span, _) => Self::span(equal_shares(ops, parts)),
            (WindowShape::Brackets, _) => Self {
                shape: shape::BRACKETS,
                marks_each: 2 * batches,
                sections: 2,
                // As the preloaded library divides them.
                shares: equal_shares(batches, parts.min(batches))
                    .into_iter()
                    .map(|batches| batches * batch)
                    .collect(),
            },
        }
    }

    /// What lies between the loops is not counted.
    fn loops(shares: Vec<u64>) -> Self {
        let marks_each = 2 * shares.len() as u64;
        Self { shape: shape::BRACKETS, marks_each, sections: 1, shares }
    }

    fn span(shares: Vec<u64>) -> Self {
        let marks_each = shares.len() as u64 + 1;
        Self { shape: shape::SPAN, marks_each, sections: 1, shares }
    }

    /// The parts with their counts, as they came one after the other.
    pub(super) fn stretches(&self, warmup_ops: u64, counts: &[u64]) -> Vec<Stretch> {
        let mut after_ops = warmup_ops;
        let stretch = |(ops, count): (&u64, &u64)| {
            let stretch = Stretch { after_ops, ops: *ops, count: *count };
            after_ops += ops;
            stretch
        };
        self.shares.iter().zip(counts).map(stretch).collect()
    }

    /// The window's count, and what of it was taken off for the marks.
    pub(super) fn count(
        &self,
        sections: &[u64],
        instrument: &'static str,
    ) -> Result<(u64, Option<u64>), Fault> {
        match sections {
            [whole] => Ok((*whole, None)),
            [with_ops, marks_only] => match with_ops.checked_sub(*marks_only) {
                Some(count) if count > 0 => Ok((count, Some(*marks_only))),
                _ => Err(Fault::Instrument {
                    instrument,
                    fault: format!(
                        "the ops between the marks cost nothing beyond the marks themselves \
                         ({with_ops} against {marks_only})"
                    ),
                }),
            },
            _ => Err(Fault::Marks(format!("{} sections were counted", sections.len()))),
        }
    }
}

/// Parts that are alike but for the last ones.
fn equal_shares(all: u64, parts: u64) -> Vec<u64> {
    let share = all.div_ceil(parts.max(1));
    (0..parts.max(1)).map(|part| share.min(all.saturating_sub(part * share))).collect()
}
