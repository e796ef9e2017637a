//! From counted marks to ops.

use crate::harness::WarmupCourse;
use tiergate_model::{OpBudget, WindowShape};

/// Where in a bench's life something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the first op of the warm-up's loop: loading, set-up, the first op.
    Before,
    /// Before the window, while one of these ops ran: from the first number, exclusive, to the
    /// second, inclusive.
    Warmup {
        /// Ops that were through.
        after: u64,
        /// Ops that were through at the next mark.
        until: u64,
    },
    /// In the window, counted as in the warm-up, which comes before.
    Window {
        /// Ops that were through.
        after: u64,
        /// Ops that were through at the next mark.
        until: u64,
    },
    /// Between ops and outside of the window: in hooks, or in the harness.
    Aside,
    /// After the last op.
    After,
}

/// What a process ran, from which a place follows from the marks that have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Course {
    /// How the window lies between marks.
    pub(crate) shape: WindowShape,
    /// Ops of a bracket.
    pub(crate) batch_ops: u64,
    /// Ops before and in the window, as they were run.
    pub(crate) budget: OpBudget,
    /// How the marks of the warm-up lie between its ops.
    pub(crate) warmup: WarmupCourse,
    /// Marks of a section.
    pub(crate) marks_each: u64,
}

impl Course {
    /// The place after so many marks in all, so many sections begun, and so many marks in the last
    /// of them.
    pub(crate) fn place(&self, marks: u64, sections: u64, in_section: u64) -> Place {
        match sections {
            0 => match marks.checked_sub(self.warmup.marks_before) {
                None => Place::Before,
                Some(marks) => self.in_warmup(marks),
            },
            1 if in_section == 0 => Place::Aside,
            1 if in_section < self.marks_each => self.in_window(in_section),
            _ => Place::After,
        }
    }

    fn in_warmup(&self, marks: u64) -> Place {
        let step = self.warmup.step.max(1);
        let warmup = self.budget.warmup_ops;
        match self.shape {
            WindowShape::Span => {
                let steps = marks / self.warmup.marks_per_step.max(1);
                if self.warmup.marks_per_step == 2 && marks.is_multiple_of(2) {
                    return Place::Aside;
                }
                let through = |steps: u64| warmup.min(self.warmup.first_ops + steps * step);
                ops(through(steps), through(steps + 1), |after, until| Place::Warmup {
                    after,
                    until,
                })
            }
            WindowShape::Brackets => {
                // A round is so many brackets, and as many empty ones.
                let brackets = warmup.saturating_sub(self.warmup.first_ops) / self.batch_ops.max(1);
                let (round, marks) = (marks / (4 * step), marks % (4 * step));
                let through = round * step + marks / 2;
                let of_round = step.min(brackets.saturating_sub(round * step));
                if marks.is_multiple_of(2) || marks >= 2 * of_round {
                    return Place::Aside;
                }
                let after = self.warmup.first_ops + through * self.batch_ops;
                Place::Warmup { after, until: after + self.batch_ops }
            }
        }
    }

    fn in_window(&self, marks: u64) -> Place {
        let OpBudget { warmup_ops, window_ops } = self.budget;
        match self.shape {
            WindowShape::Span => {
                Place::Window { after: warmup_ops, until: warmup_ops + window_ops }
            }
            WindowShape::Brackets if marks.is_multiple_of(2) => Place::Aside,
            WindowShape::Brackets => {
                let after = warmup_ops + marks / 2 * self.batch_ops;
                Place::Window { after, until: after + self.batch_ops }
            }
        }
    }
}

fn ops(after: u64, until: u64, place: impl Fn(u64, u64) -> Place) -> Place {
    if after < until { place(after, until) } else { Place::Aside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(shape: WindowShape, batch_ops: u64, warmup_ops: u64) -> Course {
        Course {
            shape,
            batch_ops,
            budget: OpBudget { warmup_ops, window_ops: 100 },
            warmup: WarmupCourse {
                first_ops: 1,
                marks_before: 64,
                step: 50,
                marks_per_step: 1,
                own_loop: false,
            },
            marks_each: if shape == WindowShape::Span { 2 } else { 200 / batch_ops },
        }
    }

    #[test]
    fn a_span_has_a_mark_after_every_step() {
        let course = course(WindowShape::Span, 1, 120);
        for (marks, sections, in_section, place) in [
            (63, 0, 0, Place::Before),
            (64, 0, 0, Place::Warmup { after: 1, until: 51 }),
            (66, 0, 0, Place::Warmup { after: 101, until: 120 }),
            (67, 0, 0, Place::Aside),
            (67, 1, 0, Place::Aside),
            (68, 1, 1, Place::Window { after: 120, until: 220 }),
            (69, 1, 2, Place::After),
        ] {
            assert_eq!(course.place(marks, sections, in_section), place, "{marks} {in_section}");
        }
    }

    #[test]
    fn a_bench_that_bounds_its_ops_has_marks_around_every_step() {
        let course = Course {
            warmup: WarmupCourse {
                first_ops: 1,
                marks_before: 64,
                step: 50,
                marks_per_step: 2,
                own_loop: true,
            },
            ..course(WindowShape::Span, 1, 120)
        };
        for (marks, place) in [
            (64, Place::Aside),
            (65, Place::Warmup { after: 1, until: 51 }),
            (66, Place::Aside),
            (69, Place::Warmup { after: 101, until: 120 }),
            (70, Place::Aside),
        ] {
            assert_eq!(course.place(marks, 0, 0), place, "{marks}");
        }
    }

    #[test]
    fn brackets_have_marks_around_every_batch_and_around_nothing() {
        let course = course(WindowShape::Brackets, 1, 61);
        for (marks, sections, in_section, place) in [
            (64, 0, 0, Place::Aside),
            (65, 0, 0, Place::Warmup { after: 1, until: 2 }),
            (66, 0, 0, Place::Aside),
            (64 + 99, 0, 0, Place::Warmup { after: 50, until: 51 }),
            (64 + 101, 0, 0, Place::Aside),
            (64 + 201, 0, 0, Place::Warmup { after: 51, until: 52 }),
            (64 + 219, 0, 0, Place::Warmup { after: 60, until: 61 }),
            (64 + 221, 0, 0, Place::Aside),
            (304, 1, 0, Place::Aside),
            (305, 1, 1, Place::Window { after: 61, until: 62 }),
            (306, 1, 2, Place::Aside),
            (504, 1, 200, Place::After),
            (505, 2, 1, Place::After),
        ] {
            assert_eq!(course.place(marks, sections, in_section), place, "{marks} {in_section}");
        }
    }
}
