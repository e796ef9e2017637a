//! A run for a terminal.

use crate::number::{change, per_op, spread, whole};
use crate::phases::phases_text;
use crate::style::{ALARM, BOLD, CAUTION, DIM, Style};
use crate::table::{Align, Cell, Table, note_text};
use crate::text::printable;
use tiergate_model::{BenchResult, BenchStatus, Perturbation, ResultFile, Unit, WallReading};
use tiergate_stats::{moved_by, noise_floor, summarise_readings};

/// What moves a bench by less than this is not worth a name, a fraction.
const SMALLEST_MOVE: f64 = 0.000_05;

/// Reasons stand below their bench's name.
const REASON_INDENT: usize = 6;

/// A run as text: the engine, instrument and flags, the benches by file, and a summary line.
pub fn run_text(result: &ResultFile, style: &Style) -> String {
    let mut sections = vec![header(result, style)];
    if !result.benches.is_empty() {
        sections.push(benches(result, style));
    }
    sections.push(format!("{}\n", run_summary(result, style)));
    sections.join("\n")
}

fn header(result: &ResultFile, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(&engine_and_instrument(result), BOLD));
    let flags = &result.fingerprint.engine.flags;
    if !flags.is_empty() {
        let flags = format!("flags: {}", flags.join(" "));
        text.push_str(&note_text(&flags, 0, DIM, style));
    }
    if result.unit() == Unit::Nanoseconds {
        text.push_str(&note_text(REAL, 0, DIM, style));
    }
    if !result.fingerprint.address_randomisation_off {
        text.push_str(&note_text(RANDOMISED, 0, CAUTION, style));
    }
    text
}

/// What a run by the clock says.
const REAL: &str = "clocks and threads are real: nothing is held constant but by flags";

/// What a run in a container that refuses says.
pub(crate) const RANDOMISED: &str =
    "address-space randomisation is on: this system refuses to switch it off";

/// For example `node 24.22.1 (v8 13.6.233.17-node.41), callgrind 3.19.0`.
pub(crate) fn engine_and_instrument(result: &ResultFile) -> String {
    let (engine, instrument) = (&result.fingerprint.engine, &result.fingerprint.instrument);
    let text = format!(
        "{} {} ({}), {} {}",
        engine.name, engine.version, engine.jit_engine, instrument.name, instrument.version
    );
    printable(&text)
}

/// The benches of each file, files in the order of their first bench.
pub(crate) fn by_file(result: &ResultFile) -> Vec<(&str, Vec<&BenchResult>)> {
    let mut files: Vec<(&str, Vec<&BenchResult>)> = Vec::new();
    for bench in &result.benches {
        match files.iter_mut().find(|(file, _)| *file == bench.file) {
            Some((_, benches)) => benches.push(bench),
            None => files.push((&bench.file, vec![bench])),
        }
    }
    files
}

/// Whether there are wall-clock rounds beside counts; where the clock is the instrument they are
/// the readings.
pub(crate) fn shows_wall(result: &ResultFile) -> bool {
    result.unit() == Unit::Instructions && result.benches.iter().any(|bench| bench.wall.is_some())
}

fn benches(result: &ResultFile, style: &Style) -> String {
    let wall = shows_wall(result);
    let mut columns = vec![
        ("bench", Align::Left),
        (result.unit().per_op(), Align::Right),
        ("A/A", Align::Right),
        ("warm-up", Align::Right),
        ("window", Align::Right),
        ("readings", Align::Right),
    ];
    let perturbed = is_perturbed(result);
    if perturbed {
        columns.insert(3, ("noise floor", Align::Right));
        columns.insert(4, ("most by", Align::Left));
    }
    if wall {
        columns.push(("wall ns/op", Align::Right));
    }
    let mut table = Table::new(&columns, 0);
    for (file, benches) in by_file(result) {
        table.note(0, file, BOLD);
        for bench in benches {
            table.row(cells(bench, perturbed, wall));
            if let Some(reason) = &bench.reason {
                let word = if is_doubtful(bench) { "INCONCLUSIVE: " } else { "" };
                table.note(REASON_INDENT, format!("{word}{reason}"), DIM);
            }
            if let Some(phases) = phases_text(bench) {
                table.note(REASON_INDENT, phases, DIM);
            }
            for warning in &bench.warnings {
                table.note(REASON_INDENT, format!("note: {warning}"), DIM);
            }
        }
    }
    table.render(style)
}

fn cells(bench: &BenchResult, perturbed: bool, wall: bool) -> Vec<Cell> {
    let name = Cell::plain(format!("  {}", printable(short_name(bench))));
    let summary = summarise_readings(&bench.readings);
    match (bench.status, summary) {
        (BenchStatus::Skipped, _) => vec![name, Cell::painted("skipped", DIM)],
        (BenchStatus::Measured, Some(summary)) => {
            let mut cells = vec![
                name,
                Cell::plain(per_op(summary.median)),
                Cell::plain(spread(Some(summary.spread()))),
                Cell::plain(whole(bench.warmup_ops)),
                Cell::plain(whole(bench.window_ops)),
                Cell::plain(bench.readings.len().to_string()),
            ];
            if perturbed {
                cells.insert(3, Cell::plain(spread(noise_floor(&bench.readings))));
                cells.insert(4, Cell::plain(mover(bench)));
            }
            if wall {
                cells.push(Cell::plain(bench.wall.as_ref().map(wall_text).unwrap_or_default()));
            }
            cells
        }
        _ => vec![name, Cell::painted("INCOMPLETE", ALARM)],
    }
}

/// Whether there are readings under perturbations.
pub(crate) fn is_perturbed(result: &ResultFile) -> bool {
    let mut readings = result.benches.iter().flat_map(|bench| &bench.readings);
    readings.any(|reading| reading.perturbation != Perturbation::None)
}

/// The kind of perturbation that moves the bench most, and how far, where that shows.
pub(crate) fn mover(bench: &BenchResult) -> String {
    match moved_by(&bench.readings).first() {
        Some((kind, by)) if by.abs() >= SMALLEST_MOVE => {
            format!("{} {}", kind.name(), change(Some(*by)))
        }
        _ => String::new(),
    }
}

/// Whether its readings, though all there, are none to judge by.
pub(crate) fn is_doubtful(bench: &BenchResult) -> bool {
    bench.status == BenchStatus::Measured && bench.reason.is_some()
}

/// The name within its file, or the whole id where there is no file in it.
pub(crate) fn short_name(bench: &BenchResult) -> &str {
    match bench.id.name() {
        "" => bench.id.as_str(),
        name => name,
    }
}

/// The median with the range of the rounds.
pub(crate) fn wall_text(wall: &WallReading) -> String {
    format!(
        "{} ({} to {})",
        per_op(wall.median_ns_per_op),
        per_op(wall.min_ns_per_op),
        per_op(wall.max_ns_per_op)
    )
}

/// For example `1 INCOMPLETE, 3 measured`.
pub fn run_summary(result: &ResultFile, style: &Style) -> String {
    let count = |status| result.benches.iter().filter(|bench| bench.status == status).count();
    let doubtful = result.benches.iter().filter(|bench| is_doubtful(bench)).count();
    let parts: Vec<String> = [
        (count(BenchStatus::Incomplete), "INCOMPLETE", ALARM),
        (doubtful, "INCONCLUSIVE", CAUTION),
        (count(BenchStatus::Measured) - doubtful, "measured", BOLD),
        (count(BenchStatus::Skipped), "skipped", DIM),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, word, paint)| style.paint(&format!("{count} {word}"), paint))
    .collect();
    if parts.is_empty() { style.paint("no benches", BOLD) } else { parts.join(", ") }
}
