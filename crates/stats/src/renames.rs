//! Benches that probably go by another id in head.

use crate::evidence::summarise_readings;
use crate::sides::{Sides, Unlisted};
use std::collections::{BTreeMap, BTreeSet};
use tiergate_model::{BenchId, BenchResult, BenchStatus, ComparisonRow, Rename, Verdict};

/// Counts within this fraction of each other are taken for the same.
const SAME_COUNT: f64 = 0.005;

/// Names that share at least this part of their pairs of neighbouring characters are similar.
const SIMILAR_NAME: f64 = 0.6;

/// What of a name is compared; a text of a page would only cost time.
const COMPARED_CHARS: usize = 200;

/// A bench that only one side has.
struct Single<'a> {
    id: &'a BenchId,
    bench: &'a BenchResult,
    per_op: Option<f64>,
    name_pairs: Vec<(char, char)>,
}

impl<'a> Single<'a> {
    fn of(bench: &'a BenchResult) -> Self {
        let measured = bench.status == BenchStatus::Measured;
        let summary = if measured { summarise_readings(&bench.readings) } else { None };
        Self {
            id: &bench.id,
            bench,
            per_op: summary.map(|summary| summary.median),
            name_pairs: neighbours(bench.id.name()),
        }
    }
}

/// Pairs benches that only base has with benches that only head has. Of all pairs with the same
/// name in another file, the same count under the same plan, or a similar name in the same file,
/// the best is taken first, and each bench once. A bench whose file the other side could not list
/// is in neither group.
pub(crate) fn probable_renames(
    sides: &BTreeMap<&BenchId, Sides>,
    unlisted: &Unlisted,
) -> Vec<Rename> {
    let known = |bench: &&BenchResult| !bench.id.is_file();
    let removed: Vec<Single> = sides
        .values()
        .filter(|sides| sides.head.is_none())
        .filter_map(|sides| sides.base)
        .filter(known)
        .filter(|bench| unlisted.in_head(&bench.id).is_none())
        .map(Single::of)
        .collect();
    let added: Vec<Single> = sides
        .values()
        .filter(|sides| sides.base.is_none())
        .filter_map(|sides| sides.head)
        .filter(known)
        .filter(|bench| unlisted.in_base(&bench.id).is_none())
        .map(Single::of)
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
    let similarity = if same_file { similarity(&from.name_pairs, &to.name_pairs) } else { 0.0 };
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

/// The pairs of neighbouring characters of a name, with its two ends, sorted.
fn neighbours(name: &str) -> Vec<(char, char)> {
    let (end, name) = (std::iter::once('\0'), name.chars().take(COMPARED_CHARS));
    let (first, second) = (end.clone().chain(name.clone()), name.chain(end));
    let mut pairs: Vec<(char, char)> = first.zip(second).collect();
    pairs.sort_unstable();
    pairs
}

/// Twice the pairs in common over all pairs (L. R. Dice, *Measures of the Amount of Ecologic
/// Association Between Species*, Ecology 26 (1945)): 1 for equal names, and quick for many.
fn similarity(one: &[(char, char)], other: &[(char, char)]) -> f64 {
    let (mut left, mut right, mut common) = (0, 0, 0_usize);
    while let (Some(a), Some(b)) = (one.get(left), other.get(right)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                left += 1;
                right += 1;
            }
        }
    }
    2.0 * common as f64 / (one.len() + other.len()) as f64
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

    fn alike(one: &str, other: &str) -> f64 {
        similarity(&neighbours(one), &neighbours(other))
    }

    #[test]
    fn similarity_is_the_share_of_common_pairs() {
        assert_eq!(alike("parse", "parse"), 1.0);
        assert_eq!(alike("", ""), 1.0);
        assert_eq!(alike("abc", "xyz"), 0.0);
        // Pairs: start-n, ni, ig, gh, ht, t-end and start-n, na, ac, ch, ht, t-end.
        assert_eq!(alike("night", "nacht"), 0.5);
        assert!(alike("stringify long", "stringify lang") > SIMILAR_NAME);
        assert!(alike("parse", "stringify") < SIMILAR_NAME);
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric_and_a_share(one in ".{0,20}", other in ".{0,20}") {
            prop_assert!((0.0..=1.0).contains(&alike(&one, &other)));
            prop_assert_eq!(alike(&one, &other), alike(&other, &one));
            prop_assert_eq!(alike(&one, &one), 1.0);
        }
    }
}
