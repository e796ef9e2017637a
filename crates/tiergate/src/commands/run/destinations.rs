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
    baselines: Baselines,
    baseline: Option<String>,
    /// What the results are compared with, which nothing may write over.
    base: Option<PathBuf>,
}

impl Destinations {
    /// Checks that several engines do not overwrite one another and that nothing overwrites what
    /// it is compared with.
    pub(crate) fn check(
        options: &RunOptions,
        settings: &Settings,
        engines: usize,
    ) -> Result<Self, Failure> {
        if let Some(file) = &options.save
            && engines > 1
            && !file.to_string_lossy().contains(ENGINE)
        {
            return Err(Failure::usage(format!(
                "`--save {}` would hold the results of the last engine only",
                file.display()
            ))
            .hint(format!("write `{ENGINE}` into its name, for example `head.{ENGINE}.json`")));
        }
        if options.save_baseline.is_some() && engines > 1 {
            return Err(Failure::usage("a baseline holds the results of one engine")
                .hint("run once for each engine, with a baseline of its own"));
        }
        let baselines = Baselines::below(&settings.root);
        let path = |name: &String| baselines.path(name);
        let base = match &options.baseline {
            Some(name) => Some(path(name)?),
            None => options.compare.clone(),
        };
        let saved = options.save_baseline.as_ref().map(path).transpose()?;
        let destinations = Self {
            file: options.save.clone(),
            baseline: options.save_baseline.clone(),
            base,
            baselines,
        };
        for path in destinations.file.iter().chain(&saved) {
            destinations.spare_base(path)?;
        }
        Ok(destinations)
    }

    fn spare_base(&self, path: &Path) -> Result<(), Failure> {
        match &self.base {
            Some(base) if same_file(base, path) => Err(Failure::usage(format!(
                "`{}` is to be saved to and compared with",
                path.display()
            ))
            .hint("save to another file or baseline")),
            _ => Ok(()),
        }
    }

    /// Writes the results to every place, each in one step.
    pub(crate) fn write(&self, result: &ResultFile) -> Result<(), Failure> {
        let engine = &result.fingerprint.engine;
        let engine = format!("{}-{}", engine.name, engine.version);
        if let Some(file) = &self.file {
            let path = match file.to_str() {
                Some(text) => PathBuf::from(text.replace(ENGINE, &engine)),
                None => file.clone(),
            };
            self.spare_base(&path)?;
            write_result(&path, result)?;
        }
        if let Some(name) = &self.baseline {
            self.baselines.save(name, result)?;
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
