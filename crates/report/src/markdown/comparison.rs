//! A comparison as Markdown.

use super::escape::{code, words};
use super::{LARGEST, fitting, opening};
use crate::SuiteName;
use crate::comparison::{
    DIFFERENCE_HINT, differing_values, is_paired, limits_text, noise, p_value, range, side_text,
    wider_spread,
};
use crate::number::{UNKNOWN, change, per_op, spread};
use crate::phases::phases_change;
use crate::style::Style;
use crate::summary::comparison_summary;
use tiergate_model::{Comparison, ComparisonRow, FingerprintDifference, Rename, Verdict};

/// Bytes for notes.
const ROOM_FOR_NOTES: usize = 8_000;

/// Bytes for probable renames; the rows name each of them too.
const ROOM_FOR_RENAMES: usize = 8_000;

/// Bytes for differing fields, which stand in place of rows.
const ROOM_FOR_DIFFERENCES: usize = 24_000;

/// A comparison as Markdown for a GitHub comment or step summary: the rows worst first, those that
/// ask for nothing folded away. It stays below 64 KB: folded rows are left out first, then the
/// least bad ones, and their number is said.
pub fn comparison_markdown(comparison: &Comparison, suite: Option<&SuiteName>) -> String {
    let before = before(comparison, suite);
    let after = after(comparison);
    let (folded, open): (Vec<&ComparisonRow>, Vec<&ComparisonRow>) =
        comparison.rows.iter().partition(|row| is_folded(row.verdict));
    let tested = comparison.rows.iter().any(|row| row.adjusted_p.is_some());
    let paired = is_paired(comparison);
    let heading = table_heading(comparison.unit.per_op(), paired, tested);
    let lines = |rows: &[&ComparisonRow]| -> Vec<String> {
        rows.iter().map(|row| table_row(row, paired, tested)).collect()
    };
    let fold = fold_summary(&folded);
    let (open, folded) = (lines(&open), lines(&folded));
    // Headings, folds and the sentences about rows left out.
    let frame = 2 * heading.len() + fold.len() + 400;
    let mut room = LARGEST.saturating_sub(before.len() + after.len() + frame);
    let kept_open = fitting(&open, room);
    room -= open[..kept_open].iter().map(String::len).sum::<usize>();
    let kept_folded = if kept_open == open.len() { fitting(&folded, room) } else { 0 };

    let mut text = before;
    if !open.is_empty() {
        text.push_str(&format!("{heading}{}\n", open[..kept_open].concat()));
        text.push_str(&left_out(open.len() - kept_open, "row"));
    }
    if !folded.is_empty() {
        text.push_str(&format!("<details><summary>{fold}</summary>\n\n"));
        if kept_folded > 0 {
            text.push_str(&format!("{heading}{}\n", folded[..kept_folded].concat()));
        }
        text.push_str(&left_out(folded.len() - kept_folded, "row"));
        text.push_str("</details>\n\n");
    }
    text + &after
}

fn is_folded(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Ok | Verdict::Added | Verdict::Skipped)
}

/// For example `2 added, 31 ok`.
fn fold_summary(rows: &[&ComparisonRow]) -> String {
    let parts: Vec<String> = [Verdict::Added, Verdict::Ok, Verdict::Skipped]
        .into_iter()
        .map(|verdict| (rows.iter().filter(|row| row.verdict == verdict).count(), verdict))
        .filter(|(count, _)| *count > 0)
        .map(|(count, verdict)| format!("{count} {verdict}"))
        .collect();
    parts.join(", ")
}

fn before(comparison: &Comparison, suite: Option<&SuiteName>) -> String {
    let mut text = opening(suite, &comparison_summary(comparison, &Style::plain(0)));
    text.push_str(&format!("base: {}  \n", words(&side_text(&comparison.base))));
    text.push_str(&format!("head: {}\n\n", words(&side_text(&comparison.head))));
    let notes: Vec<String> =
        comparison.notes.iter().map(|note| format!("{}\n\n", words(note))).collect();
    let kept = fitting(&notes, ROOM_FOR_NOTES);
    text.push_str(&notes[..kept].concat());
    text.push_str(&left_out(notes.len() - kept, "note"));
    if comparison.differences.is_empty() {
        return text;
    }
    text.push_str("**environment differs: base and head can't be compared**\n\n");
    text.push_str("| differs | base | head |\n|---|---|---|\n");
    let rows: Vec<String> = comparison.differences.iter().map(difference_row).collect();
    let kept = fitting(&rows, ROOM_FOR_DIFFERENCES);
    text.push_str(&format!("{}\n", rows[..kept].concat()));
    text.push_str(&left_out(rows.len() - kept, "difference"));
    text.push_str(&format!("hint: {DIFFERENCE_HINT}\n"));
    text
}

fn difference_row(difference: &FingerprintDifference) -> String {
    let (base, head) = differing_values(difference);
    format!("| {} | {} | {} |\n", code(&difference.field), code(&base), code(&head))
}

fn after(comparison: &Comparison) -> String {
    let mut text = String::new();
    let renames: Vec<String> = comparison.probable_renames.iter().map(rename_item).collect();
    if !renames.is_empty() {
        let kept = fitting(&renames, ROOM_FOR_RENAMES);
        text.push_str(&format!("Probably renamed:\n\n{}\n", renames[..kept].concat()));
        text.push_str(&left_out(renames.len() - kept, "rename"));
    }
    if comparison.differences.is_empty() {
        text.push_str(&format!("Limits: {}\n", limits_text(&comparison.limits, comparison.unit)));
    }
    text
}

fn rename_item(rename: &Rename) -> String {
    let (from, to) = (code(rename.from.as_str()), code(rename.to.as_str()));
    format!("- {from} → {to} ({})\n", words(&rename.reason))
}

fn table_heading(unit: &str, paired: bool, tested: bool) -> String {
    let (p, rule) = if tested { (" p |", "--:|") } else { ("", "") };
    let (noise, noise_rule) =
        if paired { (" range | noise floor |", "---|--:|") } else { ("", "") };
    format!(
        "| verdict | bench | change | base {unit} | head {unit} | A/A |{noise}{p}\n\
         |---|---|--:|--:|--:|--:|{noise_rule}{rule}\n"
    )
}

fn table_row(row: &ComparisonRow, paired: bool, tested: bool) -> String {
    let count = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), per_op);
    let verdict = match row.verdict {
        Verdict::Fail | Verdict::Incomplete | Verdict::Inconclusive => {
            format!("**{}**", row.verdict)
        }
        other => other.to_string(),
    };
    let mut bench = code(row.id.as_str());
    if let Some(reason) = &row.reason {
        bench.push_str(&format!("<br>{}", words(reason)));
    }
    if let Some(between) = phases_change(row) {
        bench.push_str(&format!("<br>{between}"));
    }
    if let Some(hint) = &row.hint {
        bench.push_str(&format!("<br>hint: {}", words(hint)));
    }
    let floor = || noise(row).replace('<', "&lt;");
    let noise = if paired { format!(" {} | {} |", range(row), floor()) } else { String::new() };
    let p = if tested { format!(" {} |", p_value(row.adjusted_p)) } else { String::new() };
    format!(
        "| {verdict} | {bench} | {} | {} | {} | {} |{noise}{p}\n",
        change(row.change),
        count(row.base_per_op),
        count(row.head_per_op),
        // The sign for smaller would open a tag.
        spread(wider_spread(row)).replace('<', "&lt;"),
    )
}

/// Says how many were left out, if any were.
pub(super) fn left_out(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("1 {what} left out to keep this short.\n\n"),
        count => format!("{count} {what}s left out to keep this short.\n\n"),
    }
}
