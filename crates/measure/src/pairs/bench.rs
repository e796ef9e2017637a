//! All readings of one bench on both sides, as far as they are needed.

use super::{CLOSE, EQUAL, EQUAL_REPEATS, PairPlan, PairedBench, Readings, Sides};
use crate::executor::{Bench, Executor};
use crate::run::{self, Ops, Progress, RunPlan, Subject, Turns};
use std::sync::atomic::AtomicBool;
use tiergate_model::{
    BenchResult, BenchStatus, OpBudget, Perturbation, PerturbationKind, Unit, Verdict,
};

pub(super) fn measure(
    executors: &Sides<&dyn Executor>,
    plan: &PairPlan,
    bench: Sides<Option<&Bench>>,
    interrupted: &AtomicBool,
    progress: &Progress<'_>,
) -> PairedBench {
    let results = match (bench.base, bench.head) {
        (Some(base), Some(head)) => {
            if base.discovered.skipped || head.discovered.skipped {
                let unless_skipped = |bench: &Bench, other: &str| {
                    let result = run::empty_result(bench);
                    if bench.discovered.skipped {
                        run::skipped(result)
                    } else {
                        BenchResult { reason: Some(format!("{other} skips it")), ..result }
                    }
                };
                let (base, head) = (unless_skipped(base, "head"), unless_skipped(head, "base"));
                Sides { base: Some(base), head: Some(head) }
            } else {
                let sides = vec![
                    Subject::new(executors.base, base, interrupted, progress),
                    Subject::new(executors.head, head, interrupted, progress),
                ];
                let turns = Turns::new(sides, progress);
                return Pair { turns, draws: 0 }.measure(plan, progress);
            }
        }
        (None, Some(head)) => {
            let plan = plan.of_head_alone();
            let result = run::measure(executors.head, &plan, head, interrupted, progress);
            Sides { base: None, head: Some(result) }
        }
        (Some(base), None) => {
            let reason = Some("not measured: head does not have it".to_owned());
            let result = BenchResult { reason, ..run::empty_result(base) };
            Sides { base: Some(result), head: None }
        }
        (None, None) => Sides::default(),
    };
    let taken = |result: &Option<BenchResult>| {
        result.as_ref().map_or(0, |result: &BenchResult| result.readings.len())
    };
    let spent = taken(&results.base) + taken(&results.head);
    PairedBench { readings: Readings { spent, saved: 0 }, results }
}

/// How often a bench whose pairs disagree gets as many again.
const MOST_EXTENSIONS: u32 = 2;

struct Pair<'a> {
    turns: Turns<'a>,
    /// Draws that both sides were measured under.
    draws: u32,
}

impl<'a> Pair<'a> {
    fn measure(mut self, plan: &PairPlan, progress: &Progress<'_>) -> PairedBench {
        let planned = plan.budgets.get(&self.head().result.id);
        if let Some(ops) = self.turns.find_ops(planned) {
            let budget = self.first_pair(plan, ops, progress);
            self.turns.prove();
            self.turns.settle();
            if self.is_open(plan) {
                self.more_pairs(budget, plan.more_pairs(), progress);
                let mut again = 0;
                while again < MOST_EXTENSIONS && self.disagrees(plan) {
                    self.more_pairs(budget, plan.more_pairs(), progress);
                    again += 1;
                }
                if again > 0 && self.disagrees(plan) {
                    self.tell_kinds(budget, progress);
                }
            }
        }
        self.turns.settle();
        let spent = self.base().result.readings.len() + self.head().result.readings.len();
        let more = if self.head().unit() == Unit::Instructions { plan.more_pairs() } else { 0 };
        let whole = 2 * (plan.repeats + more) as usize;
        let mut results = self.turns.sides.into_iter().map(|side| side.result);
        PairedBench {
            readings: Readings { spent, saved: whole.saturating_sub(spent) },
            results: Sides { base: results.next(), head: results.next() },
        }
    }

    fn base(&self) -> &Subject<'a> {
        &self.turns.sides[0]
    }

    fn head(&self) -> &Subject<'a> {
        &self.turns.sides[1]
    }

    /// Base and head in turn; returns the ops that they ended with.
    fn first_pair(&mut self, plan: &PairPlan, ops: Ops, progress: &Progress<'_>) -> OpBudget {
        let budget = self.turns.first(ops);
        for taken in 1..plan.repeats {
            if !self.turns.is_sound() {
                break;
            }
            if self.head().unit() == Unit::Instructions {
                let is_decided = match taken {
                    1 => self.turns.counts_are_one(),
                    EQUAL_REPEATS => self.repeats_are_equal(),
                    _ => false,
                };
                if is_decided {
                    break;
                }
                progress.add_processes(2);
            }
            self.turns.read(budget, Perturbation::None);
        }
        budget
    }

    fn repeats_are_equal(&self) -> bool {
        let equal = |side: &Subject<'_>| side.spread().is_some_and(|spread| spread <= EQUAL);
        equal(self.base()) && equal(self.head())
    }

    /// Whether more pairs could decide more than the first one does.
    fn is_open(&self, plan: &PairPlan) -> bool {
        let is_measured = |result: &BenchResult| {
            result.status == BenchStatus::Measured && result.reason.is_none()
        };
        let (base, head) = (&self.base().result, &self.head().result);
        if self.head().unit() != Unit::Instructions || !is_measured(base) || !is_measured(head) {
            return false;
        }
        let steady = |side: &Subject<'_>| {
            side.spread().is_some_and(|spread| spread <= plan.limits.aa_spread)
        };
        let row = tiergate_stats::verdict(base, head, Unit::Instructions, &plan.limits);
        let is_close = row.change.is_some_and(|change| change.abs() <= CLOSE);
        // Without a change there is nothing to compare: the sides are not of one plan.
        row.change.is_some() && !is_close && steady(self.base()) && steady(self.head())
    }

    fn disagrees(&mut self, plan: &PairPlan) -> bool {
        self.turns.settle();
        let (base, head) = (&self.base().result, &self.head().result);
        let row = tiergate_stats::verdict(base, head, Unit::Instructions, &plan.limits);
        plan.pairs > 1 && self.turns.is_sound() && row.verdict == Verdict::Inconclusive
    }

    /// Pairs under the next draws.
    fn more_pairs(&mut self, budget: OpBudget, more: u32, progress: &Progress<'_>) {
        progress.add_processes(2 * more as usize);
        let first = self.draws;
        self.draws += more;
        for perturbation in PerturbationKind::Mixed.draws(self.draws).skip(first as usize) {
            if self.turns.is_sound() {
                self.turns.read(budget, perturbation);
            }
        }
    }

    /// What moves the bench: base under one kind of perturbation at a time.
    fn tell_kinds(&mut self, budget: OpBudget, progress: &Progress<'_>) {
        let kinds = self.base().kinds();
        for kind in PerturbationKind::MOVING.into_iter().filter(|kind| kinds.contains(kind)) {
            progress.add_processes(1);
            kind.draws(1).for_each(|draw| self.turns.sides[0].read(budget, draw));
        }
    }
}

impl PairPlan {
    fn of_head_alone(&self) -> RunPlan {
        RunPlan {
            benches: Vec::new(),
            budgets: self.budgets.clone(),
            repeats: self.repeats,
            perturbations: Vec::new(),
            wall_rounds: 0,
            jobs: 1,
        }
    }
}
