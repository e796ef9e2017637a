//! One side of a bench while it is measured.

use crate::Fault;
use crate::executor::{Bench, Executor, ReadOptions};
use crate::run::{self, Counted, Examined, Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_model::{BenchResult, BenchStatus, OpBudget, Perturbation, PerturbationKind, Unit};

pub(super) struct Side<'a> {
    executor: &'a dyn Executor,
    bench: &'a Bench,
    interrupted: &'a AtomicBool,
    progress: &'a Progress<'a>,
    pub(super) result: BenchResult,
    /// Why no more readings are taken.
    fault: Option<Fault>,
    /// Why the readings are none to judge by.
    doubt: Option<String>,
    /// What the first reading that is kept says of the ops.
    counted: Option<Counted>,
}

impl<'a> Side<'a> {
    pub(super) fn new(
        executor: &'a dyn Executor,
        bench: &'a Bench,
        interrupted: &'a AtomicBool,
        progress: &'a Progress<'a>,
    ) -> Self {
        let result = run::empty_result(bench);
        Self {
            executor,
            bench,
            interrupted,
            progress,
            result,
            fault: None,
            doubt: None,
            counted: None,
        }
    }

    pub(super) fn is_sound(&self) -> bool {
        self.fault.is_none()
    }

    /// What can be changed by itself.
    pub(super) fn kinds(&self) -> Vec<PerturbationKind> {
        self.executor.perturbations()
    }

    pub(super) fn unit(&self) -> Unit {
        self.executor.unit()
    }

    /// Does something that can fail; after a fault nothing more is done.
    fn attempt<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Option<T> {
        if self.fault.is_some() {
            return None;
        }
        if self.interrupted.load(Ordering::Relaxed) {
            self.fault = Some(Fault::Interrupted);
            return None;
        }
        step(self).map_err(|fault| self.fault = Some(fault)).ok()
    }

    /// The ops that this side would choose by itself, and how long one takes natively.
    pub(super) fn find_budget(&mut self) -> Option<(OpBudget, f64)> {
        let found =
            self.attempt(|side| run::calibrated_budget(side.executor, side.bench, side.progress))?;
        self.doubt = found.doubt();
        Some((found.budget, found.ns_per_op?))
    }

    /// The warm-up that a grown window needs on this side.
    pub(super) fn hold_grown(&mut self, budget: OpBudget, ns_per_op: f64) -> Option<u64> {
        let (warmup_ops, doubt) =
            self.attempt(|side| run::held(side.executor, side.bench, budget, ns_per_op))?;
        self.doubt = self.doubt.take().or(doubt);
        Some(warmup_ops)
    }

    /// Takes a reading and keeps it.
    pub(super) fn read(&mut self, budget: OpBudget, perturbation: Perturbation) {
        self.attempt(|side| {
            let options =
                ReadOptions { perturbation, show_output: side.result.readings.is_empty() };
            let raw = side.executor.read(side.bench, budget, options);
            side.progress.process_finished(side.bench, raw.as_ref().map_or(0.0, |raw| raw.seconds));
            let raw = raw.map_err(|fault| fault.under(perturbation))?;
            side.counted.get_or_insert_with(|| Counted::of(&raw));
            run::push(&mut side.result, raw, perturbation);
            Ok(())
        });
    }

    /// Drops the readings so far, which were over too few ops, and what was said of them.
    pub(super) fn forget(&mut self) {
        self.result.readings.clear();
        self.result.warnings.clear();
        self.counted = None;
    }

    /// Drops what made a longer window necessary.
    pub(super) fn forget_doubt(&mut self) {
        self.doubt = None;
    }

    /// The first reading's count.
    pub(super) fn first_count(&self) -> Option<u64> {
        self.result.readings.first().map(|reading| reading.count)
    }

    /// Whole batches, where windows consist of them.
    pub(super) fn whole_batches(&self, ops: u64) -> u64 {
        run::whole_batches(self.bench, ops)
    }

    /// The counts per op of the unperturbed readings.
    pub(super) fn spread(&self) -> Option<f64> {
        tiergate_stats::summarise_readings(&self.result.readings).map(|summary| summary.spread())
    }

    /// The counts of all readings so far.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.result.readings.iter().map(|reading| reading.count)
    }

    /// Takes over what traced and divided runs told of a side that counted the very same.
    pub(super) fn take_evidence_of(&mut self, other: &Self) {
        let twin = other.result.readings.iter().find_map(|reading| reading.proof.twin.clone());
        for reading in &mut self.result.readings {
            reading.proof.twin.clone_from(&twin);
        }
        self.doubt = self.doubt.take().or_else(|| other.doubt.clone());
        self.result.warnings.clone_from(&other.result.warnings);
    }

    /// Has the unperturbed readings proven by a traced run.
    pub(super) fn prove(&mut self) {
        let unproven = self.attempt(|side| {
            Ok(run::prove(side.executor, side.bench, side.progress, &mut side.result))
        });
        self.doubt = self.doubt.take().or(unproven.flatten());
    }

    /// Looks at the ops beyond the window. A window that holds too little of their extra work
    /// leaves the side in doubt; the ops that a longer one should hold come back.
    pub(super) fn examine(&mut self) -> Option<u64> {
        let counted = self.counted.filter(|_| self.is_sound() && self.doubt.is_none())?;
        match run::examine(self.executor, self.bench, &counted, self.progress) {
            Examined::Steady => None,
            Examined::Warning(warning) => {
                self.result.warnings.push(warning);
                None
            }
            Examined::Changed(warning) => {
                self.doubt = run::still_changing(&self.result);
                self.result.warnings.push(warning);
                None
            }
            Examined::Doubt(reason) => {
                self.doubt = Some(reason);
                None
            }
            Examined::TooShort { period_ops, reason } => {
                self.doubt = Some(reason);
                let period = period_ops?;
                run::lengthened(self.bench, counted.window_ops(), period, self.first_count()?)
            }
        }
    }

    /// Sums up what there is so far.
    pub(super) fn settle(&mut self) {
        match &self.fault {
            None => run::conclude(&mut self.result, self.executor.unit(), self.doubt.clone()),
            Some(fault) => {
                self.result.status = BenchStatus::Incomplete;
                self.result.reason = Some(fault.to_string());
            }
        }
    }
}
