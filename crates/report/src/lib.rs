//! Reports of tiergate: terminal, Markdown and JSON, pure functions from data to text.
//!
//! Names and reasons come from users' files and programs: no control character of theirs reaches a
//! report, and no markup of theirs works in one.

mod comparison;
mod json;
mod list;
mod markdown;
mod noise;
mod number;
mod run;
mod style;
mod summary;
mod table;
mod text;

pub use comparison::comparison_text;
pub use json::{COMPARISON_SCHEMA_VERSION, comparison_json};
pub use list::{LIST_SCHEMA_VERSION, ListedBench, list_json, list_text};
pub use markdown::{MARKER, comparison_markdown, list_markdown, run_markdown};
pub use noise::{noise_detail_text, noise_suite_text, noise_summary};
pub use run::{run_summary, run_text};
pub use style::Style;
pub use summary::comparison_summary;
pub use text::printable;
