//! What the phases of a window say, in words.

use crate::number::{change, per_op, spread};
use tiergate_model::{BenchResult, ComparisonRow, Percent, Verdict};

/// For example `between collections 63,690 (250 phases, quartiles 0.02 % apart), the rest 37 %`.
pub(crate) fn phases_text(bench: &BenchResult) -> Option<String> {
    let phases = bench.window_phases.as_ref()?;
    Some(format!(
        "{} ({} phases, quartiles {} apart), the rest {}",
        between_collections(bench)?,
        phases.per_op.len(),
        spread(Some(phases.quartile_spread)),
        Percent((phases.share_above() * 1000.0).round() / 1000.0)
    ))
}

/// For example `between collections 63,690`.
pub(crate) fn between_collections(bench: &BenchResult) -> Option<String> {
    let phases = bench.window_phases.as_ref()?;
    Some(format!("between collections {}", per_op(phases.median)))
}

/// The change of the medians over phases, beside a verdict that asks for a look.
pub(crate) fn phases_change(row: &ComparisonRow) -> Option<String> {
    let between = row.between_collections.filter(|_| row.verdict != Verdict::Ok)?;
    Some(format!("between collections {}", change(Some(between))))
}
