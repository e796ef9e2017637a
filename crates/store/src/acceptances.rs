//! `tiergate.accepted.toml`: increases that the project has accepted, kept in the repository.

use crate::StoreError;
use crate::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use tiergate_model::BenchId;

const HEADING: &str = "\
# Written by `tiergate accept`. An entry holds for one base: once the base has moved on, it is
# ignored, and can be deleted.
";

/// One accepted increase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// Why.
    pub reason: String,
    /// What the base was: a commit's hash, or a package and its version.
    pub base: String,
    /// The increase in percent; absent for a bench that is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_percent: Option<f64>,
}

/// All accepted increases, by bench.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Acceptances(pub BTreeMap<BenchId, Acceptance>);

impl Acceptances {
    /// Reads them; a file that does not exist has none.
    ///
    /// # Errors
    /// When the file can't be read or understood.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let bytes = match files::read(path) {
            Err(StoreError::Missing { .. }) => return Ok(Self::default()),
            other => other?,
        };
        let fault = |fault: String| StoreError::Acceptances { path: path.to_owned(), fault };
        let text = std::str::from_utf8(&bytes).map_err(|error| fault(error.to_string()))?;
        toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
            });
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            fault(format!("line {line}: {message}"))
        })
    }

    /// Writes them in one step.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let table = toml::to_string(self).map_err(|error| StoreError::Unwritable {
            path: path.to_owned(),
            cause: std::io::Error::other(error),
        })?;
        files::write(path, format!("{HEADING}\n{table}").as_bytes())
    }
}
