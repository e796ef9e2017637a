//! Markdown for GitHub: comments and step summaries.

mod comparison;
mod escape;
mod run;

pub use comparison::comparison_markdown;
pub use run::{list_markdown, run_markdown};

use crate::SuiteName;

/// GitHub refuses comments of more than 65,536 characters; the rest is for a caller's own words.
/// Counted in bytes, which are never fewer.
const LARGEST: usize = 64_000;

/// The hidden line by which a later run finds its own comment, one for each suite.
pub fn marker(suite: Option<&SuiteName>) -> String {
    match suite {
        None => "<!-- tiergate -->".to_owned(),
        Some(suite) => format!("<!-- tiergate {} -->", suite.as_str()),
    }
}

/// The marker and a heading that says how it ended.
fn opening(suite: Option<&SuiteName>, summary: &str) -> String {
    let name = suite.map(|suite| format!(" `{}`", suite.as_str())).unwrap_or_default();
    format!("{}\n### tiergate{name}: {summary}\n\n", marker(suite))
}

/// Rows in the order in which they may be kept, and how many fit into the room that is left.
fn fitting(rows: &[String], room: usize) -> usize {
    let mut used = 0;
    rows.iter()
        .take_while(|row| {
            used += row.len();
            used <= room
        })
        .count()
}
