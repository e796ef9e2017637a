//! One line that says how it ended.

use crate::style::{BOLD, DIM, Style, verdict_paint};
use anstyle::Style as Paint;
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
    let whole = Style { width: usize::MAX, ..*style };
    summary_lines(comparison, &whole).concat()
}

/// The summary in as many lines as the style's width asks for.
pub(crate) fn summary_lines(comparison: &Comparison, style: &Style) -> Vec<String> {
    let mut parts: Vec<(String, Paint)> = Vec::new();
    if !comparison.differences.is_empty() {
        parts.push(("not comparable".to_owned(), BOLD));
    } else {
        if comparison.is_void() {
            parts.push(("nothing was compared".to_owned(), BOLD));
        }
        let counts = counted(&comparison.tally()).into_iter();
        parts.extend(
            counts.map(|(count, verdict)| (format!("{count} {verdict}"), verdict_paint(verdict))),
        );
    }
    let last = parts.len().saturating_sub(1);
    let exit = (format!("(exit code {})", comparison.exit_status().code()), DIM);
    let parts = parts
        .into_iter()
        .enumerate()
        .map(|(index, (text, paint))| (text, paint, if index < last { "," } else { "" }));
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (text, paint, after) in parts.chain([(exit.0, exit.1, "")]) {
        let columns = text.len() + after.len();
        if used > 0 && used + 1 + columns > style.width {
            lines.push(String::new());
            used = 0;
        }
        let gap = if used > 0 { " " } else { "" };
        if let Some(line) = lines.last_mut() {
            line.push_str(&format!("{gap}{}{after}", style.paint(&text, paint)));
        }
        used += gap.len() + columns;
    }
    lines
}
