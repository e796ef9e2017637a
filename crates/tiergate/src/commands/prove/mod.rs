//! `tiergate prove`: what can be shown of the windows of some benches.

mod destinations;
mod functions;
mod profiles;
mod thresholds;
mod windows;

use crate::args::ProveOptions;
use crate::discover::Filter;
use crate::failure::Failure;
use crate::inspect::{Inspected, Inspection};
use crate::output;
use destinations::Destinations;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use tiergate_measure::Fault;
use tiergate_measure::executor::Bench;
use tiergate_measure::run::{RunPlan, run};
use tiergate_model::{BenchResult, BenchStatus, ExitStatus};

pub(crate) fn prove(options: &ProveOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let mut paths = selection.paths.clone();
    // A bench file in the place of an id means all of its benches.
    let file = options.id.as_ref().map(PathBuf::from).filter(|path| path.exists());
    let id = options.id.as_ref().filter(|_| file.is_none());
    paths.extend(file);
    let filter = match id {
        Some(id) => Filter::id_or_glob(id)?,
        None => Filter::new(&selection.filter, selection.exact)?,
    };
    let destinations = Destinations::parse(&options.export)?;
    let inspection = Inspection {
        selection,
        paths: &paths,
        filter,
        instrument: None,
        repeats: options.repeats,
        jobs: options.jobs,
        format: options.format.into(),
    };
    inspection.each_engine(|mut inspected| {
        if options.recalibrate {
            inspected.budgets = BTreeMap::new();
        }
        let proof = Proof { inspected, destinations: &destinations };
        if options.thresholds {
            proof.thresholds()
        } else if options.functions {
            proof.functions(&options.entries)
        } else if options.diff_profiles {
            proof.profiles()
        } else {
            proof.windows()
        }
    })
}

struct Proof<'a> {
    inspected: Inspected<'a>,
    destinations: &'a Destinations,
}

impl Proof<'_> {
    /// Measures the benches as `tiergate run` does.
    fn measured(&self, repeats: u32) -> Vec<BenchResult> {
        let inspected = &self.inspected;
        let plan = RunPlan {
            benches: inspected.listed.benches.clone(),
            budgets: inspected.budgets.clone(),
            repeats,
            perturbations: Vec::new(),
            wall_rounds: 0,
            jobs: inspected.jobs,
        };
        run(inspected.executor, &plan, inspected.interrupted, &|event| {
            inspected.progress.show(&event);
        })
    }

    /// What `look` finds of every bench that has readings, and whether it found that of all; `None`
    /// when interrupted.
    fn of_each<T>(
        &self,
        look: impl Fn(&Bench, &BenchResult) -> Result<T, Fault>,
    ) -> Option<(Vec<T>, ExitStatus)> {
        let mut status = ExitStatus::Pass;
        let mut found = Vec::new();
        let results = self.measured(self.inspected.repeats);
        for (bench, result) in self.inspected.listed.benches.iter().zip(&results) {
            match result.status {
                BenchStatus::Skipped => continue,
                BenchStatus::Incomplete if result.readings.is_empty() => {
                    tell_incomplete(result);
                    status = status.worst(ExitStatus::Incomplete);
                    continue;
                }
                BenchStatus::Incomplete | BenchStatus::Measured => {}
            }
            if self.is_interrupted() {
                return None;
            }
            match look(bench, result) {
                Ok(one) => found.push(one),
                Err(fault) => {
                    output::error(&format!("`{}`: {fault}", result.id));
                    status = status.worst(ExitStatus::Incomplete);
                }
            }
        }
        Some((found, status))
    }

    fn is_interrupted(&self) -> bool {
        self.inspected.interrupted.load(Ordering::Relaxed)
    }
}

/// Says why there is no figure for a bench.
fn tell_incomplete(result: &BenchResult) {
    let reason = result.reason.as_deref().unwrap_or("unknown reason");
    output::error(&format!("`{}`: {reason}", result.id));
}
