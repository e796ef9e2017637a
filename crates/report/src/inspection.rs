//! What else was found about benches, for a terminal: the effect of lowered thresholds, and where
//! equal runs spent their instructions differently.

use crate::number::{UNKNOWN, change, per_op, whole};
use crate::style::{ALARM, BOLD, CAUTION, DIM, Style};
use crate::table::{Align, Cell, Table, note_text};
use crate::text::printable;
use tiergate_model::{FunctionDifference, Percent, ProfileDifference, ThresholdEffect};

/// Functions that are listed of a profile.
const MOST_FUNCTIONS: usize = 30;

/// Each bench with both counts and what lies between them, the largest effect first.
pub fn thresholds_text(effects: &[ThresholdEffect], style: &Style) -> String {
    let columns = [
        ("lowered", Align::Right),
        ("own", Align::Right),
        ("effect", Align::Right),
        ("warm-up", Align::Right),
        ("own warm-up", Align::Right),
        ("bench", Align::Left),
    ];
    let mut sorted: Vec<&ThresholdEffect> = effects.iter().collect();
    let size = |one: &ThresholdEffect| one.change().map_or(f64::INFINITY, f64::abs);
    sorted.sort_by(|first, second| size(second).total_cmp(&size(first)));
    let mut table = Table::new(&columns, 5);
    for effect in sorted {
        let figure = |value: Option<f64>| value.map_or_else(|| UNKNOWN.to_owned(), per_op);
        let paint = if size(effect) > ThresholdEffect::LIMIT { CAUTION } else { DIM };
        table.named_row(
            4,
            vec![
                Cell::plain(figure(effect.lowered.per_op)),
                Cell::plain(figure(effect.own.per_op)),
                Cell::painted(shown(effect.change()), paint),
                Cell::plain(whole(effect.lowered.warmup_ops)),
                Cell::plain(whole(effect.own.warmup_ops)),
                Cell::plain(printable(effect.id.as_str())),
            ],
        );
        let sides = [("lowered", &effect.lowered), ("own", &effect.own)];
        for (name, side) in sides {
            if let Some(reason) = &side.reason {
                table.note(4, format!("{name}: {}", printable(reason)), ALARM);
            }
        }
        if let (Some(alone), Some(aged)) = (effect.change_at_equal_age(), &effect.aged) {
            let text = format!(
                "after the long warm-up {} with lowered thresholds: they do {}, the rest is age",
                figure(aged.per_op),
                shown(Some(alone))
            );
            table.note(4, text, DIM);
        }
        if size(effect) > ThresholdEffect::LIMIT {
            for (function, lowered, own) in effect.other_tiers() {
                let name = if function.is_empty() { "(anonymous)" } else { function };
                let text = format!("{}: {lowered}, with the engine's own: {own}", printable(name));
                table.note(4, text, DIM);
            }
        }
    }
    format!("{}\n{}\n", table.render(style), style.paint(&thresholds_summary(effects), BOLD))
}

/// With a third decimal where it is small.
fn shown(effect: Option<f64>) -> String {
    match effect {
        Some(effect) if effect != 0.0 && effect.abs() < 0.001 => format!("{:+.3}", Percent(effect)),
        effect => change(effect),
    }
}

/// For example `3 of 4 within 0.5 % of the engine's own thresholds, 1 beyond (up to +1.20 %)`.
fn thresholds_summary(effects: &[ThresholdEffect]) -> String {
    let known: Vec<f64> = effects.iter().filter_map(ThresholdEffect::change).collect();
    let limit = Percent(ThresholdEffect::LIMIT);
    let beyond = known.iter().filter(|change| change.abs() > ThresholdEffect::LIMIT);
    let largest = beyond.clone().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
    let within = known.len() - beyond.clone().count();
    let mut text =
        format!("{within} of {} within {limit:.1} of the engine's own thresholds", effects.len());
    if let Some(largest) = largest {
        text.push_str(&format!(", {} beyond (up to {})", beyond.count(), change(Some(largest))));
    }
    let unknown = effects.len() - known.len();
    if unknown > 0 {
        text.push_str(&format!(", {unknown} not to be told"));
    }
    text
}

/// The functions that differ between two equal runs; where none does, those that most
/// instructions are in.
pub fn profile_difference_text(found: &ProfileDifference, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(&printable(found.id.as_str()), BOLD));
    if found.functions.is_empty() {
        let said = format!(
            "{} processes, {} instructions in each window: no function differs",
            found.processes,
            whole(found.first)
        );
        text.push_str(&note_text(&said, 0, DIM, style));
        text.push('\n');
        let columns =
            [("share", Align::Right), ("instructions", Align::Right), ("function", Align::Left)];
        let mut table = Table::new(&columns, 2);
        for one in found.largest.iter().take(MOST_FUNCTIONS) {
            let share = one.first as f64 / found.first.max(1) as f64;
            table.row(vec![
                Cell::plain(format!("{:.1}", Percent(share))),
                Cell::plain(whole(one.first)),
                Cell::plain(name(one)),
            ]);
        }
        text.push_str(&table.render(style));
        return text;
    }
    let said = format!(
        "{} processes; the two that differ most: {} and {} instructions, {} functions differ",
        found.processes,
        whole(found.first),
        whole(found.other),
        whole(found.functions.len() as u64)
    );
    text.push_str(&note_text(&said, 0, CAUTION, style));
    text.push('\n');
    let columns = [
        ("difference", Align::Right),
        ("first", Align::Right),
        ("other", Align::Right),
        ("function", Align::Left),
    ];
    let mut table = Table::new(&columns, 3);
    for one in found.functions.iter().take(MOST_FUNCTIONS) {
        let sign = if one.other < one.first { '-' } else { '+' };
        table.row(vec![
            Cell::plain(format!("{sign}{}", whole(one.first.abs_diff(one.other)))),
            Cell::plain(whole(one.first)),
            Cell::plain(whole(one.other)),
            Cell::plain(name(one)),
        ]);
    }
    text.push_str(&table.render(style));
    let left_out = found.functions.len().saturating_sub(MOST_FUNCTIONS);
    if left_out > 0 {
        text.push_str(&note_text(&format!("and {left_out} more"), 0, DIM, style));
    }
    text
}

fn name(function: &FunctionDifference) -> String {
    let file = if function.file.is_empty() { "generated code" } else { &function.file };
    printable(&format!("{} ({file})", function.name))
}
