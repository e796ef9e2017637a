//! When the code of a bench changed, on its way through warm-up and window.

use super::prose::prose;
use super::{Page, Row};
use crate::number::whole;
use maud::{Markup, html};
use tiergate_model::{BenchResult, CodeChange, Twin};

/// A line of ops for each side whose reading has a traced twin: the window shaded, the changes of
/// code marked.
pub(super) fn timeline(page: &Page, row: &Row) -> Markup {
    let sides: Vec<(&str, &BenchResult, &Twin)> = page
        .sides
        .iter()
        .zip(&row.benches)
        .filter_map(|(side, bench)| {
            let bench = (*bench)?;
            let twin = bench.readings.iter().find_map(|reading| reading.proof.twin.as_ref())?;
            Some((side.name, bench, twin))
        })
        .collect();
    html! {
        @if !sides.is_empty() {
            h3 { "Warm-up " span.unit { "ops" } }
            @for (name, bench, twin) in sides { (line(name, bench, twin)) }
            p.legend {
                span.key-window {} " window " span.key-change {} " change of code"
            }
        }
    }
}

fn line(name: &str, bench: &BenchResult, twin: &Twin) -> Markup {
    let total = (bench.warmup_ops + bench.window_ops).max(1);
    let place = |ops: u64| format!("{:.2}%", 100.0 * ops.min(total) as f64 / total as f64);
    let changes = twin.last_change_before.iter().chain(&twin.changes_in_window);
    let told = told(bench, twin);
    let class = if name == "base" { "base" } else { "head" };
    html! {
        div.reading.timeline {
            span class={ "side " (class) } { (name) }
            svg.lane height="18" role="img" aria-label=(told.replace('`', "")) {
                rect.window x=(place(bench.warmup_ops)) y="1" height="16"
                    width=(place(bench.window_ops)) {}
                line.rail x1="0" x2="100%" y1="9" y2="9" {}
                @for change in changes {
                    line.change x1=(place(middle(change))) x2=(place(middle(change))) y1="1" y2="17" {}
                }
            }
            span.figures { (whole(total)) }
            p.told { (prose(&told)) }
        }
    }
}

/// Where between two marks it was is not known.
fn middle(change: &CodeChange) -> u64 {
    change.after_ops / 2 + change.until_ops / 2
}

fn told(bench: &BenchResult, twin: &Twin) -> String {
    let before = match &twin.last_change_before {
        Some(change) => format!(
            "{} after {} ops, {} before the window",
            change.what,
            whole(change.after_ops),
            whole(bench.warmup_ops.saturating_sub(change.until_ops)),
        ),
        None => "no change of code before the window".to_owned(),
    };
    match twin.changes_in_window.len() {
        0 => before,
        1 => format!("{before}; 1 change in it"),
        count => format!("{before}; {count} changes in it"),
    }
}
