//! How the files of a suite are run, where that differs from one file to the next.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What runs a bench file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Runner {
    /// The engine, as its main module.
    #[default]
    Engine,
    /// The vitest that is installed for it, in a process that vitest starts.
    Vitest,
}

/// How a bench file is run; what is absent is as for every file of the run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Suite {
    /// The working directory.
    pub directory: Option<PathBuf>,
    /// What runs it.
    pub runner: Runner,
    /// Variables of its own.
    pub variables: BTreeMap<String, String>,
}
