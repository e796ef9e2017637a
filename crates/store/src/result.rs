//! Result files on disk.

use crate::StoreError;
use crate::files::{self, Loaded};
use serde::Deserialize;
use serde_json::error::Category;
use std::collections::BTreeSet;
use std::path::Path;
use tiergate_model::{ResultFile, SCHEMA_VERSION};

/// Reads a result file and checks it.
///
/// # Errors
/// Any fault of the file; none of it is used then.
pub fn read_result(path: impl AsRef<Path>) -> Result<Loaded<ResultFile>, StoreError> {
    let path = path.as_ref();
    parse_result(path, &files::read(path)?)
}

/// Reads a result file from its bytes; `path` is for messages.
///
/// The schema version is looked at before anything else, so that the file of a newer tiergate is
/// refused for that, and not for the first thing in it that this one doesn't know.
///
/// # Errors
/// Any fault of the file; none of it is used then.
pub fn parse_result(path: &Path, bytes: &[u8]) -> Result<Loaded<ResultFile>, StoreError> {
    let not_result =
        |fault: &str| StoreError::NotResult { path: path.to_owned(), fault: fault.to_owned() };
    // Readers of structures take arrays too, by the order of the fields.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(not_result("it holds an array"));
    }
    let probe: Probe =
        serde_json::from_slice(bytes).map_err(|error| json_fault(path, bytes, &error))?;
    let found = probe
        .schema_version
        .ok_or_else(|| not_result("it has no `schema_version`"))?
        .as_u64()
        .ok_or_else(|| not_result("its `schema_version` is no version number"))?;
    if found != u64::from(SCHEMA_VERSION) {
        return Err(StoreError::SchemaVersion { path: path.to_owned(), found });
    }
    let mut unknown = BTreeSet::new();
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let file: ResultFile = serde_ignored::deserialize(&mut reader, |key| {
        unknown.insert(without_indices(&key.to_string()));
    })
    .map_err(|error| json_fault(path, bytes, &error))?;
    file.check().map_err(|fault| StoreError::Damaged { path: path.to_owned(), fault })?;
    let warning = |key| format!("`{}` has the unknown key `{key}`, ignored", path.display());
    Ok(Loaded { value: file, warnings: unknown.into_iter().map(warning).collect() })
}

/// Writes a result file in one step; a reader sees the old content or all of the new one.
///
/// # Errors
/// When the result contradicts itself or the file can't be written; the old content is kept.
pub fn write_result(path: impl AsRef<Path>, result: &ResultFile) -> Result<(), StoreError> {
    let path = path.as_ref();
    result.check().map_err(|fault| StoreError::Unsound { path: path.to_owned(), fault })?;
    let mut text = serde_json::to_vec_pretty(result)
        .map_err(|error| StoreError::Unwritable { path: path.to_owned(), cause: error.into() })?;
    text.push(b'\n');
    files::write(path, &text)
}

/// The one key that every version of the format has.
#[derive(Deserialize)]
struct Probe {
    #[serde(default)]
    schema_version: Option<serde_json::Value>,
}

fn json_fault(path: &Path, bytes: &[u8], error: &serde_json::Error) -> StoreError {
    let path = path.to_owned();
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        Category::Eof => StoreError::CutOff { path, line, column },
        // The parser takes the beginning of a number at the end of the file for a wrong number.
        Category::Syntax if ends_in_a_number(bytes, line, column) => {
            StoreError::CutOff { path, line, column }
        }
        Category::Data => StoreError::NotResult { path, fault: error.to_string() },
        Category::Syntax | Category::Io => StoreError::NotJson { path, fault: error.to_string() },
    }
}

/// Whether the place is the end of the file, and a number has begun there that needs more digits.
fn ends_in_a_number(bytes: &[u8], line: usize, column: usize) -> bool {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    let last_line = bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let begun = matches!(bytes.last(), Some(b'.' | b'e' | b'E' | b'+' | b'-'));
    begun && line == lines && column >= last_line.len()
}

/// A key that every bench has is reported once.
fn without_indices(key: &str) -> String {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> =
        key.split('.').map(|part| if number(part) { "*" } else { part }).collect();
    parts.join(".")
}
