//! Where the trees of a gate lie: a folder of the user's cache, one for each project, in it a slot
//! for each gate that runs at the same time. Base and head have paths of equal length there.

use crate::CheckoutError;
use crate::copy::{create_folder, remove_tree};
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tiergate_model::Side;

/// Gates of one project that can run at a time.
const SLOTS: usize = 16;

/// Builds and installations that are kept of a project.
const KEPT: usize = 8;

/// A slot, held until it is dropped.
#[derive(Debug)]
pub struct Scratch {
    project: PathBuf,
    slot: PathBuf,
    _held: Flock<File>,
}

impl Scratch {
    /// Takes a free slot of a project in the first of the cache folders that can be written to.
    ///
    /// # Errors
    /// When no folder can be written to.
    pub fn open(caches: &[PathBuf], project: &Path) -> Result<Self, CheckoutError> {
        let mut last = None;
        for cache in caches {
            match Self::open_in(cache, project) {
                Ok(scratch) => return Ok(scratch),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| CheckoutError::Io {
            action: "find",
            path: "a cache folder".into(),
            cause: std::io::ErrorKind::NotFound.into(),
        }))
    }

    fn open_in(cache: &Path, project: &Path) -> Result<Self, CheckoutError> {
        let folder = Self::of_project(cache, project);
        create_folder(&folder)?;
        let folder = folder.canonicalize().map_err(CheckoutError::io("read", &folder))?;
        for number in 0..SLOTS {
            // Two digits: all slots' paths are equally long.
            let slot = folder.join(format!("{number:02}"));
            create_folder(&slot)?;
            let lock = slot.join("lock");
            let file = File::options()
                .create(true)
                .append(true)
                .open(&lock)
                .map_err(CheckoutError::io("write", &lock))?;
            if let Ok(held) = Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                let scratch = Self { project: folder, slot, _held: held };
                scratch.clear()?;
                return Ok(scratch);
            }
        }
        Err(CheckoutError::Io {
            action: "use",
            path: folder,
            cause: std::io::Error::other("too many gates of this project run at the same time"),
        })
    }

    /// The folder of a project in a cache.
    pub fn of_project(cache: &Path, project: &Path) -> PathBuf {
        let hash = blake3::hash(project.as_os_str().as_bytes()).to_hex();
        cache.join("tiergate").join("gate").join(&hash[..16])
    }

    /// The folder of a side's tree.
    pub fn tree(&self, side: Side) -> PathBuf {
        self.slot.join(match side {
            Side::Base => "base",
            Side::Head => "head",
        })
    }

    /// The slot itself, above both trees.
    pub fn slot(&self) -> &Path {
        &self.slot
    }

    /// Where results are kept when nothing else is asked for.
    pub fn results(&self) -> PathBuf {
        self.slot.join("results")
    }

    /// The folder of the cache that holds all of tiergate's.
    pub fn cache(&self) -> &Path {
        self.project.ancestors().nth(2).unwrap_or(&self.project)
    }

    /// A file for git's use.
    pub fn index(&self) -> PathBuf {
        self.slot.join("index")
    }

    /// A folder that keeps something under a key, if it is there.
    pub(crate) fn kept(&self, kind: &str, key: &str) -> Option<PathBuf> {
        let folder = self.project.join(kind).join(key);
        folder.is_dir().then_some(folder)
    }

    /// Keeps what `fill` writes into a folder under a key, and forgets the oldest ones.
    pub(crate) fn keep(
        &self,
        kind: &str,
        key: &str,
        fill: impl FnOnce(&Path) -> Result<(), CheckoutError>,
    ) -> Result<PathBuf, CheckoutError> {
        let (folder, fresh) = (self.project.join(kind).join(key), self.slot.join("fresh"));
        remove_tree(&fresh)?;
        create_folder(&fresh)?;
        create_folder(&self.project.join(kind))?;
        fill(&fresh)?;
        // Another gate may have been faster, with the same content.
        if fs::rename(&fresh, &folder).is_err() && !folder.is_dir() {
            fs::rename(&fresh, &folder).map_err(CheckoutError::io("write", &folder))?;
        }
        self.forget_oldest(kind, key);
        Ok(folder)
    }

    fn forget_oldest(&self, kind: &str, key: &str) {
        let entries = fs::read_dir(self.project.join(kind)).into_iter().flatten().flatten();
        let mut kept: Vec<(SystemTime, PathBuf)> = entries
            .filter(|entry| entry.file_name() != key)
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        kept.sort();
        kept.reverse();
        for (_, old) in kept.into_iter().skip(KEPT - 1) {
            // Only room is lost when it stays.
            let _ = fs::remove_dir_all(old);
        }
    }

    /// Removes both trees and what else belongs to them; results stay.
    fn clear(&self) -> Result<(), CheckoutError> {
        for name in ["base", "head", "node_modules", "fresh", "package"] {
            let path = self.slot.join(name);
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
                fs::remove_file(&path).map_err(CheckoutError::io("remove", &path))?;
            } else {
                remove_tree(&path)?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What can't be removed now is removed by the next gate.
        let _ = self.clear();
    }
}
