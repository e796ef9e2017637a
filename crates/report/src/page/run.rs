//! A run as a page.

use super::{Badge, Cell, Page, Row, Side, document, environment};
use crate::SuiteName;
use crate::number::{UNKNOWN, per_op, spread, whole};
use crate::phases::between_collections;
use crate::run::{RANDOMISED, engine_and_instrument, is_doubtful, is_perturbed, mover, shows_wall};
use maud::html;
use tiergate_model::{BenchResult, BenchStatus, ExitStatus, ResultFile, Verdict};
use tiergate_stats::{noise_floor, summarise_readings};

/// A run as one HTML page that needs neither network nor script: the benches, those that could not
/// be measured first, each with its readings and their proof on demand.
///
/// # Errors
/// None that these types can cause.
pub fn run_html(
    result: &ResultFile,
    suite: Option<&SuiteName>,
) -> Result<String, serde_json::Error> {
    let wall = shows_wall(result);
    let mut columns =
        [result.unit().per_op(), "A/A", "warm-up", "window"].map(str::to_owned).to_vec();
    let perturbed = is_perturbed(result);
    if perturbed {
        columns.insert(2, "noise floor".to_owned());
    }
    if wall {
        columns.push("wall ns/op".to_owned());
    }
    let mut benches: Vec<&BenchResult> = result.benches.iter().collect();
    benches.sort_by_key(|bench| badge(bench).verdict.severity_rank());
    let rows: Vec<Row> = benches
        .into_iter()
        .map(|bench| Row {
            badge: badge(bench),
            id: bench.id.as_str(),
            reason: bench.reason.as_deref(),
            hint: None,
            cells: cells(bench, perturbed, wall),
            benches: vec![Some(bench)],
        })
        .collect();
    let mut tally: Vec<(usize, Badge)> = Vec::new();
    for row in &rows {
        match tally.iter_mut().find(|(_, badge)| *badge == row.badge) {
            Some((count, _)) => *count += 1,
            None => tally.push((1, row.badge)),
        }
    }
    let verdicts = rows.iter().map(|row| row.badge.verdict);
    let page = Page {
        title: suite.map_or_else(
            || "tiergate run".to_owned(),
            |suite| format!("tiergate run {}", suite.as_str()),
        ),
        headline: rows.is_empty().then_some("No benches"),
        exit: verdicts.fold(ExitStatus::Pass, |worst, verdict| worst.worst(status(verdict))),
        tally,
        environment: environment::of_one(result)?,
        sides: vec![Side {
            name: "run",
            text: engine_and_instrument(result),
            commit: result.commit.clone(),
            file: result,
        }],
        notes: if result.fingerprint.address_randomisation_off {
            Vec::new()
        } else {
            vec![RANDOMISED.to_owned()]
        },
        fine_print: None,
        after: html! {},
        unit: result.unit(),
        state: "status",
        columns,
        rows,
        data: serde_json::to_string(result)?,
        file_name: "tiergate-run.json",
    };
    document::render(&page)
}

fn badge(bench: &BenchResult) -> Badge {
    match bench.status {
        BenchStatus::Incomplete => Badge::of(Verdict::Incomplete),
        BenchStatus::Skipped => Badge::of(Verdict::Skipped),
        BenchStatus::Measured if is_doubtful(bench) => Badge::of(Verdict::Inconclusive),
        BenchStatus::Measured => Badge { word: "measured", verdict: Verdict::Ok },
    }
}

fn status(verdict: Verdict) -> ExitStatus {
    match verdict {
        Verdict::Incomplete => ExitStatus::Incomplete,
        Verdict::Inconclusive => ExitStatus::Inconclusive,
        _ => ExitStatus::Pass,
    }
}

fn cells(bench: &BenchResult, perturbed: bool, wall: bool) -> Vec<Cell> {
    let summary = summarise_readings(&bench.readings);
    let measured = bench.status == BenchStatus::Measured;
    let figure = |value: Option<f64>, show: fn(f64) -> String| {
        let value = value.filter(|_| measured);
        Cell::new(value.map_or_else(|| UNKNOWN.to_owned(), show), value)
    };
    let ops = |ops: u64| {
        let text = if measured { whole(ops) } else { UNKNOWN.to_owned() };
        Cell::new(text, measured.then_some(ops as f64))
    };
    let mut cells = vec![
        figure(summary.map(|summary| summary.median), per_op)
            .with_more(between_collections(bench).unwrap_or_default()),
        figure(summary.map(|summary| summary.spread()), |value| spread(Some(value))),
        ops(bench.warmup_ops),
        ops(bench.window_ops),
    ];
    if perturbed {
        let floor = noise_floor(&bench.readings);
        let figure = figure(floor, |value| spread(Some(value)));
        cells.insert(2, figure.with_more(mover(bench)));
    }
    if wall {
        let median = bench.wall.as_ref().map(|wall| wall.median_ns_per_op);
        cells.push(figure(median, per_op));
    }
    cells
}
