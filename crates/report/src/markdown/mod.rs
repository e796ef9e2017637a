//! Markdown for GitHub: comments and step summaries.

mod comparison;
mod escape;
mod run;

pub use comparison::comparison_markdown;
pub use run::{list_markdown, run_markdown};

/// The hidden line by which a later run finds its own comment.
pub const MARKER: &str = "<!-- tiergate -->";

/// GitHub refuses comments of 65,536 characters and more; the rest is for a caller's own words.
const LARGEST: usize = 64_000;

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
