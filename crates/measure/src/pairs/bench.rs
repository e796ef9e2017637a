//! All readings of one bench on both sides, as far as they are needed.

use super::side::Side;
use super::{CLOSE, EQUAL, EQUAL_REPEATS, PairPlan, PairedBench, Readings, Sides};
use crate::executor::{Bench, Executor};
use crate::run::{self, LARGEST_GROWTHS, Progress, RunPlan, grown_window_ops};
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
                let pair = Pair {
                    base: Side::new(executors.base, base, interrupted, progress),
                    head: Side::new(executors.head, head, interrupted, progress),
                    draws: 0,
                };
                return pair.measure(plan, progress);
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
    base: Side<'a>,
    head: Side<'a>,
    /// Draws that both sides were measured under.
    draws: u32,
}

impl Pair<'_> {
    fn measure(mut self, plan: &PairPlan, progress: &Progress<'_>) -> PairedBench {
        if let Some((budget, growable)) = self.find_budget(plan) {
            let hand_set =
                plan.budgets.get(&self.head.result.id).is_some_and(|planned| planned.hand_set);
            let mut budget = self.first_pair(plan, budget, growable, progress);
            if self.head.unit() == Unit::Instructions {
                let longer = if hand_set { None } else { self.examine() };
                if let Some(window_ops) = longer.filter(|_| growable.is_some()) {
                    budget =
                        self.first_pair_again(plan, OpBudget { window_ops, ..budget }, progress);
                }
                self.prove();
            }
            self.settle();
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
        self.settle();
        let spent = self.base.result.readings.len() + self.head.result.readings.len();
        let more = if self.head.unit() == Unit::Instructions { plan.more_pairs() } else { 0 };
        let whole = 2 * (plan.repeats + more) as usize;
        PairedBench {
            readings: Readings { spent, saved: whole.saturating_sub(spent) },
            results: Sides { base: Some(self.base.result), head: Some(self.head.result) },
        }
    }

    /// The ops for both sides, and how long one takes natively where the window may still grow.
    fn find_budget(&mut self, plan: &PairPlan) -> Option<(OpBudget, Option<f64>)> {
        if let Some(planned) = plan.budgets.get(&self.head.result.id) {
            return Some((planned.budget, None));
        }
        match (self.base.find_budget(), self.head.find_budget()) {
            (Some((base, base_ns)), Some((head, head_ns))) => {
                let budget = OpBudget {
                    warmup_ops: base.warmup_ops.max(head.warmup_ops),
                    window_ops: base.window_ops.max(head.window_ops),
                };
                Some((budget, Some(f64::max(base_ns, head_ns))))
            }
            // The side that works is read all the same: it may have a fault of its own.
            (Some((budget, ns)), None) | (None, Some((budget, ns))) => Some((budget, Some(ns))),
            (None, None) => None,
        }
    }

    /// Base and head in turn; returns the ops that they ended with.
    fn first_pair(
        &mut self,
        plan: &PairPlan,
        mut budget: OpBudget,
        growable_ns_per_op: Option<f64>,
        progress: &Progress<'_>,
    ) -> OpBudget {
        let mut growths = 0;
        let mut taken = 0;
        while taken < plan.repeats {
            self.read(budget, Perturbation::None);
            if !self.is_sound() {
                break;
            }
            let grown = growable_ns_per_op
                .filter(|_| taken == 0 && growths < LARGEST_GROWTHS)
                .and_then(|ns| grown_window_ops(budget.window_ops, self.smaller_count()?, ns));
            if let Some(window_ops) = grown {
                growths += 1;
                budget.window_ops = self.head.whole_batches(window_ops);
                self.base.forget();
                self.head.forget();
                if let Some(ns_per_op) = growable_ns_per_op {
                    let of_base = self.base.hold_grown(budget, ns_per_op);
                    let of_head = self.head.hold_grown(budget, ns_per_op);
                    budget.warmup_ops = of_base.max(of_head).unwrap_or(budget.warmup_ops);
                }
                progress.add_processes(2);
                continue;
            }
            taken += 1;
            if self.head.unit() == Unit::Instructions {
                let is_decided = match taken {
                    1 => self.counts_are_one(),
                    EQUAL_REPEATS => self.repeats_are_equal(),
                    _ => false,
                };
                if is_decided {
                    break;
                }
                progress.add_processes(2);
            }
        }
        budget
    }

    /// The same over a longer window, which is taken as it is.
    fn first_pair_again(
        &mut self,
        plan: &PairPlan,
        budget: OpBudget,
        progress: &Progress<'_>,
    ) -> OpBudget {
        for side in [&mut self.base, &mut self.head] {
            side.forget();
            side.forget_doubt();
        }
        progress.add_processes(2);
        let budget = self.first_pair(plan, budget, None, progress);
        self.examine();
        budget
    }

    /// Looks at the ops beyond the window; the ops of a longer one where it should be longer.
    fn examine(&mut self) -> Option<u64> {
        let of_head = self.head.examine();
        let of_base = if self.counts_are_one() { None } else { self.base.examine() };
        of_head.max(of_base)
    }

    /// Has the first pair proven. Sides that took the same number of instructions, to the last one,
    /// ran the same code: what is told of the one is so of the other.
    fn prove(&mut self) {
        self.head.prove();
        if self.counts_are_one() && self.head.is_sound() {
            self.base.take_evidence_of(&self.head);
        } else {
            self.base.prove();
        }
    }

    /// Whether all readings of both sides are the same number.
    fn counts_are_one(&self) -> bool {
        let mut counts = self.base.counts().chain(self.head.counts());
        let first = counts.next();
        let is_both = self.base.first_count().is_some() && self.head.first_count().is_some();
        is_both && counts.all(|count| Some(count) == first)
    }

    fn read(&mut self, budget: OpBudget, perturbation: Perturbation) {
        self.base.read(budget, perturbation);
        self.head.read(budget, perturbation);
    }

    fn is_sound(&self) -> bool {
        self.base.is_sound() && self.head.is_sound()
    }

    fn smaller_count(&self) -> Option<u64> {
        Some(self.base.first_count()?.min(self.head.first_count()?))
    }

    fn repeats_are_equal(&self) -> bool {
        let equal = |side: &Side<'_>| side.spread().is_some_and(|spread| spread <= EQUAL);
        equal(&self.base) && equal(&self.head)
    }

    fn settle(&mut self) {
        self.base.settle();
        self.head.settle();
    }

    /// Whether more pairs could decide more than the first one does.
    fn is_open(&self, plan: &PairPlan) -> bool {
        let is_measured = |result: &BenchResult| {
            result.status == BenchStatus::Measured && result.reason.is_none()
        };
        let (base, head) = (&self.base.result, &self.head.result);
        if self.head.unit() != Unit::Instructions || !is_measured(base) || !is_measured(head) {
            return false;
        }
        let steady =
            |side: &Side<'_>| side.spread().is_some_and(|spread| spread <= plan.limits.aa_spread);
        let row = tiergate_stats::verdict(base, head, Unit::Instructions, &plan.limits);
        let is_close = row.change.is_some_and(|change| change.abs() <= CLOSE);
        // Without a change there is nothing to compare: the sides are not of one plan.
        row.change.is_some() && !is_close && steady(&self.base) && steady(&self.head)
    }

    fn disagrees(&mut self, plan: &PairPlan) -> bool {
        self.settle();
        let (base, head) = (&self.base.result, &self.head.result);
        let row = tiergate_stats::verdict(base, head, Unit::Instructions, &plan.limits);
        plan.pairs > 1 && self.is_sound() && row.verdict == Verdict::Inconclusive
    }

    /// Pairs under the next draws.
    fn more_pairs(&mut self, budget: OpBudget, more: u32, progress: &Progress<'_>) {
        progress.add_processes(2 * more as usize);
        let first = self.draws;
        self.draws += more;
        for perturbation in PerturbationKind::Mixed.draws(self.draws).skip(first as usize) {
            if self.is_sound() {
                self.read(budget, perturbation);
            }
        }
    }

    /// What moves the bench: base under one kind of perturbation at a time.
    fn tell_kinds(&mut self, budget: OpBudget, progress: &Progress<'_>) {
        let kinds = self.base.kinds();
        for kind in PerturbationKind::MOVING.into_iter().filter(|kind| kinds.contains(kind)) {
            progress.add_processes(1);
            kind.draws(1).for_each(|perturbation| self.base.read(budget, perturbation));
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
