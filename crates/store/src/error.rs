//! What can go wrong between tiergate and its files.

use std::io;
use std::path::PathBuf;
use tiergate_model::{ExitStatus, ResultFileFault, SCHEMA_VERSION};

/// A file that can't be read, trusted or written. Each message is one line that names the file and
/// the fault; [`StoreError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No file is there.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// The file is there and can't be read.
    #[error("can't read `{}`: {cause}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A directory stands where a file was named.
    #[error("`{}` is a directory, not a file", path.display())]
    Directory {
        /// The path as given.
        path: PathBuf,
    },
    /// More bytes than any run writes.
    #[error("`{}` is larger than {limit_mib} MiB, which no file of tiergate is", path.display())]
    TooLarge {
        /// The path as given.
        path: PathBuf,
        /// The limit, in MiB.
        limit_mib: u64,
    },
    /// The file ends in the middle.
    #[error("`{}` is cut off at line {line}, column {column}", path.display())]
    CutOff {
        /// The path as given.
        path: PathBuf,
        /// Where it ends, from 1; 0 for an empty file.
        line: usize,
        /// Where it ends in that line.
        column: usize,
    },
    /// The file is no JSON.
    #[error("`{}` is not JSON: {fault}", path.display())]
    NotJson {
        /// The path as given.
        path: PathBuf,
        /// What the parser said, with the place.
        fault: String,
    },
    /// The file is JSON of another kind.
    #[error("`{}` is not a result file: {fault}", path.display())]
    NotResult {
        /// The path as given.
        path: PathBuf,
        /// What is missing or unexpected.
        fault: String,
    },
    /// A file that should say how a gate came about, and does not.
    #[error("`{}` is not the record of a gate: {fault}", path.display())]
    NotGate {
        /// The path as given.
        path: PathBuf,
        /// What is missing or unexpected.
        fault: String,
    },
    /// Accepted increases that can't be understood.
    #[error("`{}` is damaged: {fault}", path.display())]
    Acceptances {
        /// The path as given.
        path: PathBuf,
        /// Where and what.
        fault: String,
    },
    /// Written by a tiergate with another format.
    #[error(
        "`{}` has schema version {found}, this tiergate reads version {SCHEMA_VERSION}",
        path.display()
    )]
    SchemaVersion {
        /// The path as given.
        path: PathBuf,
        /// The version in the file.
        found: u64,
    },
    /// A result file whose content contradicts itself.
    #[error("`{}` is damaged: {fault}", path.display())]
    Damaged {
        /// The path as given.
        path: PathBuf,
        /// The first fault found.
        fault: ResultFileFault,
    },
    /// A result that a reader would refuse; nothing was written.
    #[error("can't write `{}`: the result contradicts itself: {fault}", path.display())]
    Unsound {
        /// The path as given.
        path: PathBuf,
        /// The first fault found.
        fault: ResultFileFault,
    },
    /// The file can't be written; what was there before is still there.
    #[error("can't write `{}`: {cause}", path.display())]
    Unwritable {
        /// The path as given.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A device, pipe or directory stands where a file is to be written.
    #[error("can't write `{}`: it is not a regular file", path.display())]
    NotRegular {
        /// The path as given.
        path: PathBuf,
    },
    /// A name that can't be a file's.
    #[error("`{name}` is not a baseline name")]
    BaselineName {
        /// The name as given.
        name: String,
    },
    /// A baseline that was never saved.
    #[error("baseline `{name}` does not exist")]
    MissingBaseline {
        /// The name as given.
        name: String,
        /// The baselines that do.
        known: Vec<String>,
    },
    /// A lock that is no TOML.
    #[error("`{}` is damaged at line {line}: {fault}", path.display())]
    LockSyntax {
        /// The path as given.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What the parser said.
        fault: String,
    },
    /// A lock with an entry that can't be used.
    #[error("`{}` is damaged: {entry}: {fault}", path.display())]
    LockEntry {
        /// The path as given.
        path: PathBuf,
        /// The entry, as the file writes it.
        entry: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A lock of another version.
    #[error("`{}` has lock version {found}, this tiergate reads version {known}", path.display())]
    LockVersion {
        /// The path as given.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The version that can be read.
        known: i64,
    },
}

impl StoreError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Missing { .. } => "`tiergate run --save FILE` writes a result file".to_owned(),
            Self::Unreadable { .. } | Self::TooLarge { .. } => return None,
            Self::Directory { .. } => "name a file in it".to_owned(),
            Self::CutOff { .. } => {
                "it was not written to its end or not copied whole; copy it again or run again"
                    .to_owned()
            }
            Self::NotJson { .. } | Self::NotResult { .. } => {
                "name a file that `tiergate run --save FILE` wrote".to_owned()
            }
            Self::NotGate { .. } => {
                "name a folder that `tiergate gate --save FOLDER` wrote, with this tiergate"
                    .to_owned()
            }
            Self::Acceptances { .. } => {
                "repair that place, or delete the entry and accept again".to_owned()
            }
            Self::SchemaVersion { found, .. } if *found > u64::from(SCHEMA_VERSION) => {
                "update tiergate, or measure again with this one".to_owned()
            }
            Self::SchemaVersion { .. } => "measure again with this tiergate".to_owned(),
            Self::Damaged { .. } => "measure again; result files are not to be edited".to_owned(),
            Self::Unsound { .. } => "this is a bug in tiergate, please report it".to_owned(),
            Self::Unwritable { cause, .. } => match cause.kind() {
                io::ErrorKind::NotFound => "create its folder first".to_owned(),
                _ => "nothing was changed; name a file in another folder".to_owned(),
            },
            Self::NotRegular { .. } => "name a file in a folder".to_owned(),
            Self::BaselineName { .. } => {
                "use up to 64 letters, digits, `.`, `-` and `_`, with a letter or digit first"
                    .to_owned()
            }
            Self::MissingBaseline { name, known } if known.is_empty() => {
                format!("`tiergate run --save-baseline {name}` writes it")
            }
            Self::MissingBaseline { known, .. } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                format!("there are {}", known.join(", "))
            }
            Self::LockSyntax { .. } | Self::LockEntry { .. } => {
                "repair that place, or delete the file to calibrate again".to_owned()
            }
            Self::LockVersion { found, known, .. } if found > known => "update tiergate".to_owned(),
            Self::LockVersion { .. } => "delete the file to calibrate again".to_owned(),
        };
        Some(hint)
    }

    /// How a command ends on it: with a wrong question (64) when the named file is not there or
    /// can't be used as one, or when the lock, which is configuration, is wrong; as incomplete (4)
    /// when a file is cut off or can't be written; as not comparable (2) when a file is whole and
    /// can't be trusted.
    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Self::Missing { .. }
            | Self::Unreadable { .. }
            | Self::Directory { .. }
            | Self::NotRegular { .. }
            | Self::BaselineName { .. }
            | Self::MissingBaseline { .. }
            | Self::LockSyntax { .. }
            | Self::LockEntry { .. }
            | Self::LockVersion { .. }
            | Self::Acceptances { .. } => ExitStatus::Usage,
            Self::CutOff { .. } | Self::Unsound { .. } | Self::Unwritable { .. } => {
                ExitStatus::Incomplete
            }
            Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::NotResult { .. }
            | Self::NotGate { .. }
            | Self::SchemaVersion { .. }
            | Self::Damaged { .. } => ExitStatus::NotComparable,
        }
    }
}
