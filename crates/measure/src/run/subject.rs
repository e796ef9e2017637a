//! One bench on one engine while it is measured.

use super::examine::{Counted, Examined, examine, lengthened, still_changing};
use super::found::{Found, calibrated_budget, held};
use super::outcome::{conclude, empty_result, push, set_budget};
use super::{Progress, proof};
use crate::Fault;
use crate::executor::{Bench, Executor, ReadOptions};
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_model::{BenchResult, BenchStatus, OpBudget, Perturbation, PerturbationKind, Unit};

pub(crate) struct Subject<'a> {
    executor: &'a dyn Executor,
    bench: &'a Bench,
    interrupted: &'a AtomicBool,
    progress: &'a Progress<'a>,
    pub(crate) result: BenchResult,
    /// Why no more readings are taken.
    fault: Option<Fault>,
    /// Why the readings are none to judge by.
    doubt: Option<String>,
    /// Whether the first ops cost another amount than those of the window.
    has_changed: bool,
    /// Whether the ops beyond the window were looked at.
    is_examined: bool,
    /// What the first reading that is kept says of the ops.
    counted: Option<Counted>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(
        executor: &'a dyn Executor,
        bench: &'a Bench,
        interrupted: &'a AtomicBool,
        progress: &'a Progress<'a>,
    ) -> Self {
        Self {
            executor,
            bench,
            interrupted,
            progress,
            result: empty_result(bench),
            fault: None,
            doubt: None,
            has_changed: false,
            is_examined: false,
            counted: None,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.fault.is_none()
    }

    pub(crate) fn is_examined(&self) -> bool {
        self.is_examined
    }

    /// What can be changed by itself.
    pub(crate) fn kinds(&self) -> Vec<PerturbationKind> {
        self.executor.perturbations()
    }

    pub(crate) fn unit(&self) -> Unit {
        self.executor.unit()
    }

    /// Windows in brackets are whole batches.
    pub(super) fn whole_batches(&self, ops: u64) -> u64 {
        whole_batches(self.bench, ops)
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
            self.attempt(|side| calibrated_budget(side.executor, side.bench, side.progress))?;
        let (budget, ns_per_op) = (found.budget, found.ns_per_op?);
        self.note(found);
        Some((budget, ns_per_op))
    }

    /// The warm-up that a grown window needs here.
    pub(super) fn hold_grown(&mut self, budget: OpBudget, ns_per_op: f64) -> Option<u64> {
        let held = self.attempt(|side| held(side.executor, side.bench, budget, ns_per_op))?;
        let warmup_ops = held.budget.warmup_ops;
        self.note(held);
        Some(warmup_ops)
    }

    fn note(&mut self, found: Found) {
        self.doubt = self.doubt.take().or(found.doubt);
        if let Some(more) = found.calibration {
            let taken = self.result.calibration.get_or_insert_default();
            taken.processes += more.processes;
            taken.seconds += more.seconds;
        }
    }

    /// Has the result tell these ops, also where no reading comes.
    pub(super) fn plan(&mut self, budget: OpBudget) {
        set_budget(&mut self.result, budget);
    }

    /// Takes a reading and keeps it.
    pub(crate) fn read(&mut self, budget: OpBudget, perturbation: Perturbation) {
        self.attempt(|side| {
            let is_first = side.result.readings.is_empty();
            let options = ReadOptions { perturbation, show_output: is_first };
            let raw = side.executor.read(side.bench, budget, options);
            side.progress.process_finished(side.bench, raw.as_ref().map_or(0.0, |raw| raw.seconds));
            let raw = raw.map_err(|fault| fault.under(perturbation))?;
            if is_first {
                side.counted = Some(Counted::of(&raw));
                let observed = raw.proof.observed.as_ref();
                let warning =
                    observed.and_then(|seen| seen.warning(raw.count, raw.budget.window_ops));
                side.result.warnings.extend(warning);
            }
            push(&mut side.result, raw, perturbation);
            Ok(())
        });
    }

    /// Drops the readings so far, which were over too few ops, and what was said of them.
    pub(super) fn forget(&mut self) {
        self.result.readings.clear();
        self.result.warnings.clear();
        self.counted = None;
        self.has_changed = false;
        self.is_examined = false;
    }

    /// Drops what made a longer window necessary.
    pub(super) fn forget_doubt(&mut self) {
        self.doubt = None;
    }

    /// The first reading's count.
    pub(crate) fn first_count(&self) -> Option<u64> {
        self.result.readings.first().map(|reading| reading.count)
    }

    /// The spread of the unperturbed readings.
    pub(crate) fn spread(&self) -> Option<f64> {
        tiergate_stats::summarise_readings(&self.result.readings).map(|summary| summary.spread())
    }

    /// The counts of all readings so far.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.result.readings.iter().map(|reading| reading.count)
    }

    /// Looks at the ops beyond the window. The ops that a longer window should hold come back; a
    /// window that holds too little of their extra work leaves a doubt.
    pub(super) fn examine(&mut self) -> Option<u64> {
        let counted = self.counted.filter(|_| self.is_sound() && self.doubt.is_none())?;
        self.is_examined = true;
        let window_ops = counted.window_ops();
        let count = self.first_count()?;
        let warnings = &mut self.result.warnings;
        match examine(self.executor, self.bench, &counted, self.progress, warnings) {
            Examined::Steady => {}
            Examined::Warning(warning) => self.result.warnings.push(warning),
            Examined::Changed(warning) => {
                self.has_changed = true;
                self.result.warnings.push(warning);
            }
            Examined::Doubt(reason) => {
                self.doubt = Some(reason);
                return None;
            }
            Examined::TooShort { period_ops, reason } => {
                self.doubt = Some(reason);
                return lengthened(self.bench, window_ops, period_ops, count);
            }
        }
        let is_uneven = self.result.readings.first().is_some_and(|one| one.halves_differ());
        is_uneven.then(|| lengthened(self.bench, window_ops, None, count)).flatten()
    }

    /// Has the unperturbed readings proven by a traced run.
    pub(super) fn prove(&mut self) {
        let unproven = self.attempt(|side| {
            Ok(proof::prove(side.executor, side.bench, side.progress, &mut side.result))
        });
        let changing = if self.has_changed { still_changing(&self.result) } else { None };
        self.doubt = self.doubt.take().or(unproven.flatten()).or(changing);
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

    /// Sums up what there is so far.
    pub(crate) fn settle(&mut self) {
        match &self.fault {
            None => conclude(&mut self.result, self.executor.unit(), self.doubt.clone()),
            Some(fault) => {
                self.result.status = BenchStatus::Incomplete;
                self.result.reason = Some(fault.to_string());
            }
        }
    }
}

/// Windows in brackets are whole batches.
pub(super) fn whole_batches(bench: &Bench, ops: u64) -> u64 {
    ops.next_multiple_of(bench.discovered.batch_ops.max(1))
}
