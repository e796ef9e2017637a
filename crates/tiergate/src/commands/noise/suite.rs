//! How often equal code looks unequal.

use super::Noise;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use tiergate_measure::pairs::{self, PairEvent, PairPlan, Paired, Sides};
use tiergate_measure::run::PlannedBudget;
use tiergate_model::{BenchId, BenchResult, BenchStatus, ExitStatus, OpBudget};
use tiergate_report::noise_suite_text;
use tiergate_stats::noise_suite;

impl Noise<'_> {
    pub(super) fn suite(&self) -> Result<ExitStatus, Failure> {
        let mut rounds: Vec<(Vec<BenchResult>, Vec<BenchResult>)> = Vec::new();
        let mut budgets = self.inspected.budgets.clone();
        for number in 1..=self.options.rounds {
            output::note(&format!("round {number} of {}", self.options.rounds));
            let paired = self.round(&budgets);
            if self.inspected.interrupted.load(Ordering::Relaxed) {
                break;
            }
            keep_budgets(&mut budgets, &paired.head);
            rounds.push((paired.base, paired.head));
        }
        if rounds.is_empty() {
            return Ok(ExitStatus::Interrupted);
        }
        let suite = noise_suite(&rounds, self.inspected.executor.unit(), &self.limits);
        self.inspected.print(&suite, || noise_suite_text(&suite, &output::style()))?;
        Ok(if suite.is_incomplete() || suite.compared() == 0 {
            ExitStatus::Incomplete
        } else if suite.alarms() > 0 {
            ExitStatus::Inconclusive
        } else {
            ExitStatus::Pass
        })
    }

    /// The whole suite as base and as head, as a gate measures it.
    fn round(&self, budgets: &BTreeMap<BenchId, PlannedBudget>) -> Paired {
        let benches = &self.inspected.listed.benches;
        let plan = PairPlan {
            benches: Sides { base: benches.clone(), head: benches.clone() },
            budgets: budgets.clone(),
            repeats: self.inspected.repeats,
            pairs: self.options.pairs,
            limits: self.limits,
            jobs: self.inspected.jobs,
        };
        let sides = Sides { base: self.inspected.executor, head: self.inspected.executor };
        let progress = Progress::new();
        pairs::run(sides, &plan, self.inspected.interrupted, &|event| match event {
            PairEvent::Progress(event) => progress.show(&event),
            PairEvent::BenchFinished(_) => {}
        })
    }
}

/// Later rounds take the ops that the first one found.
fn keep_budgets(budgets: &mut BTreeMap<BenchId, PlannedBudget>, results: &[BenchResult]) {
    for result in results.iter().filter(|result| result.status == BenchStatus::Measured) {
        let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
        budgets.entry(result.id.clone()).or_insert(PlannedBudget { budget, hand_set: false });
    }
}
