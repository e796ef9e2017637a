//! A comparison for a terminal.

use crate::number::{UNKNOWN, change, per_op, spread};
use crate::phases::phases_change;
use crate::style::{ALARM, BOLD, DIM, HINT, Style, verdict_paint};
use crate::summary::summary_lines;
use crate::table::{Align, Cell, Table, note_text};
use crate::text::printable;
use tiergate_model::{
    Comparison, ComparisonRow, FingerprintDifference, Limits, Percent, SideSummary, Unit, Verdict,
};

/// Reasons stand below their row, where the change begins.
const REASON_INDENT: usize = 4;

/// A comparison as text: the rows worst first with their reasons, or the differences that forbid
/// a comparison; probable renames, the limits, and a summary line.
pub fn comparison_text(comparison: &Comparison, style: &Style) -> String {
    let mut sections = vec![sides(comparison, style)];
    if !comparison.differences.is_empty() {
        sections.push(differences(&comparison.differences, style));
    } else if !comparison.rows.is_empty() {
        sections.push(rows(comparison, style));
    }
    if !comparison.probable_renames.is_empty() {
        sections.push(renames(comparison, style));
    }
    if comparison.differences.is_empty() {
        let limits = format!("limits: {}", limits_text(&comparison.limits, comparison.unit));
        sections.push(note_text(&limits, 0, DIM, style));
    }
    sections.push(format!("{}\n", summary_lines(comparison, style).join("\n")));
    sections.join("\n")
}

fn sides(comparison: &Comparison, style: &Style) -> String {
    let line = |name: &str, side: &SideSummary| {
        format!("{}  {}\n", style.paint(name, BOLD), side_text(side))
    };
    let notes = comparison.notes.iter().map(|note| note_text(note, 0, DIM, style));
    line("base", &comparison.base) + &line("head", &comparison.head) + &notes.collect::<String>()
}

/// For example `base.json (commit 0a1b2c3), node 24.22.1, callgrind`.
pub(crate) fn side_text(side: &SideSummary) -> String {
    let commit = side.commit.as_ref().map(|commit| format!(" (commit {})", short_commit(commit)));
    format!(
        "{}{}, {}, {}",
        printable(&side.source),
        commit.unwrap_or_default(),
        printable(&side.engine),
        printable(&side.instrument)
    )
}

/// The first digits of a commit's hash; what follows it, as `-dirty`, stays.
pub(crate) fn short_commit(commit: &str) -> String {
    let (hash, rest) = commit.split_at(commit.find('-').unwrap_or(commit.len()));
    let hash: String = hash.chars().take(12).collect();
    printable(&(hash + rest))
}

fn rows(comparison: &Comparison, style: &Style) -> String {
    let tested = comparison.rows.iter().any(|row| row.adjusted_p.is_some());
    let unit = comparison.unit.per_op();
    let mut columns = vec![
        ("verdict", Align::Left),
        ("change", Align::Right),
        ("base", Align::Right),
        ("", Align::Left),
        ("head", Align::Left),
        ("A/A", Align::Right),
    ];
    let head = format!("head {unit}");
    columns[4].0 = &head;
    let paired = is_paired(comparison);
    if paired {
        columns.insert(2, ("range", Align::Left));
        columns.push(("noise floor", Align::Right));
    }
    if tested {
        columns.push(("p", Align::Right));
    }
    columns.push(("bench", Align::Left));
    let mut table = Table::new(&columns, columns.len() - 1);
    for row in &comparison.rows {
        match row.verdict {
            Verdict::Ok | Verdict::Skipped => table.row(cells(row, paired, tested)),
            _ => table.named_row(REASON_INDENT, cells(row, paired, tested)),
        }
        if let Some(reason) = &row.reason {
            table.note(REASON_INDENT, reason.as_str(), DIM);
        }
        if let Some(between) = phases_change(row) {
            table.note(REASON_INDENT, between, DIM);
        }
        if let Some(hint) = &row.hint {
            table.note(REASON_INDENT, format!("hint: {hint}"), HINT);
        }
    }
    table.render(style)
}

fn cells(row: &ComparisonRow, paired: bool, tested: bool) -> Vec<Cell> {
    let count = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), per_op);
    let mut cells = vec![
        Cell::painted(row.verdict.word(), verdict_paint(row.verdict)),
        Cell::painted(change(row.change), verdict_paint(row.verdict)),
        Cell::plain(count(row.base_per_op)),
        Cell::painted("→", DIM),
        Cell::plain(count(row.head_per_op)),
        Cell::plain(spread(wider_spread(row))),
    ];
    if paired {
        cells.insert(2, Cell::painted(range(row), DIM));
        cells.push(Cell::plain(noise(row)));
    }
    if tested {
        cells.push(Cell::plain(p_value(row.adjusted_p)));
    }
    cells.push(Cell::plain(printable(row.id.as_str())));
    cells
}

/// Whether a row was judged by several pairs.
pub(crate) fn is_paired(comparison: &Comparison) -> bool {
    comparison.rows.iter().any(|row| !row.pairs.is_empty())
}

/// From the least to the greatest change of a row's pairs.
pub(crate) fn range(row: &ComparisonRow) -> String {
    row.interval().map_or_else(String::new, |(low, high)| {
        format!("{} to {}", change(Some(low)), change(Some(high)))
    })
}

/// How far equal code moves, where that is known.
pub(crate) fn noise(row: &ComparisonRow) -> String {
    row.noise_floor.map_or_else(String::new, |floor| spread(Some(floor)))
}

/// The wider of the two sides' spreads.
pub(crate) fn wider_spread(row: &ComparisonRow) -> Option<f64> {
    match (row.base_spread, row.head_spread) {
        (Some(base), Some(head)) => Some(base.max(head)),
        (one, other) => one.or(other),
    }
}

/// A p value, with as many digits as decisions need.
pub(crate) fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p.is_finite() && p < 0.001 => "<0.001".to_owned(),
        Some(p) if p.is_finite() => format!("{p:.3}"),
        _ => UNKNOWN.to_owned(),
    }
}

fn differences(differences: &[FingerprintDifference], style: &Style) -> String {
    let mut table =
        Table::new(&[("differs", Align::Left), ("", Align::Left), ("value", Align::Left)], 0);
    for difference in differences {
        let (base, head) = differing_values(difference);
        table.row(vec![
            Cell::painted(printable(&difference.field), BOLD),
            Cell::painted("base", DIM),
            Cell::plain(printable(&base)),
        ]);
        table.row(vec![Cell::plain(""), Cell::painted("head", DIM), Cell::plain(printable(&head))]);
    }
    let heading = "environment differs: base and head can't be compared\n";
    let hint = format!("hint: {DIFFERENCE_HINT}");
    format!(
        "{}\n{}\n{}",
        style.paint(heading.trim_end(), ALARM),
        table.render(style),
        note_text(&hint, 0, HINT, style)
    )
}

/// What to do about differing fingerprints.
pub(crate) const DIFFERENCE_HINT: &str =
    "measure base and head on one machine with the same engine, flags and tiergate";

/// The two values of a difference; of lists of flags only those that the other side lacks, unless
/// only their order differs.
pub(crate) fn differing_values(difference: &FingerprintDifference) -> (String, String) {
    let missing_in = |other: &str, own: &str| {
        let other: Vec<&str> = other.split(' ').collect();
        let own: Vec<&str> = own.split(' ').filter(|flag| !other.contains(flag)).collect();
        own.join(" ")
    };
    let (base, head) = (&difference.base, &difference.head);
    let (only_base, only_head) = (missing_in(head, base), missing_in(base, head));
    let narrowed = difference.field == "engine.flags" && only_base != only_head;
    let (base, head) = if narrowed { (only_base, only_head) } else { (base.clone(), head.clone()) };
    let shown = |value: String| if value.is_empty() { "(none)".to_owned() } else { value };
    (shown(base), shown(head))
}

fn renames(comparison: &Comparison, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint("probably renamed", BOLD));
    for rename in &comparison.probable_renames {
        let (from, to) = (printable(rename.from.as_str()), printable(rename.to.as_str()));
        let line = format!("{from} → {to} ({})", rename.reason);
        text.push_str(&note_text(&line, 2, crate::style::PLAIN, style));
    }
    text
}

/// For example `FAIL above 2 %, warn above 1 %, improved below -2 %, A/A spread up to 0.4 %`.
pub(crate) fn limits_text(limits: &Limits, unit: Unit) -> String {
    let noise = match unit {
        Unit::Instructions => format!("A/A spread up to {}", Percent(limits.aa_spread)),
        Unit::Nanoseconds => "significant at 5 % (Mann-Whitney, Benjamini-Hochberg)".to_owned(),
    };
    format!(
        "FAIL above {}, warn above {}, improved below {}, {noise}",
        Percent(limits.fail),
        Percent(limits.warn),
        Percent(-limits.improved)
    )
}
