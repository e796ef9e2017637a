//! Bench files below the root, and the choice of benches by id.

use crate::failure::Failure;
use crate::settings::{Settings, no_such_path};
use crate::suites::Suites;
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
    let suites = Suites::new(settings, &root)?;
    let globs = own_globs(settings, &suites)?;
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
            files.push(bench_file(&root, start, &suites)?);
            continue;
        }
        for entry in WalkBuilder::new(start).sort_by_file_name(Ord::cmp).build() {
            let entry = entry.map_err(Failure::usage)?;
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            let in_modules = below.components().any(|part| part.as_os_str() == "node_modules");
            let is_bench = || globs.is_match(below) || suites.hold(below);
            if is_file && !in_modules && is_bench() {
                files.push(bench_file(&root, entry.path(), &suites)?);
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn bench_file(root: &Path, path: &Path, suites: &Suites) -> Result<BenchFile, Failure> {
    let relative = path
        .strip_prefix(root)
        .ok()
        .and_then(Path::to_str)
        .ok_or_else(|| Failure::usage(format!("the path `{}` is not UTF-8", path.display())))?;
    Ok(BenchFile {
        relative: relative.to_owned(),
        absolute: path.to_path_buf(),
        suite: suites.assign(path)?,
    })
}

/// The globs of files of no suite: those of the configuration, else the usual ones, unless the
/// suites are all that there is.
fn own_globs(settings: &Settings, suites: &Suites) -> Result<GlobSet, Failure> {
    match &settings.file.files[..] {
        [] if suites.is_empty() => glob_set("files", &DEFAULT_GLOBS),
        globs => glob_set("files", globs),
    }
}

/// Globs over paths below the root; `key` names them in errors.
pub(crate) fn glob_set(key: &str, globs: &[impl AsRef<str>]) -> Result<GlobSet, Failure> {
    let fault = |error: globset::Error| Failure::usage(format!("`{key}`: {error}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob.as_ref()).literal_separator(true).build().map_err(fault)?);
    }
    set.build().map_err(fault)
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

    /// One whole id, or a glob where the text is none that a bench could have.
    pub(crate) fn id_or_glob(text: &str) -> Result<Self, Failure> {
        let is_glob = text.contains(['*', '?']) || !text.contains("::");
        Self::new(&[text.to_owned()], !is_glob)
    }

    pub(crate) fn matches(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Globs(globs) => globs.iter().any(|(_, glob)| glob.is_match(id)),
            Self::Exact(ids) => ids.iter().any(|wanted| wanted == id),
        }
    }
}
