//! A project in a git repository.

use super::{Invocation, Project};
use std::path::PathBuf;
use std::process::Command;

/// What the tests leave in the folder beside the project.
const IGNORED: &str =
    "script*.json\nsaved*.json\nstdout\nstderr\nsaved*/\nignored/\nnode_modules/\n";

/// A repository whose first commit has the project's files.
pub(crate) struct Repository {
    project: Project,
}

impl Repository {
    /// Makes a repository of a project.
    pub(crate) fn of(project: Project) -> Self {
        let repository = Self { project };
        repository.file(".gitignore", IGNORED).file("README.md", "# Project\n");
        repository.git("init --quiet --initial-branch=main").commit("first");
        repository
    }

    /// A library whose function `work` has so many steps, with a bench for it and one for a
    /// function that never changes.
    pub(crate) fn with_library(steps: u32) -> Self {
        let repository = Self::of(Project::with_budget(3_000, 500));
        repository.library(steps);
        repository.file(
            "bench/lib.bench.mjs",
            "import { bench } from 'tiergate';\nimport { twin, work } from '../src/lib.mjs';\n\
             bench('work', work);\nbench('twin', twin);\n",
        );
        repository.commit("library");
        repository
    }

    pub(crate) fn library(&self, steps: u32) -> &Self {
        self.file(
            "src/lib.mjs",
            format!(
                "const mix = (steps) => {{\n  let hash = 17;\n  for (let i = 0; i < steps; i++) \
                 hash = (hash * 31 + (i ^ (hash >>> 7))) | 0;\n  return hash;\n}};\n\
                 export const work = () => mix({steps});\nexport const twin = () => mix(1000);\n"
            ),
        )
    }

    pub(crate) fn project(&self) -> &Project {
        &self.project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project.path(name)
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        self.project.file(name, text);
        self
    }

    /// Runs git with a command line, split at spaces.
    pub(crate) fn git(&self, words: &str) -> &Self {
        self.git_says(words);
        self
    }

    pub(crate) fn git_says(&self, words: &str) -> String {
        let output = git(self.project.root()).args(words.split_whitespace()).output().unwrap();
        assert!(
            output.status.success(),
            "git {words}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.git("add --all").git(&format!("commit --quiet --message {message}"))
    }

    pub(crate) fn tiergate(&self, words: &str) -> Invocation<'_> {
        self.project.tiergate(words)
    }

    /// All that git knows and that lies in the work tree: a gate must not change any of it.
    pub(crate) fn state(&self) -> String {
        let files = ["status --porcelain --ignored", "worktree list", "show-ref", "stash list"];
        let mut state: Vec<String> = files.iter().map(|words| self.git_says(words)).collect();
        let index = std::fs::read(self.path(".git/index")).unwrap();
        state.push(format!("{} bytes of index", index.len()));
        state.join("\n")
    }
}

/// Git with a fixed identity and none of this machine's settings.
pub(crate) fn git(folder: &std::path::Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
        .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]);
    command
}
