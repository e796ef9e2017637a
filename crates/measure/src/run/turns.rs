//! The readings of a bench in turn: on one side, or on both with the same ops.

use super::budget::{PlannedBudget, grown_window_ops};
use super::{Progress, Subject};
use tiergate_model::{OpBudget, Perturbation, Unit};

/// Windows are grown at most so often; after that the bench is taken as it is.
const LARGEST_GROWTHS: u32 = 2;

/// Ops for all sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ops {
    budget: OpBudget,
    /// Whether the user chose them.
    hand_set: bool,
    /// Native time of an op, where the ops were found now and may still be bettered.
    ns_per_op: Option<f64>,
}

pub(crate) struct Turns<'a> {
    /// The sides, base first where there are two.
    pub(crate) sides: Vec<Subject<'a>>,
    progress: &'a Progress<'a>,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(sides: Vec<Subject<'a>>, progress: &'a Progress<'a>) -> Self {
        Self { sides, progress }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.sides.iter().all(Subject::is_sound)
    }

    fn counts_instructions(&self) -> bool {
        self.sides.iter().all(|side| side.unit() == Unit::Instructions)
    }

    pub(crate) fn read(&mut self, budget: OpBudget, perturbation: Perturbation) {
        self.sides.iter_mut().for_each(|side| side.read(budget, perturbation));
    }

    pub(crate) fn settle(&mut self) {
        self.sides.iter_mut().for_each(Subject::settle);
    }

    /// The ops that are planned; or the most that a side would choose. A side that works is read even
    /// where the other one does not: it may have a fault of its own.
    pub(crate) fn find_ops(&mut self, planned: Option<&PlannedBudget>) -> Option<Ops> {
        let ops = match planned {
            Some(planned) => {
                Ops { budget: planned.budget, hand_set: planned.hand_set, ns_per_op: None }
            }
            None => {
                let found = self.sides.iter_mut().filter_map(Subject::find_budget);
                let (budget, ns_per_op) = found.reduce(|(one, one_ns), (other, other_ns)| {
                    let budget = OpBudget {
                        warmup_ops: one.warmup_ops.max(other.warmup_ops),
                        window_ops: one.window_ops.max(other.window_ops),
                    };
                    (budget, f64::max(one_ns, other_ns))
                })?;
                Ops { budget, hand_set: false, ns_per_op: Some(ns_per_op) }
            }
        };
        self.sides.iter_mut().for_each(|side| side.plan(ops.budget));
        Some(ops)
    }

    /// The first reading of each side, over a window that is long enough; returns the ops that it
    /// ended with.
    pub(crate) fn first(&mut self, ops: Ops) -> OpBudget {
        let budget = self.first_grown(ops);
        if ops.hand_set || !self.counts_instructions() {
            return budget;
        }
        let longer = self.examine();
        match ops.ns_per_op.zip(longer) {
            Some((ns_per_op, window_ops)) => {
                let budget = self.lengthen(budget, window_ops, ns_per_op);
                self.read(budget, Perturbation::None);
                self.examine();
                budget
            }
            None => budget,
        }
    }

    fn first_grown(&mut self, ops: Ops) -> OpBudget {
        let mut budget = ops.budget;
        for growths in 0..=LARGEST_GROWTHS {
            self.read(budget, Perturbation::None);
            let counts = self.sides.iter().map(Subject::first_count);
            let smallest = counts.min().flatten().filter(|_| self.is_sound());
            let grown = ops.ns_per_op.filter(|_| growths < LARGEST_GROWTHS).zip(smallest);
            let longer = grown.and_then(|(ns_per_op, count)| {
                Some((ns_per_op, grown_window_ops(budget.window_ops, count, ns_per_op)?))
            });
            let Some((ns_per_op, window_ops)) = longer else { break };
            let window_ops = self.sides.iter().map(|side| side.whole_batches(window_ops)).max();
            let window_ops = window_ops.unwrap_or(budget.window_ops);
            budget = self.grow(OpBudget { window_ops, ..budget }, ns_per_op);
        }
        budget
    }

    /// Drops the readings for a longer window, and sees what warm-up that needs.
    fn grow(&mut self, budget: OpBudget, ns_per_op: f64) -> OpBudget {
        self.sides.iter_mut().for_each(Subject::forget);
        self.progress.add_processes(self.sides.len());
        let held = self.sides.iter_mut().filter_map(|side| side.hold_grown(budget, ns_per_op));
        let warmup_ops = held.max().unwrap_or(budget.warmup_ops);
        let budget = OpBudget { warmup_ops, ..budget };
        self.sides.iter_mut().for_each(|side| side.plan(budget));
        budget
    }

    fn lengthen(&mut self, budget: OpBudget, window_ops: u64, ns_per_op: f64) -> OpBudget {
        self.sides.iter_mut().for_each(Subject::forget_doubt);
        self.grow(OpBudget { window_ops, ..budget }, ns_per_op)
    }

    /// Looks at the ops beyond the window; the ops of a longer one where it should be longer. Sides
    /// that counted the very same need one look.
    fn examine(&mut self) -> Option<u64> {
        let is_one = self.counts_are_one();
        let (last, others) = self.sides.split_last_mut()?;
        let longer = last.examine();
        if is_one {
            return longer;
        }
        others.iter_mut().map(Subject::examine).fold(longer, Option::max)
    }

    /// Has the unperturbed readings proven. Sides that took the same number of instructions, to the
    /// last one, ran the same code: what is told of the one is so of the other.
    pub(crate) fn prove(&mut self) {
        if !self.counts_instructions() {
            return;
        }
        let is_one = self.counts_are_one();
        let Some((last, others)) = self.sides.split_last_mut() else { return };
        last.prove();
        for other in others {
            if is_one && last.is_sound() {
                other.take_evidence_of(last);
                continue;
            }
            // The first readings of both sides were one, and a later one was not.
            if last.is_examined() && !other.is_examined() {
                other.examine();
            }
            other.prove();
        }
    }

    /// Whether all readings of all sides are the same number.
    pub(crate) fn counts_are_one(&self) -> bool {
        let mut counts = self.sides.iter().flat_map(Subject::counts);
        let first = counts.next();
        let is_each = self.sides.iter().all(|side| side.first_count().is_some());
        is_each && counts.all(|count| Some(count) == first)
    }
}
