//! Where to look for engines.

use crate::places::{self, MANAGED, PACKAGED};
use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiergate_model::EngineKind;

/// The surroundings in which engines are looked for. A value, so that tests can make their own.
#[derive(Debug, Clone)]
pub struct Search {
    /// Where the user is: relative paths and `node_modules` folders are looked up from here.
    pub start_directory: PathBuf,
    /// The value of `PATH`.
    pub path_variable: Option<OsString>,
    /// The user's home, in which version managers keep engines.
    pub home: Option<PathBuf>,
    /// More folders that may hold a `node_modules`.
    pub extra_roots: Vec<PathBuf>,
    /// How long an executable may take to say what it is.
    pub probe_limit: Duration,
}

impl Search {
    /// The surroundings of this process.
    ///
    /// # Errors
    /// When the working directory is gone.
    pub fn from_environment() -> io::Result<Self> {
        Ok(Self {
            start_directory: env::current_dir()?,
            path_variable: env::var_os("PATH"),
            home: env::var_os("HOME").map(PathBuf::from),
            extra_roots: Vec::new(),
            probe_limit: crate::PROBE_LIMIT,
        })
    }

    /// Executables that may be an engine of that kind, the first to be tried first, each once.
    pub(crate) fn candidates(&self, kind: EngineKind) -> Vec<PathBuf> {
        let upward = self.start_directory.ancestors().map(Path::to_path_buf);
        let roots = upward.chain(self.extra_roots.iter().cloned());
        let packaged = roots.map(|root| root.join("node_modules")).flat_map(|modules| {
            let installed = places::expand_all(&modules, PACKAGED, kind);
            // Packages put scripts there too; those of the engines' own packages are listed above.
            let link =
                Some(modules.join(".bin").join(kind.name())).filter(|path| places::is_binary(path));
            installed.into_iter().chain(link)
        });
        let managed = self.home.iter().flat_map(|home| places::expand_all(home, MANAGED, kind));
        let mut seen = HashSet::new();
        packaged
            .chain(self.on_path(kind))
            .chain(managed)
            .filter(|path| path.is_file())
            .filter(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())))
            .collect()
    }

    fn on_path(&self, kind: EngineKind) -> Vec<PathBuf> {
        let Some(variable) = &self.path_variable else { return Vec::new() };
        env::split_paths(variable)
            // An empty entry means the working directory to a shell: nobody wants an engine there.
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(|folder| self.start_directory.join(folder).join(kind.name()))
            .collect()
    }

    /// What an engine that is only asked for its version needs.
    pub(crate) fn fixed_variables(&self) -> Vec<(OsString, OsString)> {
        vec![
            ("NO_COLOR".into(), "1".into()),
            // Otherwise Deno asks the network for a newer one.
            ("DENO_NO_UPDATE_CHECK".into(), "1".into()),
        ]
    }

    /// What version managers' shims need to find their engine, and nothing that changes an engine.
    pub(crate) fn shim_variables(&self) -> Vec<(OsString, OsString)> {
        let mut variables = self.fixed_variables();
        variables.extend(self.path_variable.clone().map(|path| ("PATH".into(), path)));
        variables.extend(self.home.clone().map(|home| ("HOME".into(), home.into_os_string())));
        variables
    }
}
