//! From evidence and limits to a verdict.

use crate::bootstrap::median_ratio_interval;
use crate::evidence::{Evidence, Gap, KnownNoise, Pair, summarise_readings};
use crate::mann_whitney::{mann_whitney, smallest_p};
use tiergate_model::{
    BenchId, BenchResult, BenchStatus, ComparisonRow, Limits, PairRow, Percent, Perturbation, Unit,
    Verdict,
};

/// Fewer repeats say nothing about the spread, unless two of them are equal, or all of both sides
/// are the same number.
const FEWEST_REPEATS: usize = 3;

/// The spread, a fraction, of two repeats that need no third: processes that do the same by chance
/// don't agree so well.
pub const EQUAL_SPREAD: f64 = 1e-4;

/// A wall-clock change with a larger adjusted p value is not significant.
const SIGNIFICANCE: f64 = 0.05;

/// Counts of exactly the limit are within it, whatever the division rounds to.
const ROUNDING: f64 = 1e-9;

/// Resamples and seed of the interval shown beside an undecided wall-clock change.
const RESAMPLES: usize = 2000;
const SEED: u64 = 1;

/// Judges one bench that both sides have.
///
/// - A side that is incomplete, or skipped while the other is not, makes it INCOMPLETE; sides with
///   another warm-up, window, framework or kind of op, or with fewer than 3 repeats of which no
///   two are equal, make it INCONCLUSIVE. One repeat of each side is enough where both counted
///   the very same.
/// - Instructions: a spread above its limit makes it INCONCLUSIVE. A change beyond a limit counts
///   when the ranges of the repeats don't overlap, and nothing shows that equal code may differ as
///   far (a side's noise floor, collections out of proportion); else it is INCONCLUSIVE beyond the
///   limit of FAIL. With pairs under
///   several perturbations the change is the median over them, and counts when all of them have
///   it on one side; else it is INCONCLUSIVE beyond the limit of FAIL, and ok below.
/// - Nanoseconds: a change beyond a limit counts when a Mann-Whitney test over the repeats is
///   significant at 5 %, and is INCONCLUSIVE otherwise. The spread limit does not apply: clocks
///   are noisy by nature, and the test accounts for it.
pub fn verdict(
    base: &BenchResult,
    head: &BenchResult,
    unit: Unit,
    limits: &Limits,
) -> ComparisonRow {
    let case = Case::open(base, head, unit);
    let p = case.p_value();
    case.close(limits, p, 1)
}

/// One bench between the gathering of its evidence and its verdict: the p values of all benches
/// are adjusted together in between.
pub(crate) struct Case {
    id: BenchId,
    evidence: Result<Evidence, ComparisonRow>,
    /// Why the readings of a side are none to judge by.
    doubt: Option<String>,
    /// Whether something tells of every reading what happened in its window.
    is_proven: bool,
    /// The change of the medians over phases.
    between_collections: Option<f64>,
    unit: Unit,
}

impl Case {
    pub(crate) fn open(base: &BenchResult, head: &BenchResult, unit: Unit) -> Self {
        let evidence = match (base.status, head.status) {
            (BenchStatus::Skipped, BenchStatus::Skipped) => {
                let reason = head.reason.clone().unwrap_or_else(|| "skipped".to_owned());
                Err(ComparisonRow::without_figures(head.id.clone(), Verdict::Skipped, reason))
            }
            (BenchStatus::Skipped, _) => Err(skipped_on("base", base)),
            (_, BenchStatus::Skipped) => Err(skipped_on("head", head)),
            _ => Evidence::gather(base, head).map_err(|gap| gap_row(gap, base, head)),
        };
        let readings = base.readings.iter().chain(&head.readings);
        let is_proven = readings
            .filter(|reading| reading.perturbation == Perturbation::None)
            .all(|reading| reading.proof.twin.is_some());
        let median = |side: &BenchResult| side.window_phases.as_ref().map(|phases| phases.median);
        let between_collections =
            median(base).zip(median(head)).map(|(base, head)| head / base - 1.0);
        Self {
            id: head.id.clone(),
            evidence,
            doubt: doubt(base, head),
            is_proven,
            between_collections,
            unit,
        }
    }

    /// The bench.
    pub(crate) fn id(&self) -> &BenchId {
        &self.id
    }

    /// The p value of a wall-clock case, before adjustment.
    pub(crate) fn p_value(&self) -> Option<f64> {
        match (&self.evidence, self.unit) {
            // Pairs of other perturbations are no repeats of the first; they agree or disagree.
            (Ok(evidence), Unit::Nanoseconds) => evidence
                .pairs
                .first()
                .and_then(|pair| mann_whitney(&pair.base, &pair.head))
                .map(|test| test.p),
            _ => None,
        }
    }

    /// Applies the limits; `tested` is the number of p values that were adjusted together.
    pub(crate) fn close(self, limits: &Limits, p: Option<f64>, tested: usize) -> ComparisonRow {
        let evidence = match self.evidence {
            Ok(evidence) => evidence,
            Err(row) => return row,
        };
        let mut row = row_with_figures(self.id, &evidence);
        row.adjusted_p = p;
        row.between_collections = self.between_collections;
        let enough = match self.unit {
            Unit::Instructions if evidence.counts_are_one() => 1,
            _ if repeats_are_equal(&evidence) => 2,
            _ => FEWEST_REPEATS,
        };
        if evidence.fewest_repeats() < enough {
            let reason =
                format!("only {}: it takes at least 3 repeats", repeats(evidence.fewest_repeats()));
            return row.inconclusive(reason, Some("measure with `--repeats 5`"));
        }
        if let Some(doubt) = self.doubt {
            return row
                .inconclusive(doubt, Some("`tiergate run --recalibrate` finds a warm-up anew"));
        }
        if self.unit == Unit::Instructions && !self.is_proven {
            let reason = "unproven: no traced run tells what happened in its windows".to_owned();
            return row.inconclusive(reason, Some("measure again with this version"));
        }
        if self.unit == Unit::Instructions
            && let Some(reason) = spread_fault(&evidence, limits.aa_spread)
        {
            return row.inconclusive(
                reason,
                Some("equal processes did unequal work: look for clocks, randomness, I/O or threads in the op"),
            );
        }
        let change = evidence.change();
        let (verdict, limit) = if change > limits.fail + ROUNDING {
            (Verdict::Fail, limits.fail)
        } else if change > limits.warn + ROUNDING {
            (Verdict::Warn, limits.warn)
        } else if change < -limits.improved - ROUNDING {
            (Verdict::Improved, limits.improved)
        } else {
            row.verdict = Verdict::Ok;
            return row;
        };
        let doubt = match (self.unit, p) {
            (Unit::Instructions, _) => {
                overlap(&evidence, change).or_else(|| within_noise(&evidence))
            }
            (Unit::Nanoseconds, None) => overlap(&evidence, change),
            (Unit::Nanoseconds, Some(p)) => insignificance(&evidence, p, tested),
        };
        match doubt {
            None => {
                row.verdict = verdict;
                row
            }
            // Whether it is a little slower, or much faster, is nothing that a gate has to decide.
            Some((doubt, _))
                if (evidence.pairs.len() > 1 || evidence.known_noise().is_some())
                    && verdict != Verdict::Fail =>
            {
                row.verdict = Verdict::Ok;
                row.reason = Some(format!("beyond the limit of {}, but {doubt}", Percent(limit)));
                row
            }
            Some((doubt, hint)) => row
                .inconclusive(format!("beyond the limit of {}, but {doubt}", Percent(limit)), hint),
        }
    }
}

/// A row of which only the verdict is open.
fn row_with_figures(id: BenchId, evidence: &Evidence) -> ComparisonRow {
    let first = evidence.pairs.first();
    ComparisonRow {
        id,
        verdict: Verdict::Inconclusive,
        reason: None,
        hint: None,
        base_per_op: first.map(|pair| pair.base_summary.median),
        head_per_op: first.map(|pair| pair.head_summary.median),
        change: Some(evidence.change()),
        base_spread: first.map(|pair| pair.base_summary.spread()),
        head_spread: first.map(|pair| pair.head_summary.spread()),
        pairs: pair_rows(evidence),
        noise_floor: evidence.noise_floor(),
        between_collections: None,
        adjusted_p: None,
    }
}

fn doubt(base: &BenchResult, head: &BenchResult) -> Option<String> {
    let of = |name: &str, side: &BenchResult| {
        let reason = side.reason.as_deref().filter(|_| side.status == BenchStatus::Measured)?;
        Some(format!("{name}: {reason}"))
    };
    of("head", head).or_else(|| of("base", base))
}

/// The pairs, where there are several.
fn pair_rows(evidence: &Evidence) -> Vec<PairRow> {
    let row = |pair: &Pair| PairRow {
        perturbation: pair.perturbation,
        base_per_op: pair.base_summary.median,
        head_per_op: pair.head_summary.median,
        change: pair.ratio() - 1.0,
    };
    let pairs = if evidence.pairs.len() > 1 { evidence.pairs.as_slice() } else { &[] };
    pairs.iter().map(row).collect()
}

/// Fills in what a side that was measured says on its own.
pub(crate) fn with_sides(
    mut row: ComparisonRow,
    base: Option<&BenchResult>,
    head: Option<&BenchResult>,
) -> ComparisonRow {
    let summary = |side: Option<&BenchResult>| {
        side.filter(|side| side.status == BenchStatus::Measured)
            .and_then(|side| summarise_readings(&side.readings))
    };
    let (base, head) = (summary(base), summary(head));
    row.base_per_op = base.map(|summary| summary.median);
    row.head_per_op = head.map(|summary| summary.median);
    row.base_spread = base.map(|summary| summary.spread());
    row.head_spread = head.map(|summary| summary.spread());
    row
}

fn skipped_on(name: &str, side: &BenchResult) -> ComparisonRow {
    let reason = side.reason.as_deref().unwrap_or("skipped");
    let reason = format!("skipped in {name} only: {reason}");
    ComparisonRow::without_figures(side.id.clone(), Verdict::Incomplete, reason)
}

fn gap_row(gap: Gap, base: &BenchResult, head: &BenchResult) -> ComparisonRow {
    let id = head.id.clone();
    let row = match gap {
        Gap::Missing(reason) => ComparisonRow::without_figures(id, Verdict::Incomplete, reason),
        Gap::Incomparable { reason, hint } => ComparisonRow {
            hint: Some(hint),
            ..ComparisonRow::without_figures(id, Verdict::Inconclusive, reason)
        },
    };
    with_sides(row, Some(base), Some(head))
}

fn repeats(count: usize) -> String {
    if count == 1 { "1 repeat".to_owned() } else { format!("{count} repeats") }
}

/// Whether the unperturbed repeats of either side are equal.
fn repeats_are_equal(evidence: &Evidence) -> bool {
    evidence.pairs.first().is_some_and(|pair| {
        pair.base_summary.spread() <= EQUAL_SPREAD && pair.head_summary.spread() <= EQUAL_SPREAD
    })
}

fn spread_fault(evidence: &Evidence, limit: f64) -> Option<String> {
    let above = |spread: f64| spread > limit + ROUNDING;
    evidence.pairs.iter().find_map(|pair| {
        let (base, head) = (pair.base_summary.spread(), pair.head_summary.spread());
        let spreads = match (above(base), above(head)) {
            (false, false) => return None,
            (true, false) => format!("base is {}", Percent(base)),
            (false, true) => format!("head is {}", Percent(head)),
            (true, true) => format!("base is {}, that of head {}", Percent(base), Percent(head)),
        };
        Some(format!("the A/A spread of {spreads}, above the limit of {}", Percent(limit)))
    })
}

type Doubt = (String, Option<&'static str>);

fn overlap(evidence: &Evidence, change: f64) -> Option<Doubt> {
    let (low, high) = evidence.interval();
    let agrees = if change > 0.0 { low > 1.0 } else { high < 1.0 };
    if agrees {
        return None;
    }
    if evidence.pairs.len() > 1 {
        return Some((
            disagreement(evidence),
            Some("`tiergate noise --detail ID` shows what moves it"),
        ));
    }
    let span = format!("{:+.2} to {:+.2}", Percent(low - 1.0), Percent(high - 1.0));
    let doubt = format!("the repeats of base and head overlap: they allow {span}");
    Some((doubt, Some("measure with more `--repeats`")))
}

/// What perturbations are known to do, where the sides were not measured under the same ones.
fn within_noise(evidence: &Evidence) -> Option<Doubt> {
    let doubt = match evidence.known_noise()? {
        KnownNoise::Floor { side, floor } => {
            format!(
                "within the noise floor of {side}: perturbations move it by {}",
                Percent(*floor)
            )
        }
        KnownNoise::Collections { base, head } => format!(
            "the collector ran {base} times in base's window and {head} times in head's, more \
             than the change explains: where its runs fall can move equal code as far"
        ),
    };
    Some((
        doubt,
        Some("measure both sides with `--perturbations 6`, or in pairs by `tiergate gate`"),
    ))
}

/// Which perturbations say what, and what moves the bench most.
fn disagreement(evidence: &Evidence) -> String {
    let shown =
        |pair: &Pair| format!("{:+.2} under `{}`", Percent(pair.ratio() - 1.0), pair.perturbation);
    let span = evidence
        .extremes()
        .map_or_else(String::new, |(least, most)| format!(": {}, {}", shown(least), shown(most)));
    let mover = evidence.mover().map_or_else(String::new, |(kind, change)| {
        format!("; `{}` alone moves the bench by {:+.2}", kind.name(), Percent(change))
    });
    format!("the perturbations disagree{span}{mover}")
}

fn insignificance(evidence: &Evidence, p: f64, tested: usize) -> Option<Doubt> {
    if p <= SIGNIFICANCE {
        return None;
    }
    let among = if tested > 1 { format!(" among {tested} benches") } else { String::new() };
    let interval = evidence.pairs.first().and_then(interval_text).unwrap_or_default();
    let doubt = format!("not significant at 5 %: p = {p:.3}{among}{interval}");
    let reachable = evidence.pairs.first().is_some_and(|pair| {
        smallest_p(pair.base.len(), pair.head.len()) * tested as f64 <= SIGNIFICANCE
    });
    let hint = if reachable {
        "measure with more `--repeats`, or count instructions"
    } else {
        "so few repeats can't reach significance here: measure with more `--repeats`, or count instructions"
    };
    Some((doubt, Some(hint)))
}

fn interval_text(pair: &Pair) -> Option<String> {
    let (low, high) = median_ratio_interval(&pair.base, &pair.head, 0.95, RESAMPLES, SEED)?;
    Some(format!(", 95 % interval {:+.2} to {:+.2}", Percent(low - 1.0), Percent(high - 1.0)))
}
