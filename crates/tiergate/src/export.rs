//! `--export KIND=FILE`.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use tiergate_model::ExitStatus;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Markdown,
}

/// Files that a report is written to.
pub(crate) struct Exports(Vec<(Kind, PathBuf)>);

impl Exports {
    /// Reads the options and opens every file, so that a wrong path is known before measuring.
    pub(crate) fn parse(texts: &[String]) -> Result<Self, Failure> {
        let exports = texts.iter().map(|text| {
            let (kind, path) = text.split_once('=').unwrap_or((text, ""));
            let kind = match kind {
                "json" => Kind::Json,
                "markdown" => Kind::Markdown,
                _ => return Err(malformed(text)),
            };
            if path.is_empty() {
                return Err(malformed(text));
            }
            let path = PathBuf::from(path);
            std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)
                .map_err(|error| unwritable(&path, &error))?;
            Ok((kind, path))
        });
        Ok(Self(exports.collect::<Result<_, Failure>>()?))
    }

    /// Writes the report in the asked-for formats.
    pub(crate) fn write(&self, json: &str, markdown: &str) -> Result<(), Failure> {
        for (kind, path) in &self.0 {
            let text = match kind {
                Kind::Json => json,
                Kind::Markdown => markdown,
            };
            std::fs::write(path, text).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn malformed(text: &str) -> Failure {
    Failure::usage(format!("`--export {text}` is not understood"))
        .hint("write `--export json=FILE` or `--export markdown=FILE`")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ExitStatus::Usage, format!("can't write `{}`: {error}", path.display()))
}
