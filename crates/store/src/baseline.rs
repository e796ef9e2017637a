//! Named result files below the project's root.

use crate::files::Loaded;
use crate::{StoreError, read_result, write_result};
use std::fs;
use std::path::{Path, PathBuf};
use tiergate_model::ResultFile;

/// Longer names meet the limits of file systems.
const LONGEST_NAME: usize = 64;

/// The baselines of a project: `.tiergate/baselines/NAME.json` below its root.
#[derive(Debug, Clone)]
pub struct Baselines {
    folder: PathBuf,
}

impl Baselines {
    /// The baselines below a project's root.
    pub fn below(root: impl AsRef<Path>) -> Self {
        Self { folder: root.as_ref().join(".tiergate").join("baselines") }
    }

    /// Where a baseline is or would be.
    ///
    /// # Errors
    /// When the name can't be a file's on every system, or could lead out of the folder.
    pub fn path(&self, name: &str) -> Result<PathBuf, StoreError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let sound = name.len() <= LONGEST_NAME
            && name.bytes().all(plain)
            && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if sound {
            Ok(self.folder.join(format!("{name}.json")))
        } else {
            Err(StoreError::BaselineName { name: name.to_owned() })
        }
    }

    /// The names of all baselines, sorted; empty when none was ever saved.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|file| Some(file.strip_suffix(".json")?.to_owned()))
            .filter(|name| self.path(name).is_ok())
            .collect();
        names.sort();
        names
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// When the name is none, no such baseline was saved, or its file has a fault.
    pub fn read(&self, name: &str) -> Result<Loaded<ResultFile>, StoreError> {
        match read_result(self.path(name)?) {
            Err(StoreError::Missing { .. }) => {
                Err(StoreError::MissingBaseline { name: name.to_owned(), known: self.names() })
            }
            other => other,
        }
    }

    /// Saves a baseline, in the place of an older one of that name, and says where.
    ///
    /// # Errors
    /// When the name is none or the file can't be written.
    pub fn save(&self, name: &str, result: &ResultFile) -> Result<PathBuf, StoreError> {
        let path = self.path(name)?;
        fs::create_dir_all(&self.folder)
            .map_err(|cause| StoreError::Unwritable { path: path.clone(), cause })?;
        write_result(&path, result)?;
        Ok(path)
    }
}
