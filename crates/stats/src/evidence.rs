//! What the readings of two sides say, before limits are applied.

use crate::sample::{Summary, median, spread};
use std::collections::{BTreeMap, BTreeSet};
use tiergate_model::{BenchResult, BenchStatus, Perturbation, PerturbationKind, Reading};

/// The per-op counts of the readings under one perturbation, in the order of the readings.
pub(crate) fn per_op_under(readings: &[Reading], perturbation: Perturbation) -> Vec<f64> {
    readings
        .iter()
        .filter(|reading| reading.perturbation == perturbation)
        .map(Reading::per_op)
        .collect()
}

/// Summarises the unperturbed readings, per op and in the instrument's unit: the median and the
/// A/A spread that a result file states. `None` without such a reading.
pub fn summarise_readings(readings: &[Reading]) -> Option<Summary> {
    Summary::of(&per_op_under(readings, Perturbation::None))
}

/// A base and a head side under the same perturbation.
pub(crate) struct Pair {
    pub(crate) perturbation: Perturbation,
    pub(crate) base: Vec<f64>,
    pub(crate) head: Vec<f64>,
    pub(crate) base_summary: Summary,
    pub(crate) head_summary: Summary,
}

impl Pair {
    fn of(base: &BenchResult, head: &BenchResult, perturbation: Perturbation) -> Option<Self> {
        let base = per_op_under(&base.readings, perturbation);
        let head = per_op_under(&head.readings, perturbation);
        let (base_summary, head_summary) = (Summary::of(&base)?, Summary::of(&head)?);
        Some(Self { perturbation, base, head, base_summary, head_summary })
    }

    /// `head / base` of the medians.
    pub(crate) fn ratio(&self) -> f64 {
        self.head_summary.median / self.base_summary.median
    }

    /// The smallest and the largest ratio that the repeats allow; it excludes 1 exactly when the
    /// ranges of the repeats don't overlap.
    fn ratio_range(&self) -> (f64, f64) {
        (
            self.head_summary.min / self.base_summary.max,
            self.head_summary.max / self.base_summary.min,
        )
    }
}

/// The pairs of one bench; never empty, the unperturbed one first.
pub(crate) struct Evidence {
    pub(crate) pairs: Vec<Pair>,
    /// What each kind of perturbation does to the bench by itself, the most first.
    movers: Vec<(PerturbationKind, f64)>,
    /// What perturbations are known to do to equal code, where no pair tells it.
    known_noise: Option<KnownNoise>,
}

/// Why a single pair may differ though its code does not.
pub(crate) enum KnownNoise {
    /// One side was measured under perturbations, which move it so far; a fraction.
    Floor { side: &'static str, floor: f64 },
    /// The collector ran so often in the window of each side, which other work does not explain.
    Collections { base: u64, head: u64 },
}

/// Why there is no evidence.
pub(crate) enum Gap {
    /// A side lacks readings, or has some that prove nothing.
    Missing(String),
    /// The sides were measured in ways that can't be compared.
    Incomparable { reason: String, hint: String },
}

const SAME_LOCK: &str = "measure both sides with the same `tiergate.lock`";

impl Evidence {
    /// Pairs the readings of two measured benches.
    pub(crate) fn gather(base: &BenchResult, head: &BenchResult) -> Result<Self, Gap> {
        check_measured(base, head)?;
        check_readings("base", base)?;
        check_readings("head", head)?;
        check_plan(base, head)?;
        let pairs: Vec<Pair> = judged(base, head)
            .into_iter()
            .filter_map(|perturbation| Pair::of(base, head, perturbation))
            .collect();
        let mut evidence = Self { pairs, movers: movers(base, head), known_noise: None };
        if evidence.pairs.len() == 1 {
            evidence.known_noise = known_noise(base, head, evidence.change());
        }
        Ok(evidence)
    }

    /// Why the change may be none of the code's.
    pub(crate) fn known_noise(&self) -> Option<&KnownNoise> {
        self.known_noise.as_ref()
    }

    /// Δ: the median of the pairs' ratios, less 1.
    pub(crate) fn change(&self) -> f64 {
        let ratios: Vec<f64> = self.pairs.iter().map(Pair::ratio).collect();
        median(&ratios).map_or(f64::NAN, |ratio| ratio - 1.0)
    }

    /// The interval of the ratio. Over K pairs, from the smallest to the largest ratio covers the
    /// median with probability 1 − 2^(1 − K), which is nothing for a single pair; there the
    /// repeats' own ranges stand in.
    pub(crate) fn interval(&self) -> (f64, f64) {
        if let [pair] = self.pairs.as_slice() {
            return pair.ratio_range();
        }
        self.pairs.iter().map(Pair::ratio).fold((f64::INFINITY, 0.0), |(low, high), ratio| {
            (f64::min(low, ratio), f64::max(high, ratio))
        })
    }

    /// The pairs with the smallest and the largest ratio.
    pub(crate) fn extremes(&self) -> Option<(&Pair, &Pair)> {
        let by_ratio = |one: &&Pair, other: &&Pair| one.ratio().total_cmp(&other.ratio());
        Some((self.pairs.iter().min_by(by_ratio)?, self.pairs.iter().max_by(by_ratio)?))
    }

    /// How far equal code moves under the perturbations, a fraction: the wider of the two sides'
    /// spreads. `None` without perturbations.
    pub(crate) fn noise_floor(&self) -> Option<f64> {
        if self.pairs.len() < 2 {
            return None;
        }
        let medians = |of: fn(&Pair) -> f64| self.pairs.iter().map(of).collect::<Vec<_>>();
        let base = spread(&medians(|pair| pair.base_summary.median))?;
        let head = spread(&medians(|pair| pair.head_summary.median))?;
        Some(f64::max(base, head))
    }

    /// The kind of perturbation that moves the bench most by itself, and how far, where it was
    /// looked for.
    pub(crate) fn mover(&self) -> Option<(PerturbationKind, f64)> {
        self.movers.first().copied()
    }

    /// Whether all unperturbed readings of both sides are the same number: they are A/A repeats of
    /// one another, since no change of the work leaves a count of millions as it was.
    pub(crate) fn counts_are_one(&self) -> bool {
        self.pairs.first().is_some_and(|pair| {
            let mut counts = pair.base.iter().chain(&pair.head);
            let first = counts.next();
            counts.all(|count| Some(count) == first)
        })
    }

    /// The smaller number of repeats of the unperturbed pair's sides.
    pub(crate) fn fewest_repeats(&self) -> usize {
        self.pairs.first().map_or(0, |pair| pair.base.len().min(pair.head.len()))
    }
}

/// The most that another phase or size of the young generation was seen to move equal code by, a
/// fraction: 4.0 %, of an op that parses JSON on Node 24 (docs/noise.md).
const MOST_BY_COLLECTIONS: f64 = 0.04;

/// Collections more or fewer that come of where the window's edges lie.
const COLLECTIONS_AT_EDGES: u64 = 2;

/// A change of the work by itself changes the collections by about the same share, and hardly by
/// so many times as much.
const OUT_OF_PROPORTION: f64 = 4.0;

/// What could explain the change of a single pair, a fraction, beside the code.
fn known_noise(base: &BenchResult, head: &BenchResult, change: f64) -> Option<KnownNoise> {
    let of = |side: &'static str, result: &BenchResult| {
        let floor = noise_floor(&result.readings).filter(|floor| change.abs() <= *floor)?;
        Some(KnownNoise::Floor { side, floor })
    };
    of("base", base).or_else(|| of("head", head)).or_else(|| {
        let count = |side: &BenchResult| {
            let twin = side.readings.iter().find_map(|reading| reading.proof.twin.as_ref())?;
            Some(twin.collections_in_window())
        };
        let (base, head) = (count(base)?, count(head)?);
        let least = base.min(head).max(1) as f64;
        let share = base.abs_diff(head) as f64 / least;
        let is_unexplained = base.abs_diff(head) > COLLECTIONS_AT_EDGES
            && share > OUT_OF_PROPORTION * change.abs()
            && change.abs() <= MOST_BY_COLLECTIONS;
        is_unexplained.then_some(KnownNoise::Collections { base, head })
    })
}

/// The perturbations that both sides were measured under and that changes are judged by: `none`,
/// and the draws of all kinds at once. Those of one kind leave the others as they are, so a
/// difference that comes from one of the others would be the same under most of them, and look
/// like a change of the code; they count only where there are no others.
fn judged(base: &BenchResult, head: &BenchResult) -> Vec<Perturbation> {
    let of = |side: &BenchResult| -> BTreeSet<Perturbation> {
        side.readings.iter().map(|reading| reading.perturbation).collect()
    };
    let common: Vec<Perturbation> = of(base).intersection(&of(head)).copied().collect();
    let is_mixed =
        |one: &Perturbation| one.kind().is_none_or(|kind| kind == PerturbationKind::Mixed);
    let mixed: Vec<Perturbation> = common.iter().copied().filter(is_mixed).collect();
    if mixed.len() > 1 { mixed } else { common }
}

/// What each kind of perturbation by itself does to a side, the most first: the change of the
/// median per op, of the side that it moves further.
fn movers(base: &BenchResult, head: &BenchResult) -> Vec<(PerturbationKind, f64)> {
    let mut movers: Vec<(PerturbationKind, f64)> = moved_by(&base.readings);
    movers.extend(moved_by(&head.readings));
    movers.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    movers
}

/// By how much each kind of perturbation alone moves a bench, a fraction with its sign, the
/// furthest draw of each; the most first.
pub fn moved_by(readings: &[Reading]) -> Vec<(PerturbationKind, f64)> {
    let Some(usual) = summarise_readings(readings) else { return Vec::new() };
    let mut moved: BTreeMap<PerturbationKind, f64> = BTreeMap::new();
    for reading in readings {
        let Some(kind) = reading.perturbation.kind() else { continue };
        let change = reading.per_op() / usual.median - 1.0;
        if kind != PerturbationKind::Mixed && change.is_finite() {
            let furthest = moved.entry(kind).or_insert(change);
            if change.abs() > furthest.abs() {
                *furthest = change;
            }
        }
    }
    let mut moved: Vec<_> = moved.into_iter().collect();
    moved.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    moved
}

/// The noise floor of one side: the spread of its readings over the perturbations, a fraction.
/// `None` where it has none.
pub fn noise_floor(readings: &[Reading]) -> Option<f64> {
    let mut medians: BTreeMap<Perturbation, Vec<f64>> = BTreeMap::new();
    for reading in readings {
        medians.entry(reading.perturbation).or_default().push(reading.per_op());
    }
    let medians: Vec<f64> = medians.values().filter_map(|per_op| median(per_op)).collect();
    if medians.len() < 2 { None } else { spread(&medians) }
}

fn check_measured(base: &BenchResult, head: &BenchResult) -> Result<(), Gap> {
    let fault = |side: &BenchResult| {
        let reason = side.reason.as_deref().unwrap_or("no reason was recorded");
        (side.status != BenchStatus::Measured).then(|| reason.to_owned())
    };
    Err(Gap::Missing(match (fault(base), fault(head)) {
        (None, None) => return Ok(()),
        (Some(base), Some(head)) if base == head => format!("base and head: {base}"),
        (Some(base), Some(head)) => format!("base: {base}; head: {head}"),
        (Some(base), None) => format!("base: {base}"),
        (None, Some(head)) => format!("head: {head}"),
    }))
}

fn check_readings(name: &str, side: &BenchResult) -> Result<(), Gap> {
    let missing = |fault: &str| Err(Gap::Missing(format!("{name} {fault}")));
    if !side.readings.iter().any(|reading| reading.perturbation == Perturbation::None) {
        return missing("has no reading");
    }
    for reading in &side.readings {
        if reading.count == 0 || reading.window_ops == 0 {
            return missing("has a count of zero");
        }
        if reading.proof.marks.seen != reading.proof.marks.expected {
            return missing("has a reading with missing or extra marks");
        }
    }
    Ok(())
}

/// The plan is the part of the fingerprint that each bench has for itself.
fn check_plan(base: &BenchResult, head: &BenchResult) -> Result<(), Gap> {
    let mut reasons = Vec::new();
    let mut hint = SAME_LOCK;
    if base.warmup_ops != head.warmup_ops {
        reasons.push(format!("a warm-up of {} and {} ops", base.warmup_ops, head.warmup_ops));
    }
    if base.window_ops != head.window_ops {
        reasons.push(format!("a window of {} and {} ops", base.window_ops, head.window_ops));
    } else if marks(base) != marks(head) {
        reasons.push("hooks around the op on one side only".to_owned());
        hint = "give the bench a new name, it does not measure the same op any more";
    }
    if base.is_async != head.is_async {
        let word = |is_async| if is_async { "an awaited" } else { "a synchronous" };
        reasons.push(format!("{} and {} op", word(base.is_async), word(head.is_async)));
        hint = "give the bench a new name, it does not measure the same op any more";
    }
    if base.framework != head.framework {
        reasons.push(format!("`{}` and `{}`", base.framework, head.framework));
        hint = "use one version of the framework on both sides";
    }
    for (name, base, head) in unequal_conditions(base, head) {
        reasons.push(format!("{name}: `{base}` and `{head}`"));
        hint = "run the file in the same way on both sides";
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(Gap::Incomparable {
        reason: format!("not comparable: base and head have {}", reasons.join(", and ")),
        hint: hint.to_owned(),
    })
}

/// The names of the conditions that differ, with the values of base and head.
fn unequal_conditions<'a>(
    base: &'a BenchResult,
    head: &'a BenchResult,
) -> Vec<(&'a str, &'a str, &'a str)> {
    let names: BTreeSet<&String> = base.conditions.keys().chain(head.conditions.keys()).collect();
    let value =
        |side: &'a BenchResult, name| side.conditions.get(name).map_or("none", String::as_str);
    names
        .into_iter()
        .map(|name| (name.as_str(), value(base, name), value(head, name)))
        .filter(|(_, base, head)| base != head)
        .collect()
}

fn marks(side: &BenchResult) -> Option<u64> {
    side.readings.first().map(|reading| reading.proof.marks.expected)
}
