//! What the commands that look into benches have in common: on each engine, list what is asked
//! for, and find out something about it.

use crate::args::{Format, Selection};
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
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_measure::executor::Executor;
use tiergate_measure::run::PlannedBudget;
use tiergate_model::{BenchId, EngineSpec, ExitStatus};
use tiergate_store::Lock;

/// What is looked into, and how.
pub(crate) struct Inspection<'a> {
    pub(crate) selection: &'a Selection,
    /// Where bench files are looked for.
    pub(crate) paths: &'a [PathBuf],
    pub(crate) filter: Filter,
    /// The instrument's name, where the user gave one.
    pub(crate) instrument: Option<&'a str>,
    /// A/A repeats, where the user chose them.
    pub(crate) repeats: Option<u32>,
    /// Processes at a time, where the user chose them.
    pub(crate) jobs: Option<usize>,
    pub(crate) format: Format,
}

/// One engine's benches, ready to be measured.
pub(crate) struct Inspected<'a> {
    pub(crate) setup: &'a Setup<'a>,
    pub(crate) spec: &'a EngineSpec,
    pub(crate) instrument: &'a str,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) listed: &'a Listed,
    pub(crate) budgets: BTreeMap<BenchId, PlannedBudget>,
    pub(crate) repeats: u32,
    pub(crate) jobs: usize,
    pub(crate) interrupted: &'a AtomicBool,
    pub(crate) progress: &'a Progress,
    pub(crate) format: Format,
    /// Whether more engines than this one are asked for.
    pub(crate) one_of_several: bool,
}

impl Inspection<'_> {
    /// Does it on each engine; the worst outcome counts.
    pub(crate) fn each_engine(
        self,
        inspect: impl Fn(Inspected<'_>) -> Result<ExitStatus, Failure>,
    ) -> Result<ExitStatus, Failure> {
        let selection = self.selection;
        let settings = Settings::load(selection.config.as_deref(), self.paths)?;
        let engines = settings.engines(selection)?;
        one_document(engines.len(), self.format, &[])?;
        let files = bench_files(&settings, self.paths)?;
        if files.is_empty() && !selection.allow_empty {
            return Err(no_bench_files());
        }
        let instrument = self.instrument.or(settings.file.instrument.as_deref()).unwrap_or("auto");
        let interrupted = interrupt_flag()?;
        let progress = Progress::new();
        let setup = Setup {
            settings: &settings,
            selection,
            interrupted: Arc::clone(&interrupted),
            output: progress.output_sink(),
        };
        let jobs = settings.jobs(self.jobs);
        let lock = Lock::read(settings.lock_path())?.value;
        let mut status = ExitStatus::Pass;
        for spec in &engines {
            let executor = setup.executor(spec, choose_instrument(instrument)?)?;
            let listed = list_all(executor.as_ref(), &files, &self.filter, jobs);
            listed.tell();
            if !listed.faults.is_empty() {
                status = status.worst(ExitStatus::Incomplete);
            }
            listed.check_not_empty(selection.allow_empty)?;
            let budgets =
                planned_budgets(&settings, Some(&lock), executor.as_ref(), &listed.benches)?;
            status = status.worst(inspect(Inspected {
                setup: &setup,
                spec,
                instrument,
                executor: executor.as_ref(),
                listed: &listed,
                budgets,
                repeats: settings.repeats(self.repeats)?,
                jobs,
                interrupted: &interrupted,
                progress: &progress,
                format: self.format,
                one_of_several: engines.len() > 1,
            })?);
            if interrupted.load(Ordering::Relaxed) {
                return Ok(ExitStatus::Interrupted);
            }
        }
        Ok(status)
    }
}

impl Inspected<'_> {
    /// Prints what was found, for people or for programs.
    pub(crate) fn print(
        &self,
        found: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        output::results(&match self.format {
            Format::Json => {
                let mut json = serde_json::to_string_pretty(found).map_err(Failure::incomplete)?;
                json.push('\n');
                json
            }
            Format::Human | Format::Markdown => self.titled(text()),
        })
    }

    /// Under the engine's name, where there are several.
    fn titled(&self, text: String) -> String {
        if !self.one_of_several {
            return text;
        }
        let engine = &self.executor.fingerprint().engine;
        format!("{} {}\n{text}", engine.name, engine.version)
    }
}
