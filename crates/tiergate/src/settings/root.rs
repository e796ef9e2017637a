//! Where a project begins.

use std::path::{Path, PathBuf};

/// The folder of a path that exists: the path itself, or the folder that its file lies in.
pub(super) fn existing_folder(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    if path.is_dir() { Some(path) } else { path.parent().map(Path::to_path_buf) }
}

/// The nearest folder from `start` upward that holds `name`, not beyond the git root.
pub(super) fn find_upward(start: &Path, name: &str) -> Option<PathBuf> {
    for folder in start.ancestors() {
        if folder.join(name).is_file() {
            return Some(folder.to_path_buf());
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The nearest folder upward that holds a `.git`.
pub(super) fn git_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}
