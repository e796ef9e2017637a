//! What is known about a bench's windows, side by side.

use super::facts::{Fact, STEP, facts, other_fields};
use super::timeline::timeline;
use super::{Page, Row};
use crate::number::whole;
use crate::phases::phases_text;
use crate::text::printable;
use maud::{Markup, html};
use tiergate_model::{BenchResult, BenchStatus};

/// One fact with what each side says of it.
struct Line {
    name: String,
    values: Vec<String>,
    is_nothing: bool,
}

/// Fields of a bench that the page shows in other places, or above.
const SHOWN_OF_BENCH: [&str; 13] = [
    "id",
    "file",
    "framework",
    "status",
    "reason",
    "async",
    "warmup_ops",
    "window_ops",
    "instructions_per_op",
    "aa_spread",
    "readings",
    "window_phases",
    "wall",
];

/// Fields of a reading that the plots show, or that say nothing of its window.
const SHOWN_OF_READING: [&str; 6] =
    ["perturbation", "repeat", "count", "window_ops", "seconds", "proof"];

/// How the bench was run, and the proof of its readings.
pub(super) fn proof(page: &Page, row: &Row) -> Result<Markup, serde_json::Error> {
    let plans: Vec<Vec<Fact>> =
        row.benches.iter().map(|bench| plan(*bench)).collect::<Result<_, _>>()?;
    let proofs: Vec<Vec<Fact>> =
        row.benches.iter().map(|bench| proofs(*bench)).collect::<Result<_, _>>()?;
    let proof_lines = lines(&proofs);
    Ok(html! {
        section.facts {
            (table(page, "Plan", &lines(&plans)))
            (timeline(page, row))
        }
        @if proof_lines.is_empty() {
            section { h3 { "Proof" } p.dim { "There is no reading to prove anything of." } }
        } @else {
            section.facts { (table(page, "Proof", &proof_lines)) }
        }
    })
}

/// What the readings' proofs say, and whatever else the readings hold.
fn proofs(bench: Option<&BenchResult>) -> Result<Vec<Fact>, serde_json::Error> {
    let mut values = Vec::new();
    for reading in bench.map_or(&[][..], |bench| &bench.readings) {
        values.push(serde_json::to_value(&reading.proof)?);
        values.push(other_fields(serde_json::to_value(reading)?, &SHOWN_OF_READING));
    }
    Ok(facts(&values))
}

/// How the bench was run, and whatever else it holds.
fn plan(bench: Option<&BenchResult>) -> Result<Vec<Fact>, serde_json::Error> {
    let Some(bench) = bench else {
        return Ok(Vec::new());
    };
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value, is_nothing: false };
    let mut facts = vec![fact("framework", printable(&bench.framework))];
    if bench.status == BenchStatus::Measured {
        let op = if bench.is_async { "awaited" } else { "synchronous" };
        facts.extend([
            fact("op", op.to_owned()),
            fact("warm-up ops", whole(bench.warmup_ops)),
            fact("window ops", whole(bench.window_ops)),
        ]);
    }
    facts.extend(phases_text(bench).map(|text| fact("phases", text)));
    // Without the readings, which are many.
    let without_readings = BenchResult { readings: Vec::new(), ..bench.clone() };
    let others = other_fields(serde_json::to_value(without_readings)?, &SHOWN_OF_BENCH);
    facts.extend(self::facts(&[others]));
    Ok(facts)
}

/// The facts of the sides by their names, in the order of the first side that has them.
fn lines(sides: &[Vec<Fact>]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (side, facts) in sides.iter().enumerate() {
        for fact in facts {
            let place = lines.iter().position(|line| line.name == fact.name).unwrap_or_else(|| {
                let values = vec![String::new(); sides.len()];
                lines.push(Line { name: fact.name.clone(), values, is_nothing: true });
                lines.len() - 1
            });
            lines[place].values[side].clone_from(&fact.value);
            lines[place].is_nothing &= fact.is_nothing;
        }
    }
    lines
}

fn table(page: &Page, title: &str, lines: &[Line]) -> Markup {
    html! {
        h3 { (title) }
        table {
            @if page.sides.len() > 1 {
                thead { tr { td {} @for side in &page.sides { th scope="col" { (side.name) } } } }
            }
            tbody { @for (heading, lines) in grouped(lines) { (group(page, heading, &lines)) } }
        }
    }
}

/// The lines below the first name of their paths; those without a path have no heading.
fn grouped(lines: &[Line]) -> Vec<(&str, Vec<&Line>)> {
    let mut groups: Vec<(&str, Vec<&Line>)> = Vec::new();
    for line in lines {
        let heading = line.name.split_once(STEP).map_or("", |(heading, _)| heading);
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, lines)) => lines.push(line),
            None => groups.push((heading, vec![line])),
        }
    }
    groups
}

fn group(page: &Page, heading: &str, lines: &[&Line]) -> Markup {
    let name =
        |line: &&&Line| line.name.split_once(STEP).map_or(&*line.name, |(_, name)| name).to_owned();
    let columns = page.sides.len() + 1;
    let nothing: Vec<String> =
        lines.iter().filter(|line| line.is_nothing).map(|line| name(&line)).collect();
    html! {
        @if !heading.is_empty() {
            tr.heading { th scope="rowgroup" colspan=(columns) { (heading) } }
        }
        @for line in lines.iter().filter(|line| !line.is_nothing) {
            tr.differs[line.values.iter().any(|value| *value != line.values[0])] {
                th scope="row" { (name(&line)) }
                @for value in &line.values { td { (value) } }
            }
        }
        @if !nothing.is_empty() {
            tr { td.nothings colspan=(columns) { "none: " (nothing.join(", ")) } }
        }
    }
}
