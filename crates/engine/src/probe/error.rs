//! Why an executable is not an engine.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why an executable is not an engine.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// There is nothing at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// There is a directory or a device at the path.
    #[error("`{}` is not a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file may not be executed.
    #[error("`{}` is not executable", path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// The system refused to start it, for example because it is for another processor.
    #[error("`{}` can't be started: {source}", path.display())]
    CannotStart {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It did not answer in time.
    #[error("`{}` did not say its version within {} s", path.display(), limit.as_secs_f64())]
    TimedOut {
        /// The path.
        path: PathBuf,
        /// How long it had.
        limit: Duration,
    },
    /// It ended with an error or a signal.
    #[error("`{}` is no engine that works: asked for its version it {ending}{}", path.display(), quoted(message))]
    Failed {
        /// The path.
        path: PathBuf,
        /// How it ended, in words that follow "it".
        ending: String,
        /// The first line that it printed to standard error.
        message: String,
    },
    /// It ended well, but said something else.
    #[error("`{}` is no known engine: asked for its version it printed `{output}`", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The beginning of what it printed.
        output: String,
    },
    /// A shim named an executable that is not there.
    #[error("`{}` starts `{}`, which does not exist", path.display(), executable.display())]
    ExecutableMissing {
        /// The shim.
        path: PathBuf,
        /// What the engine says it is.
        executable: PathBuf,
    },
    /// The executable's bytes can't be read.
    #[error("`{}` can't be read: {source}", path.display())]
    CannotRead {
        /// The executable.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

fn quoted(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(" (`{message}`)") }
}
