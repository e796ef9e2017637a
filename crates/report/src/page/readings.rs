//! A bench's readings: the pairs of its sides under each perturbation, and its wall-clock rounds.

use super::label;
use super::plot::{Scale, lane};
use super::{Page, Row};
use crate::number::{change, per_op, spread};
use maud::{Markup, html};
use tiergate_model::{BenchResult, Reading};
use tiergate_stats::Summary;

/// The readings of a bench's sides under one perturbation, per op.
struct Group {
    name: String,
    sides: Vec<Vec<f64>>,
}

/// The plots of a bench, with the figures that they show.
pub(super) fn readings(page: &Page, row: &Row) -> Result<Markup, serde_json::Error> {
    let groups = groups(row)?;
    let unit = page.unit.per_op();
    let wall = Group {
        name: "wall clock".to_owned(),
        sides: row.benches.iter().map(|bench| wall_rounds(*bench)).collect(),
    };
    Ok(html! {
        (plots(page, &groups, "Readings", unit, "A/A"))
        @if wall.sides.iter().any(|rounds| !rounds.is_empty()) {
            (plots(page, &[wall], "Wall time", "ns/op", "spread"))
        }
    })
}

fn wall_rounds(bench: Option<&BenchResult>) -> Vec<f64> {
    bench
        .and_then(|bench| bench.wall.as_ref())
        .map_or_else(Vec::new, |wall| wall.rounds_ns_per_op.clone())
}

/// Groups in the order in which the perturbations were first used.
fn groups(row: &Row) -> Result<Vec<Group>, serde_json::Error> {
    let mut groups: Vec<Group> = Vec::new();
    for (side, bench) in row.benches.iter().enumerate() {
        let readings = bench.map_or(&[][..], |bench| &bench.readings);
        for reading in readings.iter().filter(|reading| reading.window_ops > 0) {
            let name = label::perturbation(&serde_json::to_value(reading.perturbation)?);
            let place = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
                groups.push(Group { name, sides: vec![Vec::new(); row.benches.len()] });
                groups.len() - 1
            });
            groups[place].sides[side].push(Reading::per_op(reading));
        }
    }
    Ok(groups)
}

fn plots(page: &Page, groups: &[Group], title: &str, unit: &str, noise: &str) -> Markup {
    let all = groups.iter().flat_map(|group| group.sides.iter().flatten().copied());
    let Some(scale) = Scale::over(all) else {
        return html! {};
    };
    let [low, high] = scale.ends();
    html! {
        section.plots {
            h3 { (title) " " span.unit { (unit) } }
            @for group in groups {
                // The row says already what a lone group amounts to.
                @if groups.len() > 1 {
                    h4 { (group.name) (ratio(group)) }
                }
                @for (side, values) in page.sides.iter().zip(&group.sides) {
                    (lane_with_figures(side.name, values, scale, unit, noise))
                }
            }
            p.scale aria-hidden="true" {
                @if scale.is_a_point() {
                    span {} span { "all " (low) } span {}
                } @else {
                    span { (low) } span { (high) }
                }
            }
        }
    }
}

/// The change of the medians under one perturbation.
fn ratio(group: &Group) -> Markup {
    let medians: Vec<f64> =
        group.sides.iter().filter_map(|values| Summary::of(values)).map(|s| s.median).collect();
    html! {
        @if let [base, head] = medians[..] {
            span.ratio { (change(Some(head / base - 1.0))) }
        }
    }
}

fn lane_with_figures(side: &str, values: &[f64], scale: Scale, unit: &str, noise: &str) -> Markup {
    let class = if side == "base" { "base" } else { "head" };
    let Some(summary) = Summary::of(values) else {
        return html! {
            div.reading { span.side { (side) } span.nothing { "no reading" } }
        };
    };
    let repeats = if summary.size == 1 { "reading" } else { "readings" };
    let spoken = format!(
        "{side}: {} {repeats} from {} to {} {unit}",
        summary.size,
        per_op(summary.min),
        per_op(summary.max),
    );
    let spread = match summary.size {
        1 => String::new(),
        _ => format!("{noise} {} · ", spread(Some(summary.spread()))),
    };
    html! {
        div.reading {
            span class={ "side " (class) } { (side) }
            (lane(values, scale, class, &spoken))
            span.figures {
                b { (per_op(summary.median)) }
                span.dim { " " (spread) (summary.size) " " (repeats) }
            }
        }
    }
}
