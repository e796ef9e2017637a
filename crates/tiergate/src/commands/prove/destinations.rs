//! Where the evidence goes beside standard output.

use crate::failure::Failure;
use crate::output;
use std::fs;
use std::path::{Path, PathBuf};
use tiergate_model::Evidence;
use tiergate_report::evidence_html;

/// Files that the user named.
#[derive(Default)]
pub(super) struct Destinations {
    html: Option<PathBuf>,
    trace: Option<PathBuf>,
}

impl Destinations {
    pub(super) fn parse(exports: &[String]) -> Result<Self, Failure> {
        let mut parsed = Self::default();
        for text in exports {
            match text.split_once('=') {
                Some(("html", file)) if !file.is_empty() => parsed.html = Some(file.into()),
                Some(("trace", file)) if !file.is_empty() => parsed.trace = Some(file.into()),
                _ => {
                    return Err(Failure::usage(format!("`--export {text}` is none of its kinds"))
                        .hint("write `--export html=FILE` or `--export trace=FILE`"));
                }
            }
        }
        Ok(parsed)
    }

    pub(super) fn trace(&self, text: &str) -> Result<(), Failure> {
        self.trace.as_deref().map_or(Ok(()), |file| write(file, text))
    }

    /// One page a bench: all but the first get a number.
    pub(super) fn page(&self, evidence: &[Evidence]) -> Result<(), Failure> {
        let Some(file) = &self.html else { return Ok(()) };
        for (index, one) in evidence.iter().enumerate() {
            let numbered = match index {
                0 => file.clone(),
                _ => {
                    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                    file.with_file_name(format!("{stem}-{}.html", index + 1))
                }
            };
            write(&numbered, &evidence_html(one))?;
        }
        Ok(())
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| {
        Failure::incomplete(format!("can't write `{}`: {error}", file.display()))
            .hint("choose a place that can be written to")
    })?;
    output::note(&format!("wrote {}", file.display()));
    Ok(())
}
