//! Where results are kept: a file, a baseline, or nowhere.

use crate::args::RunOptions;
use crate::failure::Failure;
use crate::settings::Settings;
use std::path::{Path, PathBuf};
use tiergate_model::ResultFile;
use tiergate_store::{Baselines, write_result};

/// Stands for the engine's name and version in `--save`.
const ENGINE: &str = "{engine}";

/// Checked places for results.
pub(crate) struct Destinations {
    file: Option<PathBuf>,
    baseline: Option<PathBuf>,
}

impl Destinations {
    /// Checks that several engines do not overwrite one another and that nothing overwrites what
    /// it is compared with.
    pub(crate) fn check(
        options: &RunOptions,
        settings: &Settings,
        engines: usize,
    ) -> Result<Self, Failure> {
        if let Some(file) = &options.save {
            if engines > 1 && !file.to_string_lossy().contains(ENGINE) {
                return Err(Failure::usage(format!(
                    "`--save {}` would hold the results of the last engine only",
                    file.display()
                ))
                .hint(format!(
                    "write `{ENGINE}` into its name, for example `head.{ENGINE}.json`"
                )));
            }
            if options.compare.as_deref().is_some_and(|base| same_file(base, file)) {
                return Err(Failure::usage(format!(
                    "`{}` is to be saved to and compared with",
                    file.display()
                ))
                .hint("save to another file"));
            }
        }
        if options.save_baseline.is_some() && engines > 1 {
            return Err(Failure::usage("a baseline holds the results of one engine")
                .hint("run once for each engine, with a baseline of its own"));
        }
        if options.save_baseline.is_some() && options.save_baseline == options.baseline {
            return Err(Failure::usage("the same baseline is to be saved to and compared with")
                .hint("save under another name"));
        }
        let baselines = Baselines::below(&settings.root);
        let baseline = options.save_baseline.as_deref().map(|name| baselines.path(name));
        Ok(Self { file: options.save.clone(), baseline: baseline.transpose()? })
    }

    /// Writes the results to every place, each in one step.
    pub(crate) fn write(&self, result: &ResultFile) -> Result<(), Failure> {
        let engine = &result.fingerprint.engine;
        let engine = format!("{}-{}", engine.name, engine.version);
        let file = self.file.as_ref().map(|file| match file.to_str() {
            Some(text) => PathBuf::from(text.replace(ENGINE, &engine)),
            None => file.clone(),
        });
        for path in file.iter().chain(&self.baseline) {
            write_result(path, result)?;
        }
        Ok(())
    }
}

/// Whether two paths are the same file, existing or not.
pub(crate) fn same_file(left: &Path, right: &Path) -> bool {
    let absolute = |path: &Path| {
        path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.into())
    };
    absolute(left) == absolute(right)
}
