//! `tiergate prove`: the evidence for the windows of some benches.

use crate::args::{Format, ProveOptions};
use crate::budgets::planned_budgets;
use crate::commands::run::one_document;
use crate::discover::{Filter, bench_files};
use crate::failure::Failure;
use crate::listing::{list_all, no_bench_files};
use crate::output;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::setup::{Setup, choose_instrument, interrupt_flag};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tiergate_measure::run::{RunPlan, evidence, run};
use tiergate_model::{BenchStatus, Evidence, ExitStatus};
use tiergate_report::{evidence_html, evidence_text};
use tiergate_store::Lock;

pub(crate) fn prove(options: &ProveOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let mut paths = selection.paths.clone();
    // A bench file in the place of an id means all of its benches.
    let file = options.id.as_ref().map(PathBuf::from).filter(|path| path.exists());
    let id = options.id.as_ref().filter(|_| file.is_none());
    paths.extend(file);
    let settings = Settings::load(selection.config.as_deref(), &paths)?;
    let engines = settings.engines(selection)?;
    one_document(engines.len(), options.format.into(), &[])?;
    let filter = match id {
        Some(id) => Filter::id_or_glob(id)?,
        None => Filter::new(&selection.filter, selection.exact)?,
    };
    let destinations = Destinations::parse(&options.export)?;
    let files = bench_files(&settings, &paths)?;
    if files.is_empty() && !selection.allow_empty {
        return Err(no_bench_files());
    }
    let instrument = settings.file.instrument.as_deref().unwrap_or("auto");
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
        let mut budgets =
            planned_budgets(&settings, Some(&lock), executor.as_ref(), &listed.benches)?;
        if options.recalibrate {
            budgets = BTreeMap::new();
        }
        let plan = RunPlan {
            benches: listed.benches.clone(),
            budgets,
            repeats: settings.repeats(options.repeats)?,
            perturbations: Vec::new(),
            wall_rounds: 0,
            jobs,
        };
        let results = run(executor.as_ref(), &plan, &interrupted, &|event| progress.show(&event));
        let mut shown = Vec::new();
        for (bench, result) in listed.benches.iter().zip(results) {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(ExitStatus::Interrupted);
            }
            match (result.status, &result.reason) {
                (BenchStatus::Skipped, _) => continue,
                (BenchStatus::Incomplete, reason) => {
                    let reason = reason.as_deref().unwrap_or("unknown reason");
                    output::error(&format!("`{}`: {reason}", result.id));
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
            match evidence(executor.as_ref(), bench, result, repeat) {
                Ok(one) => shown.push(one),
                Err(fault) => {
                    output::error(&format!("`{id}`: {fault}"));
                    status = status.worst(ExitStatus::Incomplete);
                }
            }
        }
        let traces: Vec<&str> = shown.iter().map(|one| one.trace.as_str()).collect();
        destinations.trace(&traces.concat())?;
        let evidence: Vec<Evidence> = shown.into_iter().map(|one| one.evidence).collect();
        destinations.page(&evidence)?;
        print(options.format.into(), &evidence)?;
    }
    Ok(status)
}

fn print(format: Format, evidence: &[Evidence]) -> Result<(), Failure> {
    output::results(&match format {
        Format::Json => {
            let mut json = serde_json::to_string_pretty(evidence).map_err(Failure::incomplete)?;
            json.push('\n');
            json
        }
        Format::Human | Format::Markdown => {
            let text = |one| evidence_text(one, &output::style());
            evidence.iter().map(text).collect::<Vec<_>>().join("\n")
        }
    })
}

/// Where the evidence goes beside standard output.
#[derive(Default)]
struct Destinations {
    html: Option<PathBuf>,
    trace: Option<PathBuf>,
}

impl Destinations {
    fn parse(exports: &[String]) -> Result<Self, Failure> {
        let mut parsed = Self::default();
        for text in exports {
            match text.split_once('=') {
                Some(("html", file)) if !file.is_empty() => parsed.html = Some(file.into()),
                Some(("trace", file)) if !file.is_empty() => parsed.trace = Some(file.into()),
                _ => {
                    return Err(Failure::usage(format!("`--export {text}` is none of its kinds"))
                        .hint("write `--export html=FILE` or `--export trace=FILE`"));
                }
            }
        }
        Ok(parsed)
    }

    fn trace(&self, text: &str) -> Result<(), Failure> {
        self.trace.as_deref().map_or(Ok(()), |file| write(file, text))
    }

    /// One page a bench: all but the first get a number.
    fn page(&self, evidence: &[Evidence]) -> Result<(), Failure> {
        let Some(file) = &self.html else { return Ok(()) };
        for (index, one) in evidence.iter().enumerate() {
            let numbered = match index {
                0 => file.clone(),
                _ => {
                    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                    file.with_file_name(format!("{stem}-{}.html", index + 1))
                }
            };
            write(&numbered, &evidence_html(one))?;
        }
        Ok(())
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| {
        Failure::incomplete(format!("can't write `{}`: {error}", file.display()))
            .hint("choose a place that can be written to")
    })?;
    output::note(&format!("wrote {}", file.display()));
    Ok(())
}
