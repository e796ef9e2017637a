//! What equal code does, for a terminal.

use crate::number::{change, per_op, spread, whole};
use crate::style::{ALARM, BOLD, CAUTION, DIM, HINT, Style};
use crate::table::{Align, Cell, Table, note_text};
use crate::text::printable;
use std::collections::BTreeSet;
use tiergate_model::{NoiseDetail, NoiseEffect, NoiseSuite, Percent, PerturbationKind, Unit};

/// Effects below this ask for no advice, a fraction.
const WORTH_ADVICE: f64 = 0.002;

/// What moves a bench: each kind of perturbation with its effect, the most first, and what can be
/// done about those that matter.
pub fn noise_detail_text(detail: &NoiseDetail, unit: Unit, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(&printable(detail.id.as_str()), BOLD));
    let figures = format!(
        "{} {}, A/A {}, warm-up {}, window {}",
        per_op(detail.per_op),
        unit.per_op(),
        spread(Some(detail.aa_spread)),
        whole(detail.warmup_ops),
        whole(detail.window_ops)
    );
    text.push_str(&note_text(&figures, 0, DIM, style));
    text.push('\n');
    let columns = [
        ("what changes", Align::Left),
        ("effect", Align::Right),
        ("draws", Align::Left),
        ("", Align::Left),
    ];
    let mut table = Table::new(&columns, 3);
    for effect in &detail.effects {
        let draws: Vec<String> = effect.changes.iter().map(|draw| shown(*draw)).collect();
        table.row(vec![
            Cell::plain(printable(&effect.perturbation)),
            Cell::painted(spread(Some(effect.size())), size_paint(effect)),
            Cell::plain(draws.join("  ")),
            Cell::painted(effect.kind().map_or("", meaning), DIM),
        ]);
    }
    text.push_str(&table.render(style));
    let mut advice: Vec<&str> = detail
        .effects
        .iter()
        .filter(|effect| effect.size() >= WORTH_ADVICE)
        .filter_map(|effect| advice(effect.kind()?))
        .collect();
    // Environment and path share theirs.
    let mut told = BTreeSet::new();
    advice.retain(|line| told.insert(*line));
    if !advice.is_empty() {
        text.push('\n');
    }
    for line in advice {
        text.push_str(&note_text(&format!("hint: {line}"), 0, HINT, style));
    }
    text
}

fn size_paint(effect: &NoiseEffect) -> anstyle::Style {
    if effect.size() >= WORTH_ADVICE { CAUTION } else { DIM }
}

/// With a third decimal where the draw is small: the interesting ones are.
fn shown(draw: f64) -> String {
    match draw {
        0.0 => "0 %".to_owned(),
        draw if draw.abs() < 0.000_005 => "±<0.001 %".to_owned(),
        draw if draw.abs() < 0.001 => format!("{:+.3}", Percent(draw)),
        draw => change(Some(draw)),
    }
}

/// Short enough to stand beside the draws.
fn meaning(kind: PerturbationKind) -> &'static str {
    match kind {
        PerturbationKind::Mixed => "all kinds at once",
        PerturbationKind::HashSeed => "which keys collide",
        PerturbationKind::RandomSeed => "numbers of Math.random",
        PerturbationKind::HeapPhase => "dead objects, young generation",
        PerturbationKind::WarmUp => "up to 300 ops more before",
        PerturbationKind::Environment => "size of the environment",
        PerturbationKind::Path => "length of all paths",
        PerturbationKind::Addresses => "randomised addresses",
    }
}

fn advice(kind: PerturbationKind) -> Option<&'static str> {
    Some(match kind {
        PerturbationKind::HashSeed => {
            "hash-seed: renamed keys move this bench as much; more keys or inputs per op average \
             it out"
        }
        PerturbationKind::RandomSeed => {
            "random-seed: make the inputs of the bench without Math.random, or many of them; where \
             it draws none, the seed moves choices of the engine's own"
        }
        PerturbationKind::HeapPhase => {
            "heap-phase: on V8 every other draw has a young generation of 1 MB instead of 2; where \
             those differ from the rest, its size moves the bench, which an engine argument can \
             fix (`--max-semi-space-size`); else the window holds few collections, and a longer \
             one averages them"
        }
        PerturbationKind::WarmUp => {
            "warm-up: the window holds few collections, or part of a cycle of the bench; a longer \
             one (`ops` in tiergate.toml, or `--recalibrate`) averages them"
        }
        PerturbationKind::Environment | PerturbationKind::Path => {
            "environment, path: does the bench read the environment, its own path or a stack trace?"
        }
        PerturbationKind::Addresses => {
            "addresses: they are fixed unless the system refuses; see `tiergate doctor`"
        }
        PerturbationKind::Mixed => return None,
    })
}

/// A suite compared with itself: the benches that gave alarms, the noisiest others, and the rate of
/// false alarms.
pub fn noise_suite_text(suite: &NoiseSuite, style: &Style) -> String {
    let columns = [
        ("alarms", Align::Right),
        ("of", Align::Right),
        ("largest change", Align::Right),
        ("A/A", Align::Right),
        ("bench", Align::Left),
    ];
    let mut table = Table::new(&columns, 4);
    for bench in &suite.benches {
        let paint = if bench.alarms > 0 { ALARM } else { DIM };
        table.row(vec![
            Cell::painted(bench.alarms.to_string(), paint),
            Cell::plain(bench.compared.to_string()),
            Cell::plain(spread(Some(bench.largest_change))),
            Cell::plain(spread(Some(bench.widest_spread))),
            Cell::plain(printable(bench.id.as_str())),
        ]);
        for reason in bench.first_alarm.iter().chain(&bench.incomplete) {
            table.note(4, reason.as_str(), DIM);
        }
    }
    format!("{}\n{}\n", table.render(style), style.paint(&noise_summary(suite), BOLD))
}

/// For example `no false alarm in 60 comparisons (below 4.9 % of them, with 95 % certainty), 240
/// readings`.
pub fn noise_summary(suite: &NoiseSuite) -> String {
    let (alarms, compared) = (suite.alarms(), suite.compared());
    let rate = match (alarms, compared) {
        (_, 0) => "no comparison".to_owned(),
        (0, compared) => format!(
            "no false alarm in {} comparisons (with 95 % certainty below {} of them)",
            whole(compared as u64),
            spread(Some(rule_of_three(compared)))
        ),
        (alarms, compared) => format!(
            "{} false alarms in {} comparisons ({})",
            whole(alarms as u64),
            whole(compared as u64),
            spread(Some(alarms as f64 / compared as f64))
        ),
    };
    format!("{rate}, {} readings", whole(suite.readings as u64))
}

/// The rate that would have shown itself with 95 % certainty in so many trials, and did not.
fn rule_of_three(trials: usize) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / trials as f64)
}
