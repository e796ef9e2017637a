//! Bench files below the root, and the choice of benches by id.

use crate::failure::Failure;
use crate::settings::{Settings, no_such_path};
use crate::suites::suite_of;
use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use std::path::{Path, PathBuf};
use tiergate_measure::executor::BenchFile;

/// Names that make a file a bench file where nothing else is said.
const DEFAULT_GLOBS: [&str; 2] =
    ["**/*.bench.{js,mjs,cjs,ts,mts,cts}", "**/*.benchmark.{js,mjs,cjs,ts,mts,cts}"];

/// The bench files that the paths name; without paths those of the configuration. Sorted by path,
/// each once. What git ignores is left out of folders.
pub(crate) fn bench_files(
    settings: &Settings,
    paths: &[PathBuf],
) -> Result<Vec<BenchFile>, Failure> {
    let root = settings
        .root
        .canonicalize()
        .map_err(|error| Failure::usage(format!("`{}`: {error}", settings.root.display())))?;
    let globs = glob_set(&settings.file.files)?;
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(format!("no working directory: {error}")))?;
    let starts: Vec<PathBuf> = if paths.is_empty() {
        vec![root.clone()]
    } else {
        paths
            .iter()
            .map(|path| here.join(path).canonicalize().map_err(|_| no_such_path(path)))
            .collect::<Result<_, _>>()?
    };
    let mut files = Vec::new();
    for start in &starts {
        if !start.starts_with(&root) {
            return Err(Failure::usage(format!(
                "`{}` lies outside of the root `{}`",
                start.display(),
                root.display()
            ))
            .hint("measure it in a run of its own, or name a configuration with `--config`"));
        }
        if start.is_file() {
            files.push(bench_file(&root, start)?);
            continue;
        }
        for entry in WalkBuilder::new(start).sort_by_file_name(Ord::cmp).build() {
            let entry = entry.map_err(Failure::usage)?;
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            let in_modules = below.components().any(|part| part.as_os_str() == "node_modules");
            if is_file && !in_modules && globs.is_match(below) {
                files.push(bench_file(&root, entry.path())?);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn bench_file(root: &Path, path: &Path) -> Result<BenchFile, Failure> {
    let relative = path
        .strip_prefix(root)
        .ok()
        .and_then(Path::to_str)
        .ok_or_else(|| Failure::usage(format!("the path `{}` is not UTF-8", path.display())))?;
    Ok(BenchFile {
        relative: relative.to_owned(),
        absolute: path.to_path_buf(),
        suite: suite_of(root, path),
    })
}

fn glob_set(globs: &[String]) -> Result<GlobSet, Failure> {
    let mut set = GlobSetBuilder::new();
    let given = globs.iter().map(String::as_str);
    let defaults = DEFAULT_GLOBS.into_iter().filter(|_| globs.is_empty());
    for glob in given.chain(defaults) {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        set.add(built.map_err(|error| Failure::usage(format!("`files`: {error}")))?);
    }
    set.build().map_err(|error| Failure::usage(format!("`files`: {error}")))
}

/// A glob over ids, in which `*` also crosses `/`.
pub(crate) fn id_glob(glob: &str) -> Result<GlobMatcher, Failure> {
    GlobBuilder::new(glob)
        .literal_separator(false)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| Failure::usage(format!("the glob `{glob}`: {error}")))
}

/// Chooses benches by id.
pub(crate) enum Filter {
    All,
    Globs(Vec<(String, GlobMatcher)>),
    Exact(Vec<String>),
}

impl Filter {
    pub(crate) fn new(filters: &[String], exact: bool) -> Result<Self, Failure> {
        if filters.is_empty() {
            return Ok(Self::All);
        }
        if exact {
            return Ok(Self::Exact(filters.to_vec()));
        }
        let globs = filters.iter().map(|glob| Ok((glob.clone(), id_glob(glob)?)));
        Ok(Self::Globs(globs.collect::<Result<_, Failure>>()?))
    }

    pub(crate) fn matches(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Globs(globs) => globs.iter().any(|(_, glob)| glob.is_match(id)),
            Self::Exact(ids) => ids.iter().any(|wanted| wanted == id),
        }
    }
}
