//! What a command has to report: printed on standard output, and exported.

use crate::args::{Format, Shown};
use crate::export::Exports;
use crate::failure::Failure;
use crate::output;
use tiergate_model::{Comparison, ResultFile};
use tiergate_report::{
    Compared, Style, SuiteName, comparison_annotations, comparison_html, comparison_json,
    comparison_junit, comparison_markdown, comparison_text, run_annotations, run_html, run_junit,
    run_markdown, run_text,
};

/// A kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Markdown,
    Json,
    Junit,
    Html,
}

/// What there is to report.
#[derive(Clone, Copy)]
pub(crate) enum Report<'a> {
    /// One run.
    Run(&'a ResultFile),
    /// A comparison, and the two results that it is of.
    Comparison { comparison: &'a Comparison, base: &'a ResultFile, head: &'a ResultFile },
}

impl Report<'_> {
    /// Prints the report in the format asked for, and writes every export.
    pub(crate) fn publish(self, shown: &Shown, exports: &Exports) -> Result<(), Failure> {
        exports.write(self, shown.suite.as_ref())?;
        let kind = exports.on_stdout().unwrap_or(match shown.format {
            Format::Human => Kind::Text,
            Format::Json => Kind::Json,
            Format::Markdown => Kind::Markdown,
        });
        output::results(&self.render(kind, &output::style(), shown.suite.as_ref())?)?;
        exports.annotate(self, shown.format)
    }

    /// The report as text of a kind.
    pub(crate) fn render(
        self,
        kind: Kind,
        style: &Style,
        suite: Option<&SuiteName>,
    ) -> Result<String, Failure> {
        Ok(match self {
            Self::Run(result) => match kind {
                Kind::Text => run_text(result, style),
                Kind::Markdown => run_markdown(result, suite),
                Kind::Json => run_json(result).map_err(Failure::incomplete)?,
                Kind::Junit => run_junit(result, suite).map_err(Failure::incomplete)?,
                Kind::Html => run_html(result, suite).map_err(Failure::incomplete)?,
            },
            Self::Comparison { comparison, base, head } => {
                let compared = Compared { comparison, base, head };
                match kind {
                    Kind::Text => comparison_text(comparison, style),
                    Kind::Markdown => comparison_markdown(comparison, suite),
                    Kind::Json => comparison_json(comparison).map_err(Failure::incomplete)?,
                    Kind::Junit => {
                        comparison_junit(&compared, suite).map_err(Failure::incomplete)?
                    }
                    Kind::Html => comparison_html(&compared, suite).map_err(Failure::incomplete)?,
                }
            }
        })
    }

    /// The report as annotations of GitHub Actions, for files below `folder`.
    pub(crate) fn annotations(self, folder: &str) -> String {
        match self {
            Self::Run(result) => run_annotations(result, folder),
            Self::Comparison { comparison, .. } => comparison_annotations(comparison, folder),
        }
    }
}

fn run_json(result: &ResultFile) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(result).map(|text| text + "\n")
}
