//! What moves a bench.

use super::Noise;
use crate::failure::Failure;
use crate::output;
use tiergate_measure::run::{RunPlan, run};
use tiergate_model::{BenchStatus, ExitStatus, NoiseDetail, Perturbation, Unit};
use tiergate_report::noise_detail_text;
use tiergate_stats::noise_detail;

/// Draws of each kind.
const DRAWS: u32 = 4;

impl Noise<'_> {
    pub(super) fn detail(&self) -> Result<ExitStatus, Failure> {
        if self.inspected.executor.unit() == Unit::Nanoseconds {
            return Err(Failure::usage("`--detail` needs an instrument that counts instructions")
                .hint("the clock's own noise is larger than what would be looked for"));
        }
        let kinds = self.inspected.executor.perturbations();
        let perturbations: Vec<Perturbation> =
            kinds.into_iter().flat_map(|kind| kind.draws(DRAWS)).collect();
        let plan = RunPlan {
            benches: self.inspected.listed.benches.clone(),
            budgets: self.inspected.budgets.clone(),
            repeats: self.inspected.repeats,
            perturbations,
            wall_rounds: 0,
            jobs: self.inspected.jobs,
        };
        let results = run(self.inspected.executor, &plan, self.inspected.interrupted, &|event| {
            self.inspected.progress.show(&event)
        });
        let mut status = ExitStatus::Pass;
        for result in &results {
            if result.status == BenchStatus::Incomplete {
                let reason = result.reason.as_deref().unwrap_or("unknown reason");
                output::error(&format!("`{}`: {reason}", result.id));
                status = ExitStatus::Incomplete;
            }
        }
        let details: Vec<NoiseDetail> = results.iter().filter_map(noise_detail).collect();
        self.inspected.print(&details, || {
            let texts: Vec<String> = details
                .iter()
                .map(|detail| {
                    noise_detail_text(detail, self.inspected.executor.unit(), &output::style())
                })
                .collect();
            texts.join("\n")
        })?;
        Ok(status)
    }
}
