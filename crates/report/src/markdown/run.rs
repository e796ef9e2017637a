//! A run and a list as Markdown.

use super::comparison::left_out;
use super::escape::{code, words};
use super::{LARGEST, fitting, opening};
use crate::SuiteName;
use crate::list::{ListedBench, figures, framework};
use crate::number::{per_op, spread, whole};
use crate::phases::phases_text;
use crate::run::{
    RANDOMISED, engine_and_instrument, is_doubtful, run_summary, shows_wall, wall_text,
};
use crate::style::Style;
use tiergate_model::{BenchResult, BenchStatus, ResultFile};
use tiergate_stats::summarise_readings;

/// A run as Markdown, below 64 KB; incomplete and inconclusive benches come first, so that none of
/// them is left out before one that was measured well.
pub fn run_markdown(result: &ResultFile, suite: Option<&SuiteName>) -> String {
    let mut text = opening(suite, &run_summary(result, &Style::plain(0)));
    text.push_str(&format!("{}\n\n", words(&engine_and_instrument(result))));
    let flags = &result.fingerprint.engine.flags;
    if !flags.is_empty() {
        text.push_str(&format!("flags: {}\n\n", code(&flags.join(" "))));
    }
    if !result.fingerprint.address_randomisation_off {
        text.push_str(&format!("**{RANDOMISED}**\n\n"));
    }
    if result.benches.is_empty() {
        return text;
    }
    let wall = shows_wall(result);
    let (wall_head, wall_rule) = if wall { (" wall ns/op |", "--:|") } else { ("", "") };
    text.push_str(&format!(
        "| bench | {} | A/A | warm-up | window | readings |{wall_head}\n\
         |---|--:|--:|--:|--:|--:|{wall_rule}\n",
        result.unit().per_op()
    ));
    let mut benches: Vec<&BenchResult> = result.benches.iter().collect();
    benches.sort_by_key(|bench| (bench.status != BenchStatus::Incomplete, !is_doubtful(bench)));
    let rows: Vec<String> = benches.into_iter().map(|bench| row(bench, wall)).collect();
    let kept = fitting(&rows, LARGEST.saturating_sub(text.len() + 100));
    text.push_str(&rows[..kept].concat());
    if kept < rows.len() {
        text.push('\n');
        text.push_str(left_out(rows.len() - kept, "row").trim_end());
        text.push('\n');
    }
    text
}

fn row(bench: &BenchResult, wall: bool) -> String {
    let mut name = code(bench.id.as_str());
    if let Some(reason) = &bench.reason {
        let word = if is_doubtful(bench) { "**INCONCLUSIVE**: " } else { "" };
        name.push_str(&format!("<br>{word}{}", words(reason)));
    }
    if let Some(phases) = phases_text(bench) {
        name.push_str(&format!("<br>{}", words(&phases)));
    }
    let wall_empty = if wall { " |" } else { "" };
    match (bench.status, summarise_readings(&bench.readings)) {
        (BenchStatus::Measured, Some(summary)) => {
            let wall = match (&bench.wall, wall) {
                (Some(wall), true) => format!(" {} |", wall_text(wall)),
                _ => wall_empty.to_owned(),
            };
            format!(
                "| {name} | {} | {} | {} | {} | {} |{wall}\n",
                per_op(summary.median),
                spread(Some(summary.spread())).replace('<', "&lt;"),
                whole(bench.warmup_ops),
                whole(bench.window_ops),
                bench.readings.len(),
            )
        }
        (BenchStatus::Skipped, _) => format!("| {name} | skipped | | | | |{wall_empty}\n"),
        _ => format!("| {name} | **INCOMPLETE** | | | | |{wall_empty}\n"),
    }
}

/// The list as Markdown, below 64 KB.
pub fn list_markdown(benches: &[ListedBench]) -> String {
    let mut text =
        "| bench | framework | warm-up | window | recorded |\n|---|---|--:|--:|--:|\n".to_owned();
    let rows: Vec<String> = benches
        .iter()
        .map(|listed| {
            let [warmup, window, recorded] = figures(listed);
            let (id, framework) =
                (code(listed.bench.id.as_str()), words(&framework(&listed.bench)));
            format!("| {id} | {framework} | {warmup} | {window} | {recorded} |\n")
        })
        .collect();
    let kept = fitting(&rows, LARGEST.saturating_sub(text.len() + 100));
    text.push_str(&rows[..kept].concat());
    if kept < rows.len() {
        text.push('\n');
        text.push_str(left_out(rows.len() - kept, "row").trim_end());
        text.push('\n');
    }
    text
}
