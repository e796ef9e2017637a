//! What a tree holds, as hashes.

use crate::CheckoutError;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders whose content is accounted for otherwise, or is none of the project's.
const LEFT_OUT: [&str; 2] = [".git", "node_modules"];

/// The hashes of a tree's files, by their paths below its top.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Digests(BTreeMap<PathBuf, blake3::Hash>);

impl Digests {
    /// The paths at which two trees differ, those included that only one of them has.
    pub fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Path> {
        let here = self.0.iter().filter(|(path, hash)| other.0.get(*path) != Some(*hash));
        let there = other.0.keys().filter(|path| !self.0.contains_key(*path));
        here.map(|(path, _)| path).chain(there).map(PathBuf::as_path)
    }

    /// One hash over all of it.
    pub fn whole(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, hash) in &self.0 {
            hasher.update(path.as_os_str().as_bytes());
            hasher.update(&[0]);
            hasher.update(hash.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The paths that only one of two trees has.
    pub fn one_sided<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Path> {
        let here = self.0.keys().filter(|path| !other.0.contains_key(*path));
        let there = other.0.keys().filter(|path| !self.0.contains_key(*path));
        here.chain(there).map(PathBuf::as_path)
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }
}

/// Hashes every file and link of a tree; `node_modules` and `.git` are left out.
///
/// # Errors
/// When something can't be read.
pub fn digest_tree(top: &Path) -> Result<Digests, CheckoutError> {
    let mut digests = Digests::default();
    add(top, Path::new(""), &mut digests)?;
    Ok(digests)
}

fn add(top: &Path, below: &Path, digests: &mut Digests) -> Result<(), CheckoutError> {
    let folder = top.join(below);
    for entry in fs::read_dir(&folder).map_err(CheckoutError::io("read", &folder))? {
        let entry = entry.map_err(CheckoutError::io("read", &folder))?;
        let (name, path) = (entry.file_name(), entry.path());
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let kind = entry.file_type().map_err(CheckoutError::io("read", &path))?;
        let relative = below.join(&name);
        if kind.is_dir() {
            add(top, &relative, digests)?;
        } else {
            digests.0.insert(relative, digest(&path, kind.is_symlink())?);
        }
    }
    Ok(())
}

fn digest(path: &Path, link: bool) -> Result<blake3::Hash, CheckoutError> {
    let mut hasher = blake3::Hasher::new();
    if link {
        let target = fs::read_link(path).map_err(CheckoutError::io("read", path))?;
        hasher.update(b"link ");
        hasher.update(target.as_os_str().as_bytes());
    } else {
        let file = File::open(path).map_err(CheckoutError::io("read", path))?;
        hasher.update_reader(file).map_err(CheckoutError::io("read", path))?;
    }
    Ok(hasher.finalize())
}
