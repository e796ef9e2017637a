//! What is to be done, from flags over environment over `tiergate.toml` over defaults.

mod file;
mod percent;
mod root;

pub(crate) use file::{SettingsFile, SuiteSettings};
pub(crate) use percent::Percent;

use crate::args::{Entry, Judging, Selection};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiergate_model::{BenchId, EngineSpec, Limits, OpBudget, OwnLimits};

/// The configuration's name.
pub(crate) const FILE_NAME: &str = "tiergate.toml";
/// The lock's name, beside the configuration.
const LOCK_NAME: &str = "tiergate.lock";

/// A process that takes longer than this hangs, or has too much to do.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// From the smallest to the largest of so many ratios covers their median with 96.9 %.
const DEFAULT_PAIRS: u32 = 6;

/// Settings shared by all commands.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What ids are relative to; also the engines' working directory.
    pub(crate) root: PathBuf,
    /// The configuration.
    pub(crate) file: SettingsFile,
}

impl Settings {
    /// Finds the root and reads the configuration there. The search starts at the first path that
    /// the user named, else at the working directory.
    pub(crate) fn load(config: Option<&Path>, paths: &[PathBuf]) -> Result<Self, Failure> {
        let here = std::env::current_dir()
            .map_err(|error| Failure::usage(format!("no working directory: {error}")))?;
        if let Some(config) = config {
            let file = SettingsFile::read(config)?;
            let folder = here.join(config);
            let root = folder.parent().map(Path::to_path_buf).unwrap_or(here);
            let root = root.canonicalize().unwrap_or(root);
            return Ok(Self { root, file });
        }
        let start = match paths.first() {
            Some(path) => {
                root::existing_folder(&here.join(path)).ok_or_else(|| no_such_path(path))?
            }
            None => here.clone(),
        };
        match root::find_upward(&start, FILE_NAME) {
            Some(root) => Ok(Self { file: SettingsFile::read(&root.join(FILE_NAME))?, root }),
            None => Ok(Self {
                root: root::git_root(&start)
                    .or_else(|| start.starts_with(&here).then_some(here))
                    .unwrap_or(start),
                file: SettingsFile::default(),
            }),
        }
    }

    /// Those of a command that can measure a program without a framework, and the paths that the
    /// command is about.
    pub(crate) fn load_with_entry(
        selection: &Selection,
        entry: &Entry,
    ) -> Result<(Self, Vec<PathBuf>), Failure> {
        let config = selection.config.as_deref();
        let Some(file) = &entry.entry else {
            return Ok((Self::load(config, &selection.paths)?, selection.paths.clone()));
        };
        let paths = vec![file.clone()];
        let mut settings = Self::load(config, &paths)?;
        let absolute = file.canonicalize().map_err(|_| no_such_path(file))?;
        let root = settings.root.canonicalize().unwrap_or_else(|_| settings.root.clone());
        let below = absolute.strip_prefix(&root).unwrap_or(&absolute);
        let suite = SuiteSettings {
            files: vec![globset::escape(&below.to_string_lossy())],
            mark_functions: entry.mark_function.clone(),
            ..SuiteSettings::default()
        };
        // The first suite that holds a file decides.
        settings.file.suite.insert(0, suite);
        Ok((settings, paths))
    }

    /// The engines asked for, `node` when none is.
    pub(crate) fn engines(&self, selection: &Selection) -> Result<Vec<EngineSpec>, Failure> {
        let from_environment = std::env::var("TIERGATE_ENGINE").ok();
        let from_environment: Vec<String> =
            from_environment.iter().flat_map(|list| list.split(',')).map(str::to_owned).collect();
        let names = [&selection.engine, &from_environment, &self.file.engine]
            .into_iter()
            .find(|list| !list.is_empty())
            .cloned()
            .unwrap_or_else(|| self.file.engines_of_suites());
        let parse = |name: &String| {
            name.trim().parse().map_err(|error| {
                Failure::usage(error)
                    .hint("`tiergate doctor` shows the engines that are found here")
            })
        };
        names.iter().map(parse).collect()
    }

    /// How long one process may take.
    pub(crate) fn timeout(&self, selection: &Selection) -> Duration {
        selection.timeout.or(self.file.timeout_seconds).map_or(DEFAULT_TIMEOUT, Duration::from_secs)
    }

    /// A/A repeats.
    pub(crate) fn repeats(&self, flag: Option<u32>) -> Result<u32, Failure> {
        let repeats = flag.or(self.file.repeats).unwrap_or(5);
        if repeats < 3 {
            return Err(Failure::usage(format!("{repeats} repeats are too few"))
                .hint("a spread needs at least 3 repeats"));
        }
        Ok(repeats)
    }

    /// Pairs of readings that a gate takes of an undecided bench.
    pub(crate) fn pairs(&self, flag: Option<u32>) -> Result<u32, Failure> {
        match flag.unwrap_or(DEFAULT_PAIRS) {
            0 => Err(Failure::usage("a gate needs at least one pair")
                .hint("`--perturbations 1` judges by the unperturbed pair alone")),
            pairs => Ok(pairs),
        }
    }

    /// Processes at a time.
    pub(crate) fn jobs(&self, flag: Option<usize>) -> usize {
        flag.or(self.file.jobs)
            .filter(|jobs| *jobs > 0)
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The file that keeps the op counts of warm-ups and windows.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.root.join(self.file.lock.as_deref().unwrap_or(Path::new(LOCK_NAME)))
    }

    /// Limits of a comparison.
    pub(crate) fn limits(&self, judging: &Judging) -> Result<Limits, Failure> {
        let default = Limits::default();
        let choose = |flag: &Option<String>, file: Option<Percent>, default: f64| {
            let flag = flag.as_ref().map(|text| text.parse::<Percent>()).transpose();
            let chosen = flag.map_err(Failure::usage)?.or(file);
            Ok::<f64, Failure>(chosen.map_or(default, Percent::fraction))
        };
        let file = &self.file.limits;
        let limits = Limits {
            fail: choose(&judging.fail, file.fail, default.fail)?,
            warn: choose(&judging.warn, file.warn, default.warn)?,
            improved: choose(&judging.improved, file.improved, default.improved)?,
            aa_spread: choose(&judging.aa_spread, file.aa_spread, default.aa_spread)?,
        };
        if limits.warn > limits.fail {
            return Err(Failure::usage("the limit for warnings is above the limit for failures")
                .hint("set `warn` as well as `fail`, and not above it"));
        }
        Ok(limits)
    }

    /// The limits of those benches that have some of their own.
    pub(crate) fn own_limits<'a>(
        &self,
        ids: impl Iterator<Item = &'a BenchId>,
        limits: Limits,
    ) -> Result<BTreeMap<BenchId, OwnLimits>, Failure> {
        let globs: Vec<_> = self
            .file
            .bench
            .iter()
            .map(|(glob, bench)| Ok((crate::discover::id_glob(glob)?, glob, bench)))
            .collect::<Result<_, Failure>>()?;
        let mut all = BTreeMap::new();
        for id in ids {
            let mut own = OwnLimits { limits, most_per_op: None };
            for (matcher, glob, bench) in &globs {
                if !matcher.is_match(id.as_str()) {
                    continue;
                }
                let choose = |own: Option<Percent>, other| own.map_or(other, Percent::fraction);
                own.limits = Limits {
                    fail: choose(bench.fail, own.limits.fail),
                    warn: choose(bench.warn, own.limits.warn),
                    improved: choose(bench.improved, own.limits.improved),
                    aa_spread: choose(bench.aa_spread, own.limits.aa_spread),
                };
                own.most_per_op = bench.most_per_op.or(own.most_per_op);
                // Who loosens or tightens only one of the two means both.
                if own.limits.warn > own.limits.fail {
                    if bench.warn.is_some() && bench.fail.is_some() {
                        return Err(Failure::usage(format!(
                            "`[bench.\"{glob}\"]`: the limit for warnings is above the limit for \
                             failures"
                        ))
                        .hint("set `warn` not above `fail`"));
                    }
                    own.limits.warn = own.limits.fail;
                }
            }
            if own.limits != limits || own.most_per_op.is_some() {
                all.insert(id.clone(), own);
            }
        }
        Ok(all)
    }

    /// Op budgets set by hand, for the ids that their globs match.
    pub(crate) fn hand_set_budget(&self, id: &str) -> Result<PartialBudget, Failure> {
        let mut budget = PartialBudget::default();
        for (glob, bench) in &self.file.bench {
            if crate::discover::id_glob(glob)?.is_match(id) {
                budget.warmup_ops = bench.warmup.or(budget.warmup_ops);
                budget.window_ops = bench.ops.or(budget.window_ops);
            }
        }
        Ok(budget)
    }

    /// Variables passed to and set in the engine's environment.
    pub(crate) fn environment(&self) -> (&[String], &BTreeMap<String, String>) {
        (&self.file.environment.pass, &self.file.environment.set)
    }
}

/// Ops set by hand; what is not set is found by a sizing run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PartialBudget {
    pub(crate) warmup_ops: Option<u64>,
    pub(crate) window_ops: Option<u64>,
}

impl PartialBudget {
    /// This budget, with what is missing taken from another.
    pub(crate) fn or(self, other: Option<OpBudget>) -> Option<OpBudget> {
        Some(OpBudget {
            warmup_ops: self.warmup_ops.or(other.map(|other| other.warmup_ops))?,
            window_ops: self.window_ops.or(other.map(|other| other.window_ops))?,
        })
    }
}

pub(crate) fn no_such_path(path: &Path) -> Failure {
    Failure::usage(format!("no such file or folder: `{}`", path.display()))
        .hint("give bench files, or folders that hold `*.bench.*` files")
}
