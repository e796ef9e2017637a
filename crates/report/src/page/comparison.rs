//! A comparison as a page.

use super::prose::prose;
use super::{Badge, Cell, Page, Row, Side, document, environment};
use crate::comparison::{
    DIFFERENCE_HINT, is_paired, limits_text, noise, p_value, range, side_text, wider_spread,
};
use crate::json::comparison_document;
use crate::number::{UNKNOWN, change, per_op, spread};
use crate::phases::phases_change;
use crate::summary::counted;
use crate::text::printable;
use crate::{Compared, SuiteName};
use maud::{Markup, html};
use std::collections::BTreeMap;
use tiergate_model::{BenchId, BenchResult, Comparison, ComparisonRow, ResultFile, SideSummary};

/// A comparison as one HTML page that needs neither network nor script: the rows worst first, each
/// with its readings and their proof on demand. A script in it filters and sorts.
///
/// # Errors
/// None that these types can cause.
pub fn comparison_html(
    compared: &Compared,
    suite: Option<&SuiteName>,
) -> Result<String, serde_json::Error> {
    let comparison = compared.comparison;
    let tested = comparison.rows.iter().any(|row| row.adjusted_p.is_some());
    let (base, head) = (by_id(compared.base), by_id(compared.head));
    let unit = comparison.unit.per_op();
    let mut columns =
        vec!["change".to_owned(), format!("base {unit}"), format!("head {unit}"), "A/A".to_owned()];
    let paired = is_paired(comparison);
    if paired {
        columns.push("noise floor".to_owned());
    }
    if tested {
        columns.push("p".to_owned());
    }
    let rows = comparison.rows.iter().map(|row| Row {
        badge: Badge::of(row.verdict),
        id: row.id.as_str(),
        reason: row.reason.as_deref(),
        hint: row.hint.as_deref(),
        cells: cells(row, paired, tested),
        benches: vec![base.get(&row.id).copied(), head.get(&row.id).copied()],
    });
    let differs = !comparison.differences.is_empty();
    let tally = counted(&comparison.tally());
    let sides = vec![
        side("base", &comparison.base, compared.base),
        side("head", &comparison.head, compared.head),
    ];
    let page = Page {
        title: suite
            .map_or_else(|| "tiergate".to_owned(), |suite| format!("tiergate {}", suite.as_str())),
        tally: tally.into_iter().map(|(count, verdict)| (count, Badge::of(verdict))).collect(),
        headline: if differs {
            Some("Not comparable")
        } else {
            comparison.is_void().then_some("Nothing was compared")
        },
        exit: comparison.exit_status(),
        environment: environment::of_two(compared.base, compared.head, &comparison.differences)?,
        sides,
        notes: comparison.notes.clone(),
        fine_print: (!differs)
            .then(|| format!("Limits: {}", limits_text(&comparison.limits, comparison.unit))),
        after: renames(comparison),
        unit: comparison.unit,
        state: "verdict",
        columns,
        rows: rows.collect(),
        data: serde_json::to_string(&comparison_document(comparison))?,
        file_name: "tiergate-comparison.json",
    };
    document::render(&page)
}

fn by_id(file: &ResultFile) -> BTreeMap<&BenchId, &BenchResult> {
    file.benches.iter().map(|bench| (&bench.id, bench)).collect()
}

fn side<'a>(name: &'static str, summary: &SideSummary, file: &'a ResultFile) -> Side<'a> {
    let text = side_text(&SideSummary { commit: None, ..summary.clone() });
    Side { name, text, commit: summary.commit.clone(), file }
}

fn cells(row: &ComparisonRow, paired: bool, tested: bool) -> Vec<Cell> {
    let count =
        |value: Option<f64>| Cell::new(value.map_or_else(|| UNKNOWN.to_owned(), per_op), value);
    let wider = wider_spread(row);
    let mut cells = vec![
        Cell::new(change(row.change), row.change).with_more(below_change(row)),
        count(row.base_per_op),
        count(row.head_per_op),
        Cell::new(spread(wider), wider),
    ];
    if paired {
        cells.push(Cell::new(noise(row), row.noise_floor));
    }
    if tested {
        cells.push(Cell::new(p_value(row.adjusted_p), row.adjusted_p));
    }
    cells
}

/// The range over the pairs, and the change between collections.
fn below_change(row: &ComparisonRow) -> String {
    let parts = [range(row), phases_change(row).unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn renames(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.probable_renames.is_empty() {
            section {
                h2 { "Probably renamed" }
                ul.renames {
                    @for rename in &comparison.probable_renames {
                        li {
                            code { (printable(rename.from.as_str())) } " → "
                            code { (printable(rename.to.as_str())) } " "
                            span.dim { (prose(&rename.reason)) }
                        }
                    }
                }
            }
        }
        @if !comparison.differences.is_empty() {
            p.hint { "hint: " (DIFFERENCE_HINT) }
        }
    }
}
