//! Engines by the user's names.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use tiergate_engine::{Engine, Search, find};
use tiergate_model::EngineSpec;

/// Where engines are looked for: from the working directory, from the root, and in the folders
/// that `TIERGATE_ENGINES` lists, each of which holds a `node_modules`.
pub(crate) fn search(root: &Path) -> Result<Search, Failure> {
    let mut search = Search::from_environment()
        .map_err(|error| Failure::usage(format!("no working directory: {error}")))?;
    search.extra_roots = root.ancestors().map(Path::to_path_buf).collect();
    let listed = std::env::var_os("TIERGATE_ENGINES").unwrap_or_default();
    search
        .extra_roots
        .extend(std::env::split_paths(&listed).filter(|path| *path != PathBuf::new()));
    Ok(search)
}

/// Finds an engine.
pub(crate) fn find_engine(spec: &EngineSpec, search: &Search) -> Result<Engine, Failure> {
    find(spec, search).map_err(|error| {
        let hints = error.hints();
        Failure::usage(error).hints(hints)
    })
}
