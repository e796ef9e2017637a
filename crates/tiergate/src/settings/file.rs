//! `tiergate.toml`.

use super::Percent;
use crate::failure::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The configuration as it is written.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SettingsFile {
    /// Globs of the bench files below the root.
    pub(crate) files: Vec<String>,
    /// Engines.
    pub(crate) engine: Vec<String>,
    /// Additional arguments for the engine.
    pub(crate) engine_args: Vec<String>,
    /// Determinism profile.
    pub(crate) profile: Option<String>,
    /// Instrument.
    pub(crate) instrument: Option<String>,
    /// A/A repeats.
    pub(crate) repeats: Option<u32>,
    /// Processes at a time.
    pub(crate) jobs: Option<usize>,
    /// Seconds that one process may take.
    pub(crate) timeout_seconds: Option<u64>,
    /// The lock, relative to the configuration; two versions of a project can share one.
    pub(crate) lock: Option<PathBuf>,
    /// Whether processes share what the engine compiles while it loads.
    pub(crate) code_cache: bool,
    /// Limits of comparisons.
    pub(crate) limits: LimitSettings,
    /// How a side of a gate is built.
    pub(crate) build: BuildSettings,
    /// Gates.
    pub(crate) gate: GateSettings,
    /// The engine's environment.
    pub(crate) environment: EnvironmentSettings,
    /// Settings of benches by a glob over their ids.
    pub(crate) bench: BTreeMap<String, BenchSettings>,
    /// Files that are run in a way of their own.
    pub(crate) suite: Vec<SuiteSettings>,
}

/// `[[suite]]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SuiteSettings {
    /// Globs of its files below the root.
    pub(crate) files: Vec<String>,
    /// The working directory, relative to the root.
    pub(crate) cwd: Option<PathBuf>,
    /// The engines that it is for; all where none is named.
    pub(crate) engine: Vec<String>,
    /// Additional arguments for the engine.
    pub(crate) engine_args: Vec<String>,
    /// Variables of fixed content.
    pub(crate) environment: BTreeMap<String, String>,
    /// The framework, where that can't be seen in the files.
    pub(crate) framework: Option<String>,
    /// What makes TypeScript into JavaScript: a package's name, or `none`.
    pub(crate) loader: Option<String>,
    /// The functions that are its benches, where no framework tells them.
    pub(crate) mark_functions: Vec<String>,
}

/// `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LimitSettings {
    pub(crate) fail: Option<Percent>,
    pub(crate) warn: Option<Percent>,
    pub(crate) improved: Option<Percent>,
    pub(crate) aa_spread: Option<Percent>,
}

/// `[build]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BuildSettings {
    /// Makes what the benches load, in the root of a side's tree.
    pub(crate) command: Option<String>,
    /// Installs packages, in the top of a side's tree, where those of the work tree don't fit.
    pub(crate) install: Option<String>,
}

/// `[gate]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GateSettings {
    /// The base when none is named.
    pub(crate) base: Option<String>,
    /// Globs of files below the root that belong to the benches: head's are used for both sides.
    pub(crate) helpers: Vec<String>,
}

/// `[environment]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EnvironmentSettings {
    /// Variables taken over from the caller.
    pub(crate) pass: Vec<String>,
    /// Variables of fixed content.
    pub(crate) set: BTreeMap<String, String>,
}

/// `[bench."GLOB"]`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BenchSettings {
    /// Ops before the window.
    pub(crate) warmup: Option<u64>,
    /// Ops in the window.
    pub(crate) ops: Option<u64>,
    /// Limits of its own, in place of `[limits]`.
    pub(crate) fail: Option<Percent>,
    pub(crate) warn: Option<Percent>,
    pub(crate) improved: Option<Percent>,
    pub(crate) aa_spread: Option<Percent>,
    /// The hard limit of head's count per op.
    pub(crate) most_per_op: Option<f64>,
}

/// Every key that a configuration can have, for suggestions.
const KEYS: [&str; 39] = [
    "files",
    "engine",
    "engine_args",
    "profile",
    "instrument",
    "repeats",
    "jobs",
    "timeout_seconds",
    "lock",
    "code_cache",
    "limits",
    "limits.fail",
    "limits.warn",
    "limits.improved",
    "limits.aa_spread",
    "build",
    "build.command",
    "build.install",
    "gate",
    "gate.base",
    "gate.helpers",
    "environment",
    "environment.pass",
    "environment.set",
    "bench.*.warmup",
    "bench.*.ops",
    "bench.*.fail",
    "bench.*.warn",
    "bench.*.improved",
    "bench.*.aa_spread",
    "bench.*.most_per_op",
    "suite.files",
    "suite.cwd",
    "suite.engine",
    "suite.engine_args",
    "suite.environment",
    "suite.framework",
    "suite.loader",
    "suite.mark_functions",
];

impl SettingsFile {
    /// Reads a configuration. A key that is not known is an error: a mistyped limit must not be
    /// silently another limit.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("can't read `{shown}`: {error}")))?;
        Self::parse(&text, &shown.to_string())
    }

    /// The engines that the suites name, each once; `node` for what names none.
    pub(crate) fn engines_of_suites(&self) -> Vec<String> {
        let mut engines: Vec<String> = Vec::new();
        let has_others = !self.files.is_empty() || self.suite.is_empty();
        let unnamed = has_others || self.suite.iter().any(|suite| suite.engine.is_empty());
        let named = self.suite.iter().flat_map(|suite| suite.engine.clone());
        for engine in unnamed.then(|| "node".to_owned()).into_iter().chain(named) {
            if !engines.contains(&engine) {
                engines.push(engine);
            }
        }
        engines
    }

    fn parse(text: &str, shown: &str) -> Result<Self, Failure> {
        let damaged = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
            });
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            Failure::usage(format!("`{shown}` line {line}: {message}"))
        };
        let mut unknown = Vec::new();
        let table = toml::Deserializer::parse(text).map_err(damaged)?;
        let file: Self = serde_ignored::deserialize(table, |key| unknown.push(key.to_string()))
            .map_err(damaged)?;
        let Some(key) = unknown.first() else { return Ok(file) };
        let failure = Failure::usage(format!("unknown key `{key}` in `{shown}`"));
        Err(match nearest(key) {
            Some(known) => failure.hint(format!("did you mean `{known}`?")),
            None => failure.hint(format!("known keys: {}", KEYS.join(", "))),
        })
    }
}

/// The known key that is few edits away.
fn nearest(key: &str) -> Option<&'static str> {
    KEYS.into_iter()
        .map(|known| (edit_distance(key, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 4)
        .min()
        .map(|(_, known)| known)
}

/// Levenshtein's distance over bytes.
fn edit_distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (place, byte) in left.bytes().enumerate() {
        let mut diagonal = place;
        if let Some(first) = row.first_mut() {
            *first = place + 1;
        }
        for (column, other) in right.bytes().enumerate() {
            let replaced = diagonal + usize::from(byte != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_configuration_is_read() {
        let file = SettingsFile::parse(
            "files = [\"bench/*.mjs\"]\nengine = [\"node@24\"]\nrepeats = 7\n\
             [limits]\nfail = \"5%\"\n[environment.set]\nA = \"b\"\n\
             [bench.\"*slow*\"]\nops = 10\n",
            "tiergate.toml",
        )
        .unwrap();
        assert_eq!(file.repeats, Some(7));
        assert_eq!(file.limits.fail.map(Percent::fraction), Some(0.05));
        assert_eq!(file.bench["*slow*"].ops, Some(10));
    }

    #[test]
    fn suites_bring_their_engines() {
        let engines = |text: &str| SettingsFile::parse(text, "x").unwrap().engines_of_suites();
        assert_eq!(engines(""), ["node"]);
        let deno = "[[suite]]\nfiles = [\"a\"]\nengine = [\"deno\"]\n";
        assert_eq!(engines(deno), ["deno"]);
        assert_eq!(engines(&format!("{deno}[[suite]]\nfiles = [\"b\"]\n")), ["node", "deno"]);
    }

    #[test]
    fn distances_suggest_the_right_key() {
        assert_eq!(nearest("repeat"), Some("repeats"));
        assert_eq!(nearest("limits.fails"), Some("limits.fail"));
        assert_eq!(nearest("something else"), None);
    }
}
