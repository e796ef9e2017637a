//! The suites of the configuration.

use super::detected;
use super::loaders;
use crate::discover::glob_set;
use crate::failure::Failure;
use crate::settings::{Settings, SuiteSettings};
use globset::GlobSet;
use std::path::{Path, PathBuf};
use tiergate_measure::executor::{Runner, Suite};
use tiergate_model::EngineSpec;

/// Frameworks by which a suite can be said to be run.
const FRAMEWORKS: [&str; 8] = [
    "vitest",
    "tinybench",
    "mitata",
    "benchmark",
    "bench-node",
    "deno",
    "createBenchmark",
    "tiergate",
];

/// The checked `[[suite]]` entries.
pub(crate) struct Suites {
    root: PathBuf,
    entries: Vec<Entry>,
}

struct Entry {
    files: GlobSet,
    settings: SuiteSettings,
}

impl Suites {
    pub(crate) fn new(settings: &Settings, root: &Path) -> Result<Self, Failure> {
        let entries = settings.file.suite.iter().map(|suite| Entry::new(suite, root));
        Ok(Self { root: root.to_owned(), entries: entries.collect::<Result<_, _>>()? })
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a path below the root is a file of one of them.
    pub(crate) fn hold(&self, below_root: &Path) -> bool {
        self.entries.iter().any(|entry| entry.files.is_match(below_root))
    }

    /// How a file is run: the first entry that holds it decides what it says.
    pub(crate) fn assign(&self, file: &Path) -> Result<Suite, Failure> {
        let below = file.strip_prefix(&self.root).unwrap_or(file);
        let entry = self.entries.iter().find(|entry| entry.files.is_match(below));
        match entry {
            Some(entry) => entry.assign(&self.root, file),
            None => Ok(detected::suite_of(&self.root, file)),
        }
    }
}

impl Entry {
    fn new(settings: &SuiteSettings, root: &Path) -> Result<Self, Failure> {
        if settings.files.is_empty() {
            return Err(Failure::usage("a `[[suite]]` without `files`")
                .hint("say which files it is about, for example `files = [\"bench/*.ts\"]`"));
        }
        for name in &settings.engine {
            name.parse::<EngineSpec>().map_err(Failure::usage)?;
        }
        if let Some(cwd) = &settings.cwd
            && !root.join(cwd).is_dir()
        {
            return Err(Failure::usage(format!(
                "`cwd = \"{}\"` of a `[[suite]]` is no folder below the root",
                cwd.display()
            )));
        }
        if let Some(framework) = &settings.framework
            && !FRAMEWORKS.contains(&framework.as_str())
        {
            return Err(Failure::usage(format!(
                "unknown framework `{framework}` of a `[[suite]]`"
            ))
            .hint(format!("known: {}", FRAMEWORKS.join(", "))));
        }
        if let Some(name) = settings.mark_functions.iter().find(|name| !is_identifier(name)) {
            return Err(Failure::usage(format!("`{name}` can't be the name of a function"))
                .hint("name a function as it is declared, without `()` and without an object"));
        }
        Ok(Self { files: glob_set("suite.files", &settings.files)?, settings: settings.clone() })
    }

    fn assign(&self, root: &Path, file: &Path) -> Result<Suite, Failure> {
        let settings = &self.settings;
        let detected = match settings.framework.as_deref() {
            _ if !settings.mark_functions.is_empty() => detected::engine_suite(root, file),
            Some("vitest") => detected::vitest_suite(root, file),
            Some(_) => detected::engine_suite(root, file),
            None => detected::suite_of(root, file),
        };
        let loader = match settings.loader.as_deref() {
            None | Some("none") => None,
            Some(_) if detected.runner == Runner::Vitest => None,
            Some(name) => Some(loaders::named(name, file)?),
        };
        Ok(Suite {
            directory: settings.cwd.as_ref().map(|cwd| root.join(cwd)).or(detected.directory),
            engine_args: settings.engine_args.clone(),
            variables: settings.environment.clone(),
            engines: settings.engine.clone(),
            mark_functions: settings.mark_functions.clone(),
            loader,
            ..detected
        })
    }
}

/// Whether a text is a plain JavaScript identifier; it becomes a part of source text.
fn is_identifier(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    !text.is_empty() && !text.as_bytes()[0].is_ascii_digit() && text.bytes().all(is_part)
}
