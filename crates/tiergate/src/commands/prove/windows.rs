//! The evidence for each window.

use super::{Proof, tell_incomplete};
use crate::failure::Failure;
use crate::output;
use tiergate_measure::run::evidence;
use tiergate_model::{BenchStatus, Evidence, ExitStatus};
use tiergate_report::evidence_text;

impl Proof<'_> {
    pub(super) fn windows(&self) -> Result<ExitStatus, Failure> {
        let inspected = &self.inspected;
        let (executor, spec) = (inspected.executor, inspected.spec);
        let mut status = ExitStatus::Pass;
        let mut shown = Vec::new();
        let results = self.measured(inspected.repeats);
        for (bench, result) in inspected.listed.benches.iter().zip(results) {
            if self.is_interrupted() {
                return Ok(ExitStatus::Interrupted);
            }
            match (result.status, &result.reason) {
                (BenchStatus::Skipped, _) => continue,
                (BenchStatus::Incomplete, _) => {
                    tell_incomplete(&result);
                    status = status.worst(ExitStatus::Incomplete);
                    if result.readings.is_empty() {
                        continue;
                    }
                }
                (BenchStatus::Measured, Some(_)) => status = status.worst(ExitStatus::Inconclusive),
                (BenchStatus::Measured, None) => {}
            }
            let id = result.id.clone();
            let repeat = format!("tiergate prove '{id}' --engine {spec} --export trace=FILE");
            match evidence(executor, bench, result, repeat) {
                Ok(one) => shown.push(one),
                Err(fault) => {
                    output::error(&format!("`{id}`: {fault}"));
                    status = status.worst(ExitStatus::Incomplete);
                }
            }
        }
        let traces: Vec<&str> = shown.iter().map(|one| one.trace.as_str()).collect();
        self.destinations.trace(&traces.concat())?;
        let evidence: Vec<Evidence> = shown.into_iter().map(|one| one.evidence).collect();
        self.destinations.page(&evidence)?;
        inspected.print(&evidence, || {
            let text = |one| evidence_text(one, &output::style());
            evidence.iter().map(text).collect::<Vec<_>>().join("\n")
        })?;
        Ok(status)
    }
}
