//! `--export KIND=FILE`.

mod github;

use crate::args::{Format, Shown};
use crate::failure::Failure;
use crate::output;
use crate::report::{Kind, Report};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use tiergate_model::ExitStatus;
use tiergate_report::{Style, SuiteName};

/// The kinds that take a file.
const KINDS: [(&str, Kind); 4] = [
    ("markdown", Kind::Markdown),
    ("json", Kind::Json),
    ("junit", Kind::Junit),
    ("html", Kind::Html),
];

const HINT: &str = "write `--export KIND=FILE` with `markdown`, `json`, `junit` or `html`, and `-` \
                    for standard output; or `--export github` in a job of GitHub Actions";

/// Where reports are written to beside standard output.
pub(crate) struct Exports {
    files: Vec<(Kind, PathBuf)>,
    /// The kind that stands on standard output in place of `--format`.
    stdout: Option<Kind>,
    /// GitHub's step summary.
    summary: Option<PathBuf>,
    /// The root's path below GitHub's work space.
    folder: String,
}

impl Exports {
    /// Reads the options and opens every file, so that a wrong path is known before measuring.
    /// Benches' paths are relative to `root`.
    pub(crate) fn parse(shown: &Shown, root: &Path) -> Result<Self, Failure> {
        let folder = github::folder_of(root);
        let mut exports = Self { files: Vec::new(), stdout: None, summary: None, folder };
        for text in &shown.export {
            exports.add(text, shown.format)?;
        }
        for path in exports.files.iter().map(|(_, path)| path).chain(&exports.summary) {
            open(path)?;
        }
        if exports.summary.is_none() && github::is_action() {
            output::hint("`--export github` puts this into the step's summary and annotations");
        }
        Ok(exports)
    }

    fn add(&mut self, text: &str, format: Format) -> Result<(), Failure> {
        let (kind, file) = text.split_once('=').unwrap_or((text, ""));
        if kind == "github" {
            self.summary = Some(github::summary_file(text, file)?);
            return Ok(());
        }
        let Some((_, kind)) = KINDS.into_iter().find(|(name, _)| *name == kind) else {
            return Err(malformed(format!("`--export {text}`: there is no kind `{kind}`")));
        };
        match file {
            "" => return Err(malformed(format!("`--export {text}` names no file"))),
            "-" if self.stdout.is_some() || format != Format::Human => {
                return Err(Failure::usage(format!(
                    "`--export {text}`: another report is to stand on standard output already"
                ))
                .hint("give it a file, or leave out `--format`"));
            }
            "-" => self.stdout = Some(kind),
            file if self.files.iter().any(|(_, path)| path == Path::new(file)) => {
                return Err(Failure::usage(format!("two exports would be written to `{file}`"))
                    .hint("give each a file of its own"));
            }
            file => self.files.push((kind, PathBuf::from(file))),
        }
        Ok(())
    }

    /// The kind that takes standard output.
    pub(crate) fn on_stdout(&self) -> Option<Kind> {
        self.stdout
    }

    /// Writes the report to every file, and appends it to the step's summary.
    pub(crate) fn write(&self, report: Report, suite: Option<&SuiteName>) -> Result<(), Failure> {
        let style = Style::plain(0);
        for (kind, path) in &self.files {
            let text = report.render(*kind, &style, suite)?;
            fs::write(path, text).map_err(|error| unwritable(path, &error))?;
        }
        match &self.summary {
            Some(path) => {
                let text = report.render(Kind::Markdown, &style, suite)?;
                github::append(path, &text).map_err(|error| unwritable(path, &error))
            }
            None => Ok(()),
        }
    }

    /// Prints GitHub's annotations where a step's summary is written: on standard output, or on
    /// standard error, which the runner reads too, where a document stands on standard output.
    pub(crate) fn annotate(&self, report: Report, format: Format) -> Result<(), Failure> {
        if self.summary.is_none() {
            return Ok(());
        }
        let annotations = report.annotations(&self.folder);
        if format == Format::Human && self.stdout.is_none() {
            return output::results(&annotations);
        }
        output::pass_on(annotations.as_bytes());
        Ok(())
    }
}

fn open(path: &Path) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| unwritable(path, &error))
}

fn malformed(message: String) -> Failure {
    Failure::usage(message).hint(HINT)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ExitStatus::Usage, format!("can't write `{}`: {error}", path.display()))
        .hint("name a file in a folder that exists and that you may write to")
}
