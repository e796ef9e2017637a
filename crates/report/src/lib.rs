//! Reports of tiergate: terminal, Markdown, JSON, JUnit, HTML and annotations, pure functions from
//! data to text.
//!
//! Names and reasons come from users' files and programs: no control character of theirs reaches a
//! report, and no markup of theirs works in one.

mod annotations;
mod compared;
mod comparison;
mod evidence;
mod evidence_page;
mod exit;
mod functions;
mod inspection;
mod json;
mod junit;
mod list;
mod markdown;
mod noise;
mod number;
mod page;
mod phases;
mod run;
mod style;
mod suite;
mod summary;
mod table;
mod text;
mod timings;

pub use annotations::{comparison_annotations, run_annotations};
pub use compared::Compared;
pub use comparison::comparison_text;
pub use evidence::evidence_text;
pub use evidence_page::evidence_html;
pub use functions::window_functions_text;
pub use inspection::{profile_difference_text, thresholds_text};
pub use json::{COMPARISON_SCHEMA_VERSION, comparison_json};
pub use junit::{comparison_junit, run_junit};
pub use list::{LIST_SCHEMA_VERSION, ListedBench, list_json, list_text};
pub use markdown::{comparison_markdown, list_markdown, marker, run_markdown};
pub use noise::{noise_detail_text, noise_suite_text, noise_summary};
pub use page::{comparison_html, run_html};
pub use run::{run_summary, run_text};
pub use style::Style;
pub use suite::{SuiteName, SuiteNameError};
pub use summary::comparison_summary;
pub use text::printable;
pub use timings::timings_text;
