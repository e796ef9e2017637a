//! The files that a step shares with its process.

use crate::Fault;
use std::path::{Path, PathBuf};

/// A folder of one process's own, removed with it. Its name has the same length each time.
pub(super) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(super) fn new() -> Result<Self, Fault> {
        tempfile::Builder::new()
            .prefix("tiergate-")
            .rand_bytes(8)
            .tempdir()
            .map(Self)
            .map_err(|source| scratch_fault(&std::env::temp_dir(), source))
    }

    pub(super) fn directory(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

pub(super) fn scratch_fault(path: &Path, source: std::io::Error) -> Fault {
    Fault::Scratch { path: path.display().to_string(), source }
}
