//! How a window lies between marks, and what follows for its count.

use super::Bench;
use crate::Fault;
use tiergate_model::{OpBudget, WindowShape};
use tiergate_protocol::shape;

/// How many marks and sections a bench's window has.
pub(super) struct WindowPlan {
    pub(super) shape: &'static str,
    pub(super) marks_each: u64,
    pub(super) sections: usize,
}

impl WindowPlan {
    pub(super) fn of(bench: &Bench, budget: OpBudget) -> Self {
        match bench.discovered.window {
            WindowShape::Span => Self { shape: shape::SPAN, marks_each: 2, sections: 1 },
            WindowShape::Brackets => Self {
                shape: shape::BRACKETS,
                marks_each: 2 * budget.window_ops.div_ceil(bench.discovered.batch_ops),
                sections: 2,
            },
        }
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
