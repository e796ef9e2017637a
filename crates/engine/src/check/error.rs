//! Why an engine does not run with its flags.

use crate::{FlagOrigin, PROBE_LIMIT};
use std::io;
use std::path::PathBuf;

/// Why an engine does not run with its flags.
#[derive(Debug, thiserror::Error)]
pub enum FlagError {
    /// It does not know a flag, or not its value.
    #[error("{engine} refuses `{flag}`, {origin}: {message}")]
    Refused {
        /// Kind and version.
        engine: String,
        /// The flag.
        flag: String,
        /// Who asked for it.
        origin: FlagOrigin,
        /// The engine's own words.
        message: String,
    },
    /// Each flag alone is taken, but not all together.
    #[error("{engine} refuses `{flags}` together: {message}")]
    RefusedTogether {
        /// Kind and version.
        engine: String,
        /// The flags.
        flags: String,
        /// The engine's own words.
        message: String,
    },
    /// It fails without any flag too, by a fault of the folder's own settings for example.
    #[error("{engine} can't run an empty program in `{}`: {message}", directory.display())]
    FailsAnyway {
        /// Kind and version.
        engine: String,
        /// Where it was run.
        directory: PathBuf,
        /// The engine's own words.
        message: String,
    },
    /// With these flags it does not even end an empty program.
    #[error("{engine} does not end an empty program with `{flags}` within {} s", PROBE_LIMIT.as_secs())]
    TimedOut {
        /// Kind and version.
        engine: String,
        /// The flags.
        flags: String,
    },
    /// It can't be started or read.
    #[error("`{}` can't be run: {source}", path.display())]
    CannotRun {
        /// The executable.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl FlagError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            // Deno's own parser of options says so; V8's has other words.
            Self::Refused { message, .. } if message.contains("unexpected argument") => Some(
                "Deno takes V8's flags as one option, for example `--v8-flags=--no-opt,--trace-gc`",
            ),
            Self::Refused { origin: FlagOrigin::Profile(_), .. } => Some(
                "this version of the engine is newer than the profile: use another version, or the profile `default`",
            ),
            Self::Refused { .. } | Self::RefusedTogether { .. } | Self::TimedOut { .. } => {
                Some("flags come and go with versions: remove it, or use a version that knows it")
            }
            Self::FailsAnyway { .. } | Self::CannotRun { .. } => None,
        }
    }
}
