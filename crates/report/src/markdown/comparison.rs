//! A comparison as Markdown.

use super::escape::{code, words};
use super::{LARGEST, MARKER, fitting};
use crate::comparison::{
    DIFFERENCE_HINT, differing_values, is_paired, limits_text, noise, p_value, range, side_text,
    wider_spread,
};
use crate::number::{UNKNOWN, change, per_op, spread};
use crate::style::Style;
use crate::summary::comparison_summary;
use tiergate_model::{Comparison, ComparisonRow, Verdict};

/// Probable renames that are listed; the rows name each of them too.
const LISTED_RENAMES: usize = 20;

/// A comparison as Markdown for a GitHub comment or step summary: the rows worst first, those that
/// are ok folded away. It stays below 64 KB: ok rows are left out first, then the least bad ones,
/// and their number is said.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let before = before(comparison);
    let after = after(comparison);
    let (ok, other): (Vec<&ComparisonRow>, Vec<&ComparisonRow>) =
        comparison.rows.iter().partition(|row| row.verdict == Verdict::Ok);
    let tested = comparison.rows.iter().any(|row| row.adjusted_p.is_some());
    let paired = is_paired(comparison);
    let heading = table_heading(comparison.unit.per_op(), paired, tested);
    let lines = |rows: &[&ComparisonRow]| -> Vec<String> {
        rows.iter().map(|row| table_row(row, paired, tested)).collect()
    };
    let (other, ok) = (lines(&other), lines(&ok));
    // Headings, folds and the sentences about rows left out.
    let frame = 2 * heading.len() + 400;
    let mut room = LARGEST.saturating_sub(before.len() + after.len() + frame);
    let kept_other = fitting(&other, room);
    room -= other[..kept_other].iter().map(String::len).sum::<usize>();
    let kept_ok = if kept_other == other.len() { fitting(&ok, room) } else { 0 };

    let mut text = before;
    if !other.is_empty() {
        text.push_str(&format!("{heading}{}\n", other[..kept_other].concat()));
        text.push_str(&left_out(other.len() - kept_other, "row"));
    }
    if !ok.is_empty() {
        text.push_str(&format!("<details><summary>{} ok</summary>\n\n", ok.len()));
        if kept_ok > 0 {
            text.push_str(&format!("{heading}{}\n", ok[..kept_ok].concat()));
        }
        text.push_str(&left_out(ok.len() - kept_ok, "ok row"));
        text.push_str("</details>\n\n");
    }
    text + &after
}

fn before(comparison: &Comparison) -> String {
    let summary = comparison_summary(comparison, &Style::plain(0));
    let mut text = format!("{MARKER}\n### tiergate: {summary}\n\n");
    text.push_str(&format!("base: {}  \n", words(&side_text(&comparison.base))));
    text.push_str(&format!("head: {}\n\n", words(&side_text(&comparison.head))));
    for note in &comparison.notes {
        text.push_str(&format!("{}\n\n", words(note)));
    }
    if comparison.differences.is_empty() {
        return text;
    }
    text.push_str("**environment differs: base and head can't be compared**\n\n");
    text.push_str("| differs | base | head |\n|---|---|---|\n");
    for difference in &comparison.differences {
        let (base, head) = differing_values(difference);
        let field = code(&difference.field);
        text.push_str(&format!("| {field} | {} | {} |\n", code(&base), code(&head)));
    }
    text.push_str(&format!("\nhint: {DIFFERENCE_HINT}\n"));
    text
}

fn after(comparison: &Comparison) -> String {
    let mut text = String::new();
    let renames = &comparison.probable_renames;
    if !renames.is_empty() {
        text.push_str("Probably renamed:\n\n");
        for rename in renames.iter().take(LISTED_RENAMES) {
            let (from, to) = (code(rename.from.as_str()), code(rename.to.as_str()));
            text.push_str(&format!("- {from} → {to} ({})\n", words(&rename.reason)));
        }
        text.push('\n');
        text.push_str(&left_out(renames.len().saturating_sub(LISTED_RENAMES), "rename"));
    }
    if comparison.differences.is_empty() {
        text.push_str(&format!("Limits: {}\n", limits_text(&comparison.limits, comparison.unit)));
    }
    text
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
