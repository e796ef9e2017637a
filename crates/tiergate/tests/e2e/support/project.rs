//! A project in a temporary folder.

use super::Invocation;
use super::engines::{framework_folder, node};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tiergate_model::{BenchResult, ResultFile};

/// The folder of one test.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// An empty project. A package manifest makes Deno look into `node_modules`.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("tiergate-e2e-").tempdir().unwrap();
        let project = Self { folder };
        project.file("package.json", "{\"name\": \"project\", \"private\": true}\n");
        project
    }

    /// A project whose benches all have the same few ops, so that no sizing run is needed.
    pub(crate) fn with_budget(warmup: u64, ops: u64) -> Self {
        let project = Self::new();
        project.file("tiergate.toml", format!("[bench.\"*\"]\nwarmup = {warmup}\nops = {ops}\n"));
        project
    }

    /// A project with one file of our own API, `a.bench.mjs`, and nothing set by hand.
    pub(crate) fn with_benches(benches: &str) -> Self {
        let project = Self::new();
        project.file("tiergate.toml", "");
        project.file("a.bench.mjs", format!("import {{ bench }} from 'tiergate';\n{benches}"));
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, its folders included.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn remove(&self, name: &str) -> &Self {
        fs::remove_file(self.path(name)).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("`{name}`: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Installs a major of tinybench for the files in a folder, by copying its package.
    pub(crate) fn install_tinybench(&self, folder: &str, major: u32) -> &Self {
        let from = framework_folder("tinybench", major);
        let to = self.path(folder).join("node_modules/tinybench");
        fs::create_dir_all(to.join("dist")).unwrap();
        fs::copy(from.join("package.json"), to.join("package.json")).unwrap();
        for entry in fs::read_dir(from.join("dist")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join("dist").join(entry.file_name())).unwrap();
        }
        self.file(&format!("{folder}/package.json"), "{\"private\": true}\n")
    }

    /// Installs a major of vitest by a link; its own dependencies are found from where it lies.
    pub(crate) fn install_vitest(&self, major: u32) -> &Self {
        let modules = self.path("node_modules");
        fs::create_dir_all(&modules).unwrap();
        symlink(framework_folder("vitest", major), modules.join("vitest")).unwrap();
        self
    }

    /// The binary with a command line, split at spaces.
    pub(crate) fn tiergate(&self, words: &str) -> Invocation<'_> {
        Invocation::new(self).words(words)
    }

    /// A script run by a Node, in the binary's place.
    pub(crate) fn node(&self, major: u32, script: &str) -> Invocation<'_> {
        Invocation::of(self, node(major)).arg(self.path(script))
    }

    /// A result file, as the binary's own reader would take it.
    pub(crate) fn result(&self, name: &str) -> ResultFile {
        let file: ResultFile = serde_json::from_str(&self.read(name))
            .unwrap_or_else(|error| panic!("`{name}` is no result file: {error}"));
        file.check().unwrap_or_else(|fault| panic!("`{name}`: {fault}"));
        file
    }
}

/// The bench whose id ends in `::` and these names.
pub(crate) fn bench_of<'a>(file: &'a ResultFile, names: &str) -> &'a BenchResult {
    let ending = format!("::{names}");
    file.benches.iter().find(|bench| bench.id.as_str().ends_with(&ending)).unwrap_or_else(|| {
        let ids: Vec<&str> = file.benches.iter().map(|bench| bench.id.as_str()).collect();
        panic!("no bench `{names}` in {ids:?}")
    })
}
