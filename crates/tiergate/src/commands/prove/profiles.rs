//! Which functions account for a difference between equal runs.

use super::Proof;
use crate::failure::Failure;
use crate::output;
use std::cmp::Reverse;
use tiergate_measure::Fault;
use tiergate_measure::executor::Bench;
use tiergate_measure::profile::{Profile, diff};
use tiergate_model::{BenchResult, ExitStatus, FunctionDifference, OpBudget, ProfileDifference};
use tiergate_report::profile_difference_text;

impl Proof<'_> {
    pub(super) fn profiles(&self) -> Result<ExitStatus, Failure> {
        let look = |bench: &Bench, result: &BenchResult| self.difference(bench, result);
        let Some((found, mut status)) = self.of_each(look) else {
            return Ok(ExitStatus::Interrupted);
        };
        if found.iter().any(|difference| !difference.functions.is_empty()) {
            status = status.worst(ExitStatus::Inconclusive);
        }
        self.inspected.print(&found, || {
            let text = |one| profile_difference_text(one, &output::style());
            found.iter().map(text).collect::<Vec<_>>().join("\n")
        })?;
        Ok(status)
    }

    /// The first of some profiles beside the one that differs most from it.
    fn difference(&self, bench: &Bench, result: &BenchResult) -> Result<ProfileDifference, Fault> {
        let executor = self.inspected.executor;
        let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
        let processes = self.inspected.repeats.max(2);
        let first = executor.profile(bench, budget)?;
        let mut other = None;
        let mut functions = Vec::new();
        for _ in 1..processes {
            let profile = executor.profile(bench, budget)?;
            let differences = diff(&first, &profile);
            let size = |all: &[tiergate_measure::profile::Difference]| {
                all.iter().map(tiergate_measure::profile::Difference::size).sum::<u64>()
            };
            if size(&differences) >= size(&functions) {
                other = Some(profile.total());
                functions = differences;
            }
        }
        Ok(ProfileDifference {
            id: result.id.clone(),
            processes,
            first: first.total(),
            other: other.unwrap_or_default(),
            functions: functions
                .into_iter()
                .map(|one| FunctionDifference {
                    name: one.function.readable(),
                    file: one.function.file,
                    first: one.first,
                    other: one.second,
                })
                .collect(),
            largest: largest(&first),
        })
    }
}

/// Functions that are told of a profile that nothing differs from.
const MOST: usize = 20;

fn largest(profile: &Profile) -> Vec<FunctionDifference> {
    let mut functions: Vec<_> = profile.functions().into_iter().collect();
    functions.sort_by_key(|(_, count)| Reverse(*count));
    functions.truncate(MOST);
    functions
        .into_iter()
        .map(|(function, count)| FunctionDifference {
            name: function.readable(),
            file: function.file,
            first: count,
            other: count,
        })
        .collect()
}
