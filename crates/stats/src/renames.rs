//! Benches that probably go by another id in head.

use crate::evidence::summarise_readings;
use std::collections::{BTreeMap, BTreeSet};
use tiergate_model::{BenchId, BenchResult, BenchStatus, ComparisonRow, Rename, Verdict};

/// Counts within this fraction of each other are taken for the same.
const SAME_COUNT: f64 = 0.005;

/// Names that agree in at least this share of their characters are similar.
const SIMILAR_NAME: f64 = 0.6;

/// Longer names are compared by their beginnings: the comparison takes time by the square.
const COMPARED_CHARS: usize = 120;

/// The two sides of one id.
#[derive(Default, Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) base: Option<&'a BenchResult>,
    pub(crate) head: Option<&'a BenchResult>,
}

/// A bench that only one side has.
struct Single<'a> {
    id: &'a BenchId,
    bench: &'a BenchResult,
    per_op: Option<f64>,
}

impl<'a> Single<'a> {
    fn of(bench: &'a BenchResult) -> Self {
        let measured = bench.status == BenchStatus::Measured;
        let summary = if measured { summarise_readings(&bench.readings) } else { None };
        Self { id: &bench.id, bench, per_op: summary.map(|summary| summary.median) }
    }
}

/// Pairs benches that only base has with benches that only head has. Of all pairs with the same
/// name in another file, the same count under the same plan, or a similar name in the same file,
/// the best is taken first, and each bench once.
pub(crate) fn probable_renames(sides: &BTreeMap<&BenchId, Sides>) -> Vec<Rename> {
    let removed: Vec<Single> = sides
        .values()
        .filter(|sides| sides.head.is_none())
        .filter_map(|sides| sides.base.map(Single::of))
        .collect();
    let added: Vec<Single> = sides
        .values()
        .filter(|sides| sides.base.is_none())
        .filter_map(|sides| sides.head.map(Single::of))
        .collect();
    let mut candidates: Vec<(f64, Rename)> =
        removed.iter().flat_map(|from| added.iter().filter_map(|to| candidate(from, to))).collect();
    candidates.sort_by(|(one_score, one), (other_score, other)| {
        other_score
            .total_cmp(one_score)
            .then_with(|| (&one.from, &one.to).cmp(&(&other.from, &other.to)))
    });
    let mut used = BTreeSet::new();
    let mut renames: Vec<Rename> = Vec::new();
    for (_, rename) in candidates {
        // The two sets of ids don't meet, so one set of used ids serves both.
        if !used.contains(&rename.from) && !used.contains(&rename.to) {
            used.extend([rename.from.clone(), rename.to.clone()]);
            renames.push(rename);
        }
    }
    renames.sort_by(|one, other| one.from.cmp(&other.from));
    renames
}

/// A name is chosen, a count is found: an equal name weighs more than an equal count, and that
/// more than a similar name.
fn candidate(from: &Single, to: &Single) -> Option<(f64, Rename)> {
    let same_file = from.id.file() == to.id.file();
    let same_name = !same_file && from.id.name() == to.id.name();
    let distance = count_distance(from, to);
    let similarity = if same_file { similarity(from.id.name(), to.id.name()) } else { 0.0 };
    let mut score = 0.0;
    let mut reasons = Vec::new();
    if same_name {
        score += 4.0;
        reasons.push("same name in another file");
    }
    if let Some(distance) = distance {
        score += 2.0 + 0.5 * (1.0 - distance / SAME_COUNT);
        reasons.push("same count under the same plan");
    }
    if similarity >= SIMILAR_NAME {
        score += similarity;
        reasons.push("similar name in the same file");
    }
    if reasons.is_empty() {
        return None;
    }
    let rename = Rename { from: from.id.clone(), to: to.id.clone(), reason: reasons.join(", ") };
    Some((score, rename))
}

/// How far two counts lie apart, where the plans are the same and the counts nearly so.
fn count_distance(from: &Single, to: &Single) -> Option<f64> {
    let (one, other) = (from.bench, to.bench);
    let same_plan = one.warmup_ops == other.warmup_ops
        && one.window_ops == other.window_ops
        && one.is_async == other.is_async
        && one.framework == other.framework;
    if same_plan { same_count(from.per_op?, to.per_op?) } else { None }
}

/// The relative distance of two counts that are nearly the same.
fn same_count(one: f64, other: f64) -> Option<f64> {
    let distance = (other / one - 1.0).abs();
    (distance <= SAME_COUNT).then_some(distance)
}

/// The share of characters that need no edit, by Levenshtein's distance; 1 for equal names.
fn similarity(one: &str, other: &str) -> f64 {
    let one: Vec<char> = one.chars().take(COMPARED_CHARS).collect();
    let other: Vec<char> = other.chars().take(COMPARED_CHARS).collect();
    let longer = one.len().max(other.len());
    if longer == 0 {
        return 1.0;
    }
    let mut previous: Vec<usize> = (0..=other.len()).collect();
    for (row, from) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, to) in other.iter().enumerate() {
            let replace = previous[column] + usize::from(from != to);
            current.push(replace.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    1.0 - previous[other.len()] as f64 / longer as f64
}

/// Adds a note to rows whose counts changed places between base and head: most likely their names
/// did, and neither got slower. The verdicts stand, since that can't be known.
pub(crate) fn note_swapped_names(rows: &mut [ComparisonRow]) {
    let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
    for one in 0..rows.len() {
        for other in one + 1..rows.len() {
            if let Some(distance) = swap_distance(&rows[one], &rows[other]) {
                candidates.push((distance, one, other));
            }
        }
    }
    candidates.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut used = BTreeSet::new();
    for (_, one, other) in candidates {
        if !used.contains(&one) && !used.contains(&other) {
            used.extend([one, other]);
            let ids = (rows[one].id.clone(), rows[other].id.clone());
            add_note(&mut rows[one], &ids.1);
            add_note(&mut rows[other], &ids.0);
        }
    }
}

fn swap_distance(one: &ComparisonRow, other: &ComparisonRow) -> Option<f64> {
    let moved = |row: &ComparisonRow| {
        matches!(
            row.verdict,
            Verdict::Fail | Verdict::Warn | Verdict::Improved | Verdict::Inconclusive
        ) && row.change.is_some()
    };
    if !moved(one) || !moved(other) {
        return None;
    }
    let there = same_count(one.base_per_op?, other.head_per_op?)?;
    let back = same_count(other.base_per_op?, one.head_per_op?)?;
    // Equal benches are nearly equal either way round.
    if same_count(one.base_per_op?, other.base_per_op?).is_some() {
        return None;
    }
    Some(there + back)
}

fn add_note(row: &mut ComparisonRow, other: &BenchId) {
    let note = format!("its count and that of `{other}` look swapped, perhaps their names were");
    row.reason = Some(match row.reason.take() {
        Some(reason) => format!("{reason}; {note}"),
        None => note,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn similarity_is_the_share_of_characters_without_an_edit() {
        assert_eq!(similarity("parse", "parse"), 1.0);
        assert_eq!(similarity("", ""), 1.0);
        assert_eq!(similarity("abc", "xyz"), 0.0);
        // The textbook pair, at distance 3.
        assert!((similarity("kitten", "sitting") - (1.0 - 3.0 / 7.0)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric_and_a_share(one in ".{0,20}", other in ".{0,20}") {
            let forth = similarity(&one, &other);
            prop_assert!((0.0..=1.0).contains(&forth));
            prop_assert_eq!(forth, similarity(&other, &one));
        }
    }
}
