//! Whether lowered thresholds between an engine's tiers move the counts of benches.

use super::{Proof, tell_incomplete};
use crate::failure::Failure;
use crate::output;
use crate::setup::{Thresholds, choose_instrument};
use std::collections::{BTreeMap, BTreeSet};
use tiergate_measure::executor::Executor;
use tiergate_measure::run::{PlannedBudget, RunPlan, run};
use tiergate_model::{
    BenchId, BenchResult, BenchStatus, ExitStatus, OpBudget, ThresholdEffect, ThresholdSide,
};
use tiergate_report::thresholds_text;

/// Readings of each side: more would only show again that they are equal.
const REPEATS: u32 = 2;

/// The engine's own thresholds are so many times those of the profile, and so is the warm-up.
const TIMES_AS_LONG: u64 = 20;

/// Ops that a wrapper around a small function can need before an engine optimises it.
const LEAST_OPS: u64 = 200_000;

/// Native nanoseconds that the long warm-up may take.
const LONGEST_NS: f64 = 10e9;

impl Proof<'_> {
    pub(super) fn thresholds(&self) -> Result<ExitStatus, Failure> {
        let inspected = &self.inspected;
        let choice = choose_instrument(inspected.instrument)?;
        let own = inspected.setup.executor_at(Thresholds::Own, inspected.spec, choice)?;
        if own.fingerprint() == inspected.executor.fingerprint() {
            return Err(Failure::usage("nothing is lowered: this profile has no thresholds")
                .hint("the profile `exact` lowers them on Node, Bun and Deno"));
        }
        let lowered = self.measured(REPEATS);
        let mut plan = RunPlan {
            benches: Vec::new(),
            budgets: BTreeMap::new(),
            repeats: REPEATS,
            perturbations: Vec::new(),
            wall_rounds: 0,
            jobs: inspected.jobs,
        };
        let mut status = ExitStatus::Pass;
        let mut compared = Vec::new();
        for (bench, result) in inspected.listed.benches.iter().zip(lowered) {
            match result.status {
                BenchStatus::Skipped => continue,
                BenchStatus::Incomplete => {
                    tell_incomplete(&result);
                    status = status.worst(ExitStatus::Incomplete);
                    continue;
                }
                BenchStatus::Measured => {}
            }
            let ns_per_op = match own.size(bench) {
                Ok(sized) => sized.ns_per_op,
                Err(fault) => {
                    output::error(&format!("`{}`: {fault}", result.id));
                    status = status.worst(ExitStatus::Incomplete);
                    continue;
                }
            };
            let budget = OpBudget {
                warmup_ops: long_warmup(result.warmup_ops, ns_per_op),
                window_ops: result.window_ops,
            };
            plan.budgets.insert(result.id.clone(), PlannedBudget { budget, hand_set: true });
            plan.benches.push(bench.clone());
            compared.push(result);
        }
        let own = self.measured_with(own.as_ref(), &plan);
        let mut effects: Vec<ThresholdEffect> = compared
            .iter()
            .zip(&own)
            .map(|(lowered, own)| ThresholdEffect {
                id: lowered.id.clone(),
                lowered: side(lowered),
                own: side(own),
                aged: None,
            })
            .collect();
        self.age(&mut effects, plan);
        if self.is_interrupted() {
            return Ok(ExitStatus::Interrupted);
        }
        inspected.print(&effects, || thresholds_text(&effects, &output::style()))?;
        if own.iter().any(|result| result.status == BenchStatus::Incomplete) {
            status = status.worst(ExitStatus::Incomplete);
        }
        if effects.iter().any(|effect| effect.change().is_none()) {
            status = status.worst(ExitStatus::Inconclusive);
        }
        Ok(status)
    }

    /// Where counts differ, takes the lowered thresholds' count at the age of the other.
    fn age(&self, effects: &mut [ThresholdEffect], mut plan: RunPlan) {
        let differ: BTreeSet<BenchId> = effects
            .iter()
            .filter(|effect| effect.change().is_some() && !effect.is_within_limit())
            .map(|effect| effect.id.clone())
            .collect();
        plan.benches.retain(|bench| differ.contains(bench.id()));
        if plan.benches.is_empty() {
            return;
        }
        let aged = self.measured_with(self.inspected.executor, &plan);
        let differing = effects.iter_mut().filter(|effect| differ.contains(&effect.id));
        for (effect, result) in differing.zip(&aged) {
            effect.aged = Some(side(result));
        }
    }

    fn measured_with(&self, executor: &dyn Executor, plan: &RunPlan) -> Vec<BenchResult> {
        let inspected = &self.inspected;
        run(executor, plan, inspected.interrupted, &|event| inspected.progress.show(&event))
    }
}

/// Ops after which the engine's own thresholds are passed too, as far as time allows.
#[allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "positive and far below 2^53"
)]
fn long_warmup(warmup_ops: u64, ns_per_op: f64) -> u64 {
    let wanted = (warmup_ops * TIMES_AS_LONG).max(LEAST_OPS);
    let possible = (LONGEST_NS / ns_per_op.max(0.1)) as u64;
    wanted.min(possible).max(warmup_ops)
}

fn side(result: &BenchResult) -> ThresholdSide {
    let twin = result.readings.first().and_then(|reading| reading.proof.twin.as_ref());
    ThresholdSide {
        per_op: result.instructions_per_op,
        warmup_ops: result.warmup_ops,
        window_ops: result.window_ops,
        tiers: twin.map(|twin| twin.tiers.clone()).unwrap_or_default(),
        reason: result.reason.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_warmup_is_bounded_by_time() {
        assert_eq!(long_warmup(5_400, 1_000.0), 200_000);
        assert_eq!(long_warmup(50_000, 1_000.0), 1_000_000);
        assert_eq!(long_warmup(50_000, 1e6), 50_000);
        assert_eq!(long_warmup(1_000, 1e6), 10_000);
    }
}
