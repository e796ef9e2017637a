//! Why there is no tree to measure.

use std::io;
use std::path::{Path, PathBuf};
use tiergate_model::ExitStatus;

/// Why a side can't be put together. Each message names the thing; [`CheckoutError::hint`] says
/// what to do.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// There is no `git` to ask.
    #[error("`git` was not found in PATH")]
    NoGit,
    /// The folder belongs to no repository.
    #[error("`{}` is not in a git repository", folder.display())]
    NotARepository {
        /// The folder.
        folder: PathBuf,
    },
    /// A name that leads to no commit here.
    #[error("the base or head `{name}` is not in this repository{}", shallow_note(*shallow))]
    UnknownRef {
        /// The name as given.
        name: String,
        /// Whether the clone has only a part of the history.
        shallow: bool,
    },
    /// Two commits without a common ancestor here.
    #[error("`{base}` and `{head}` have no common commit here{}", shallow_note(*shallow))]
    NoMergeBase {
        /// The base as given.
        base: String,
        /// The head.
        head: String,
        /// Whether the clone has only a part of the history.
        shallow: bool,
    },
    /// A submodule whose recorded commit is not there.
    #[error("the submodule `{path}` has no commit {commit} here")]
    Submodule {
        /// Where it lies.
        path: String,
        /// The commit that the tree records.
        commit: String,
    },
    /// Git said no.
    #[error("`git {command}` failed: {message}")]
    Git {
        /// Its first arguments.
        command: String,
        /// What it said.
        message: String,
    },
    /// A file or folder can't be read or written.
    #[error("can't {action} `{}`: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The project's own command failed.
    #[error("{what} of {side} failed: `{command}` {ending}")]
    Command {
        /// `the build` or `the installation`.
        what: &'static str,
        /// `base` or `head`.
        side: String,
        /// The command as it was run.
        command: String,
        /// How it ended.
        ending: String,
    },
    /// An npm package that can't be had.
    #[error("`npm:{package}` can't be installed: {message}")]
    Package {
        /// Name and version as given.
        package: String,
        /// What npm said.
        message: String,
    },
    /// The user or the system asked to stop.
    #[error("interrupted while {0}")]
    Interrupted(&'static str),
}

fn shallow_note(shallow: bool) -> &'static str {
    if shallow { ": this is a shallow clone, which lacks most of the history" } else { "" }
}

impl CheckoutError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { action, path, cause }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoGit => {
                "install git, or compare with a file: `--base-file FILE`, `--base-baseline NAME`"
            }
            Self::NotARepository { .. } => {
                "run it in a clone, or compare with a file: `--base-file FILE`, `--base-baseline NAME`"
            }
            Self::UnknownRef { shallow: true, .. } | Self::NoMergeBase { shallow: true, .. } => {
                "fetch the history: `git fetch --unshallow origin`, or `fetch-depth: 0` for \
                 `actions/checkout`, or `GIT_DEPTH: 0` on GitLab"
            }
            Self::UnknownRef { name, .. } => {
                return Some(format!(
                    "fetch it: `git fetch origin {name}`; `git branch -a` lists what is there"
                ));
            }
            Self::NoMergeBase { .. } => "name a base that head was made from",
            Self::Submodule { path, .. } => {
                return Some(format!(
                    "fetch it: `git submodule update --init {path}`, `git -C {path} fetch`"
                ));
            }
            Self::Git { message, .. } if message.contains("dubious ownership") => {
                "the repository belongs to another user: `git config --global --add safe.directory PATH`"
            }
            Self::Io { cause, .. } if is_full(cause) => {
                "make room, or set `XDG_CACHE_HOME` to a folder on a larger disk; nothing of the project was changed"
            }
            Self::Io { cause, .. } if cause.kind() == io::ErrorKind::PermissionDenied => {
                "set `XDG_CACHE_HOME` to a folder that can be written to"
            }
            Self::Command { what, .. } if *what == "the build" => {
                "it runs in a copy of the project without `.git` and without ignored files; its output is above; `[build] command` in `tiergate.toml` sets it"
            }
            Self::Command { .. } => {
                "its output is above; `[build] install` in `tiergate.toml` sets another command"
            }
            Self::Package { .. } => "check name and version with `npm view PACKAGE versions`",
            Self::Git { .. } | Self::Io { .. } | Self::Interrupted(_) => return None,
        };
        Some(hint.to_owned())
    }

    /// How a command ends on it.
    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Self::Interrupted(_) => ExitStatus::Interrupted,
            _ => ExitStatus::Incomplete,
        }
    }
}

fn is_full(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
