//! A comparison for programs.

use serde::Serialize;
use tiergate_model::{
    Comparison, ComparisonRow, FingerprintDifference, Limits, Rename, SideSummary, Tally, Unit,
};

/// The version of the JSON that [`comparison_json`] writes.
pub const COMPARISON_SCHEMA_VERSION: u32 = 1;

/// A comparison's fields behind its version, exit code and summary.
#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    exit_code: u8,
    summary: Tally,
    base: &'a SideSummary,
    head: &'a SideSummary,
    unit: Unit,
    limits: &'a Limits,
    differences: &'a [FingerprintDifference],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    rows: &'a [ComparisonRow],
    probable_renames: &'a [Rename],
}

/// A comparison as JSON: `schema_version`, `exit_code` and `summary` before its own fields.
///
/// # Errors
/// None that these types can cause.
pub fn comparison_json(comparison: &Comparison) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&comparison_document(comparison)).map(|text| text + "\n")
}

pub(crate) fn comparison_document(comparison: &Comparison) -> impl Serialize {
    Document {
        schema_version: COMPARISON_SCHEMA_VERSION,
        exit_code: comparison.exit_status().code(),
        summary: comparison.tally(),
        base: &comparison.base,
        head: &comparison.head,
        unit: comparison.unit,
        limits: &comparison.limits,
        differences: &comparison.differences,
        notes: &comparison.notes,
        rows: &comparison.rows,
        probable_renames: &comparison.probable_renames,
    }
}
