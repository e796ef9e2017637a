//! `tiergate run`: discover, plan, measure, save, and compare where that is asked for.

mod destinations;
mod engine_run;

use crate::args::{Format, RunOptions};
use crate::commands::compare;
use crate::discover::{Filter, bench_files};
use crate::export::Exports;
use crate::failure::Failure;
use crate::listing::no_bench_files;
use crate::output;
use crate::progress::Progress;
use crate::report::{Kind, Report};
use crate::settings::Settings;
use crate::setup::{Setup, choose_instrument, interrupt_flag};
use crate::shard;
pub(crate) use destinations::same_file;

use destinations::Destinations;
use engine_run::EngineRun;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tiergate_model::{BenchResult, BenchStatus, ExitStatus, ResultFile};
use tiergate_report::timings_text;

pub(crate) fn run(options: &RunOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let (settings, paths) = Settings::load_with_entry(selection, &options.entry)?;
    let engines = settings.engines(selection)?;
    let destinations = Destinations::check(options, &settings, engines.len())?;
    one_document(engines.len(), options.shown.format, &options.shown.export)?;
    let exports = Exports::parse(&options.shown, &settings.root)?;
    let base = compare::base_of_run(options, &settings)?;
    settings.limits(&options.judging)?;
    let shard = selection.shard.as_deref().map(shard::parse).transpose()?;
    let filter = Filter::new(&selection.filter, selection.exact)?;
    let files = bench_files(&settings, &paths)?;
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
    let mut status = ExitStatus::Pass;
    let mut results = Vec::new();
    for spec in &engines {
        let executor = match setup.executor(spec, choose_instrument(instrument)?) {
            Ok(executor) => executor,
            // One engine that can't be used does not stop the others.
            Err(failure) if engines.len() > 1 => {
                status = status.worst(failure.print());
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let run = EngineRun {
            executor: executor.as_ref(),
            options,
            settings: &settings,
            files: &files,
            filter: &filter,
            shard,
            destinations: &destinations,
            interrupted: &interrupted,
            progress: &progress,
        };
        let result = run.measure()?;
        status = status.worst(status_of(&result));
        results.push(result);
        if interrupted.load(Ordering::Relaxed) {
            status = ExitStatus::Interrupted;
            break;
        }
    }
    show(options, &exports, &results)?;
    if options.timings {
        results.iter().for_each(|result| output::aside(&timings_text(result, &output::style())));
    }
    let Some(base) = base else {
        return Ok(status);
    };
    // An interrupted run too: what it lacks is said to be incomplete, and no older export stays.
    for result in results {
        let head = compare::Named { source: "this run".to_owned(), file: result };
        let compared = compare::show(&base, &head, &settings, options, &exports)?;
        status = status.worst(compared);
    }
    Ok(status)
}

/// A JSON document, and an exported file, hold the results of one engine.
pub(crate) fn one_document(
    engines: usize,
    format: Format,
    exports: &[String],
) -> Result<(), Failure> {
    if engines < 2 || (format != Format::Json && exports.is_empty()) {
        return Ok(());
    }
    let option = if exports.is_empty() { "--format json" } else { "--export" };
    Err(Failure::usage(format!("`{option}` holds the results of one engine, not of {engines}"))
        .hint("run once for each engine, or use `--save` with `{engine}` in the file's name"))
}

fn status_of(result: &ResultFile) -> ExitStatus {
    let incomplete = result.benches.iter().any(|bench| bench.status == BenchStatus::Incomplete);
    let in_doubt =
        |bench: &BenchResult| bench.status == BenchStatus::Measured && bench.reason.is_some();
    if incomplete {
        ExitStatus::Incomplete
    } else if result.benches.iter().any(in_doubt) {
        ExitStatus::Inconclusive
    } else {
        ExitStatus::Pass
    }
}

/// Prints the results, unless a comparison follows that takes standard output.
fn show(options: &RunOptions, exports: &Exports, results: &[ResultFile]) -> Result<(), Failure> {
    let compared = options.compare.is_some() || options.baseline.is_some();
    for result in results {
        let report = Report::Run(result);
        if !compared {
            report.publish(&options.shown, exports)?;
        } else if options.shown.format == Format::Human && exports.on_stdout().is_none() {
            output::results(&report.render(Kind::Text, &output::style(), None)?)?;
        }
    }
    Ok(())
}
