//! `tiergate compare`, and the comparison at the end of a run.

use super::gate;
use super::run::same_file;
use crate::args::{CompareOptions, Judging, RunOptions, Shown};
use crate::export::Exports;
use crate::failure::Failure;
use crate::output;
use crate::report::Report;
use crate::settings::Settings;
use std::path::Path;
use tiergate_model::{Comparison, ExitStatus, ResultFile};
use tiergate_store::{Baselines, Loaded, StoreError, read_result};

/// A result file and what it is called in reports.
pub(crate) struct Named {
    pub(crate) source: String,
    pub(crate) file: ResultFile,
}

pub(crate) fn compare(options: &CompareOptions) -> Result<ExitStatus, Failure> {
    let settings = Settings::load(options.config.as_deref(), &[])?;
    // A wrong limit is known before any file is read.
    settings.limits(&options.judging)?;
    let (base, head) = match (&options.baseline, &options.second) {
        (Some(name), _) => (read_baseline(&settings, name)?, read_file(&options.first)?),
        (None, Some(head)) => {
            if same_file(&options.first, head) {
                return Err(Failure::usage(format!(
                    "`{}` is given as base and as head",
                    head.display()
                ))
                .hint("a file compared with itself says nothing; give two files"));
            }
            (read_file(&options.first)?, read_file(head)?)
        }
        (None, None) => return Err(Failure::usage("a comparison needs a base and a head")),
    };
    let exports = Exports::parse(&options.shown, &settings.root)?;
    let comparison = judge(&base, &head, &settings, &options.judging)?;
    publish(&comparison, &base, &head, &options.shown, &exports)
}

/// What a run is to be compared with, read before anything is measured.
pub(crate) fn base_of_run(
    options: &RunOptions,
    settings: &Settings,
) -> Result<Option<Named>, Failure> {
    match (&options.compare, &options.baseline) {
        (Some(path), _) => read_file(path).map(Some),
        (None, Some(name)) => read_baseline(settings, name).map(Some),
        (None, None) => Ok(None),
    }
}

/// Compares a run with its base and prints the comparison.
pub(crate) fn show(
    base: &Named,
    head: &Named,
    settings: &Settings,
    options: &RunOptions,
    exports: &Exports,
) -> Result<ExitStatus, Failure> {
    let mut comparison = judge(base, head, settings, &options.judging)?;
    if let (true, Some(commit)) = (options.accepting, &base.file.commit) {
        let accepted = gate::accepted_for(commit, &settings.root, &mut comparison.notes)?;
        gate::accept(&mut comparison, &accepted);
    }
    publish(&comparison, base, head, &options.shown, exports)
}

fn judge(
    base: &Named,
    head: &Named,
    settings: &Settings,
    judging: &Judging,
) -> Result<Comparison, Failure> {
    let limits = settings.limits(judging)?;
    let ids = head.file.benches.iter().map(|bench| &bench.id);
    let own = settings.own_limits(ids, limits)?;
    let options = tiergate_stats::CompareOptions {
        limits,
        allow_removed: judging.allow_removed,
        base_source: base.source.clone(),
        head_source: head.source.clone(),
    };
    Ok(tiergate_stats::compare_with(&base.file, &head.file, &options, &own))
}

fn publish(
    comparison: &Comparison,
    base: &Named,
    head: &Named,
    shown: &Shown,
    exports: &Exports,
) -> Result<ExitStatus, Failure> {
    let report = Report::Comparison { comparison, base: &base.file, head: &head.file };
    report.publish(shown, exports)?;
    Ok(comparison.exit_status())
}

fn read_file(path: &Path) -> Result<Named, Failure> {
    named(path.display().to_string(), read_result(path))
}

fn read_baseline(settings: &Settings, name: &str) -> Result<Named, Failure> {
    named(format!("baseline {name}"), Baselines::below(&settings.root).read(name))
}

fn named(source: String, loaded: Result<Loaded<ResultFile>, StoreError>) -> Result<Named, Failure> {
    let loaded = loaded?;
    loaded.warnings.iter().for_each(|warning| output::warning(warning));
    Ok(Named { source, file: loaded.value })
}
