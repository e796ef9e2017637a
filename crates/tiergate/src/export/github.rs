//! What GitHub Actions tells its steps.

use super::malformed;
use crate::failure::Failure;
use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file whose contents the step's page shows.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Whether this is a step of a job there.
pub(super) fn is_action() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The file of `--export github`, or of `--export github=FILE`.
pub(super) fn summary_file(text: &str, file: &str) -> Result<PathBuf, Failure> {
    match (file, env::var_os(SUMMARY).filter(|path| !path.is_empty())) {
        ("", _) if text.contains('=') => Err(malformed(format!("`--export {text}` names no file"))),
        ("-", _) => Err(malformed(format!("`--export {text}`: the summary is a file"))),
        ("", Some(path)) => Ok(PathBuf::from(path)),
        ("", None) => Err(Failure::usage(format!("`--export github`: `{SUMMARY}` is not set"))
            .hint("GitHub Actions sets it; elsewhere, name a file: `--export github=FILE`")),
        (file, _) => Ok(PathBuf::from(file)),
    }
}

/// Where the root lies in the work space: annotations name files from there.
pub(super) fn folder_of(root: &Path) -> String {
    let workspace = env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    let below = workspace.and_then(|workspace| {
        let (root, workspace) = (root.canonicalize().ok()?, workspace.canonicalize().ok()?);
        root.strip_prefix(workspace).ok().map(|path| path.to_string_lossy().into_owned())
    });
    below.unwrap_or_default()
}

/// Adds a report to the summary of the step, in which others may stand already.
pub(super) fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let gap = if file.metadata()?.len() > 0 { "\n" } else { "" };
    file.write_all(format!("{gap}{text}").as_bytes())
}
