//! `tiergate noise`: what equal code does.

mod detail;
mod suite;

use crate::args::{Format, Judging, NoiseOptions};
use crate::budgets::planned_budgets;
use crate::commands::run::one_document;
use crate::discover::{Filter, bench_files};
use crate::failure::Failure;
use crate::listing::{Listed, list_all, no_bench_files};
use crate::output;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::setup::{Setup, choose_instrument, interrupt_flag};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_measure::executor::Executor;
use tiergate_measure::run::PlannedBudget;
use tiergate_model::{BenchId, ExitStatus, Limits};
use tiergate_store::Lock;

/// What a measurement of noise needs.
struct Noise<'a> {
    executor: &'a dyn Executor,
    options: &'a NoiseOptions,
    listed: &'a Listed,
    budgets: BTreeMap<BenchId, PlannedBudget>,
    repeats: u32,
    limits: Limits,
    jobs: usize,
    interrupted: &'a AtomicBool,
    progress: &'a Progress,
}

pub(crate) fn noise(options: &NoiseOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let settings = Settings::load(selection.config.as_deref(), &selection.paths)?;
    let engines = settings.engines(selection)?;
    one_document(engines.len(), options.format.into(), &[])?;
    let filter = match &options.detail {
        Some(id) => Filter::id_or_glob(id)?,
        None => Filter::new(&selection.filter, selection.exact)?,
    };
    let files = bench_files(&settings, &selection.paths)?;
    if files.is_empty() && !selection.allow_empty {
        return Err(no_bench_files());
    }
    let instrument =
        options.instrument.as_deref().or(settings.file.instrument.as_deref()).unwrap_or("auto");
    let interrupted = interrupt_flag()?;
    let progress = Progress::new();
    let setup = Setup {
        settings: &settings,
        selection,
        interrupted: Arc::clone(&interrupted),
        output: progress.output_sink(),
    };
    let jobs = settings.jobs(options.jobs);
    let lock = Lock::read(settings.lock_path())?.value;
    let mut status = ExitStatus::Pass;
    for spec in &engines {
        let executor = setup.executor(spec, choose_instrument(instrument)?)?;
        let listed = list_all(executor.as_ref(), &files, &filter, jobs);
        listed.tell();
        if !listed.faults.is_empty() {
            status = status.worst(ExitStatus::Incomplete);
        }
        listed.check_not_empty(selection.allow_empty)?;
        let noise = Noise {
            executor: executor.as_ref(),
            options,
            listed: &listed,
            budgets: planned_budgets(&settings, Some(&lock), executor.as_ref(), &listed.benches)?,
            repeats: settings.repeats(options.repeats)?,
            limits: settings.limits(&Judging::default())?,
            jobs,
            interrupted: &interrupted,
            progress: &progress,
        };
        let engine = &executor.fingerprint().engine;
        if engines.len() > 1 {
            output::results(&format!("{} {}\n", engine.name, engine.version))?;
        }
        status = status.worst(match &options.detail {
            Some(_) => noise.detail()?,
            None => noise.suite()?,
        });
        if interrupted.load(Ordering::Relaxed) {
            return Ok(ExitStatus::Interrupted);
        }
    }
    Ok(status)
}

impl Noise<'_> {
    /// Prints what was found, for people or for programs.
    fn print(&self, found: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        output::results(&match Format::from(self.options.format) {
            Format::Json => {
                let mut json = serde_json::to_string_pretty(found).map_err(Failure::incomplete)?;
                json.push('\n');
                json
            }
            Format::Human | Format::Markdown => text(),
        })
    }
}
