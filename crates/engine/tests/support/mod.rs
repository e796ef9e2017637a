//! Fake engines in temporary folders, and the real ones where they are installed.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each test binary uses its part; fixtures fail by panicking and say what they skip"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;
use tiergate_engine::{Engine, Search, find, find_all};
use tiergate_model::EngineSpec;

/// A folder with a project, a home and a `PATH` of its own.
pub(crate) struct Scene {
    folder: TempDir,
    pub(crate) search: Search,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["project/deep", "home", "bin"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let search = Search {
            start_directory: root.join("project/deep"),
            path_variable: Some(root.join("bin").into_os_string()),
            home: Some(root.join("home")),
            extra_roots: Vec::new(),
            probe_limit: Duration::from_secs(20),
        };
        Self { folder, search }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    /// Writes an executable shell script.
    pub(crate) fn script(&self, relative: &str, body: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Another process writes the file: one that this process has open for writing when
        // another test's thread forks can't be executed.
        let written = Command::new("/bin/sh")
            .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&path)
            .arg(body)
            .status()
            .unwrap();
        assert!(written.success());
        path
    }

    /// A script that answers like an engine that is itself the executable.
    pub(crate) fn engine(&self, relative: &str, kind: &str, version: &str) -> PathBuf {
        let path = self.path(relative);
        self.script(relative, &answer(kind, version, &path))
    }

    pub(crate) fn find(&self, spec: &str) -> Result<Engine, tiergate_engine::FindError> {
        find(&spec.parse().unwrap(), &self.search)
    }
}

/// What a fake engine's script does to answer.
pub(crate) fn answer(kind: &str, version: &str, executable: &Path) -> String {
    let versions = match kind {
        "bun" => format!(r#""node":"26.3.0","bun":"{version}","webkit":"abc","v8":"14.0.0""#),
        kind => format!(r#""{kind}":"{version}","v8":"13.0.0""#),
    };
    format!("echo 'tiergate-engine {{{versions},\"executable\":\"{}\"}}'", executable.display())
}

pub(crate) fn make_plain_file(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "text").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Finds the pinned engines and no others.
pub(crate) fn search() -> Search {
    Search {
        start_directory: PathBuf::from("/"),
        path_variable: None,
        home: None,
        extra_roots: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")],
        probe_limit: Duration::from_secs(60),
    }
}

/// The pinned engine of that name; `None`, and a line that says so, when it is not installed.
pub(crate) fn real(spec: &str) -> Option<Engine> {
    static INSTALLED: LazyLock<Vec<Engine>> = LazyLock::new(|| find_all(&search()).engines);
    let spec: EngineSpec = spec.parse().unwrap();
    let found = INSTALLED.iter().find(|engine| match &spec {
        EngineSpec::Version(kind, version) => {
            engine.kind == *kind && engine.version.begins_with(version)
        }
        EngineSpec::Kind(kind) => engine.kind == *kind,
        EngineSpec::Path(_) => false,
    });
    if found.is_none() {
        eprintln!("SKIPPED: no `{spec}` is installed; run `npm ci` in `tests/`");
    }
    found.cloned()
}

/// All pinned engines that are installed.
pub(crate) fn all_real() -> Vec<Engine> {
    ["node@20", "node@22", "node@24", "node@26", "bun@1.4", "deno@2.9"]
        .into_iter()
        .filter_map(real)
        .collect()
}
