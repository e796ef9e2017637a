//! What the readings of two sides say, before limits are applied.

use crate::sample::{Summary, median};
use std::collections::BTreeSet;
use tiergate_model::{BenchResult, BenchStatus, Perturbation, Reading};

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
    pub(crate) base: Vec<f64>,
    pub(crate) head: Vec<f64>,
    pub(crate) base_summary: Summary,
    pub(crate) head_summary: Summary,
}

impl Pair {
    /// `head / base` of the medians.
    fn ratio(&self) -> f64 {
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
        let mut perturbations: Vec<Perturbation> =
            base.readings.iter().chain(&head.readings).map(|r| r.perturbation).collect();
        perturbations.sort_unstable();
        perturbations.dedup();
        let mut pairs = Vec::with_capacity(perturbations.len());
        for perturbation in perturbations {
            let base = per_op_under(&base.readings, perturbation);
            let head = per_op_under(&head.readings, perturbation);
            let side = if base.is_empty() { "base" } else { "head" };
            let (Some(base_summary), Some(head_summary)) = (Summary::of(&base), Summary::of(&head))
            else {
                return Err(Gap::Missing(format!(
                    "{side} lacks the readings under a perturbation that the other side has"
                )));
            };
            pairs.push(Pair { base, head, base_summary, head_summary });
        }
        Ok(Self { pairs })
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

    /// The smallest number of repeats of any pair's side.
    pub(crate) fn fewest_repeats(&self) -> usize {
        self.pairs.iter().map(|pair| pair.base.len().min(pair.head.len())).min().unwrap_or(0)
    }
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
