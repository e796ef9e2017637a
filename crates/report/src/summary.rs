//! One line that says how it ended.

use crate::style::{BOLD, DIM, Style, verdict_paint};
use tiergate_model::{Comparison, Tally, Verdict};

/// The verdicts that occur, with their numbers, the worst first.
pub(crate) fn counted(tally: &Tally) -> Vec<(usize, Verdict)> {
    [
        (tally.fail, Verdict::Fail),
        (tally.incomplete, Verdict::Incomplete),
        (tally.inconclusive, Verdict::Inconclusive),
        (tally.warn, Verdict::Warn),
        (tally.accepted, Verdict::Accepted),
        (tally.removed, Verdict::Removed),
        (tally.improved, Verdict::Improved),
        (tally.added, Verdict::Added),
        (tally.ok, Verdict::Ok),
        (tally.skipped, Verdict::Skipped),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .collect()
}

/// For example `1 FAIL, 7 ok (exit code 1)`.
pub fn comparison_summary(comparison: &Comparison, style: &Style) -> String {
    let exit = format!("(exit code {})", comparison.exit_status().code());
    let words = if !comparison.differences.is_empty() {
        style.paint("not comparable", BOLD)
    } else if comparison.rows.is_empty() {
        style.paint("nothing was compared", BOLD)
    } else {
        let void = comparison.is_void().then(|| style.paint("nothing was compared", BOLD));
        let counts = counted(&comparison.tally()).into_iter().map(|(count, verdict)| {
            style.paint(&format!("{count} {verdict}"), verdict_paint(verdict))
        });
        let parts: Vec<String> = void.into_iter().chain(counts).collect();
        parts.join(", ")
    };
    format!("{words} {}", style.paint(&exit, DIM))
}
