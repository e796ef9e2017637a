//! A comparison of two result files.

use crate::{BenchId, ExitStatus, FingerprintDifference, Limits, Perturbation, Unit, Verdict};
use serde::{Deserialize, Serialize};

/// The outcome of comparing head with base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What the base was.
    pub base: SideSummary,
    /// What the head was.
    pub head: SideSummary,
    /// The unit of the counts.
    pub unit: Unit,
    /// The limits that were applied.
    pub limits: Limits,
    /// Fields in which the fingerprints differ; when not empty, `rows` is empty: nothing was
    /// compared.
    pub differences: Vec<FingerprintDifference>,
    /// What the reader should know of how the sides came about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// One row per bench of either side, the worst first.
    pub rows: Vec<ComparisonRow>,
    /// Pairs of removed and added benches that are probably the same bench under a new id.
    pub probable_renames: Vec<Rename>,
}

/// Who a side was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideSummary {
    /// The file or baseline that it was read from.
    pub source: String,
    /// The commit, where known.
    pub commit: Option<String>,
    /// Engine and version, for example `node 24.22.1`.
    pub engine: String,
    /// The instrument's name.
    pub instrument: String,
}

/// One bench in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The bench.
    pub id: BenchId,
    /// The verdict.
    pub verdict: Verdict,
    /// Why; always given for INCONCLUSIVE, INCOMPLETE, added, removed and skipped.
    pub reason: Option<String>,
    /// What the user can do about it, where something can be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The base's median per op, in the comparison's unit.
    pub base_per_op: Option<f64>,
    /// The head's median per op, in the comparison's unit.
    pub head_per_op: Option<f64>,
    /// `head / base − 1`; only when the two can be compared.
    pub change: Option<f64>,
    /// The base's A/A spread, a fraction.
    pub base_spread: Option<f64>,
    /// The head's A/A spread, a fraction.
    pub head_spread: Option<f64>,
    /// The pairs that decided, the unperturbed one first; empty where that is the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairRow>,
    /// How far equal code moves under the perturbations, a fraction: the wider of the two sides'
    /// spreads over them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_floor: Option<f64>,
    /// `head / base − 1` of the medians over the phases of their windows, where both sides have them:
    /// the change of what an op costs between collections, which decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_collections: Option<f64>,
    /// The p value that decided a wall-clock row (Mann-Whitney), adjusted where several benches are
    /// compared (Benjamini-Hochberg).
    pub adjusted_p: Option<f64>,
}

/// Base and head under one perturbation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// The circumstances that both share.
    pub perturbation: Perturbation,
    /// The base's median per op.
    pub base_per_op: f64,
    /// The head's median per op.
    pub head_per_op: f64,
    /// `head / base − 1`.
    pub change: f64,
}

impl ComparisonRow {
    /// The smallest and the largest change of the pairs, which a proven change has on one side of
    /// zero; `None` where there is only the unperturbed pair.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let changes = || self.pairs.iter().map(|pair| pair.change);
        Some((changes().reduce(f64::min)?, changes().reduce(f64::max)?))
    }

    /// A row that says why there is no more to say.
    pub fn without_figures(id: BenchId, verdict: Verdict, reason: String) -> Self {
        Self {
            id,
            verdict,
            reason: Some(reason),
            hint: None,
            base_per_op: None,
            head_per_op: None,
            change: None,
            base_spread: None,
            head_spread: None,
            pairs: Vec::new(),
            noise_floor: None,
            between_collections: None,
            adjusted_p: None,
        }
    }

    /// The same figures, which decide nothing.
    #[must_use]
    pub fn inconclusive(mut self, reason: String, hint: Option<&str>) -> Self {
        self.verdict = Verdict::Inconclusive;
        self.reason = Some(reason);
        self.hint = hint.map(str::to_owned);
        self
    }
}

/// A removed and an added bench that are probably one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// Its id in base.
    pub from: BenchId,
    /// Its id in head.
    pub to: BenchId,
    /// Why it is thought to be the same.
    pub reason: String,
}

/// How many rows have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Proven regressions.
    pub fail: usize,
    /// Rows without a reading on a side.
    pub incomplete: usize,
    /// Undecided rows.
    pub inconclusive: usize,
    /// Warnings.
    pub warn: usize,
    /// Increases that were accepted.
    pub accepted: usize,
    /// Improvements.
    pub improved: usize,
    /// Rows within limits.
    pub ok: usize,
    /// Rows only in head.
    pub added: usize,
    /// Rows only in base, allowed.
    pub removed: usize,
    /// Skipped rows.
    pub skipped: usize,
}

impl Comparison {
    /// Counts the verdicts.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for row in &self.rows {
            *match row.verdict {
                Verdict::Ok => &mut tally.ok,
                Verdict::Warn => &mut tally.warn,
                Verdict::Improved => &mut tally.improved,
                Verdict::Fail => &mut tally.fail,
                Verdict::Inconclusive => &mut tally.inconclusive,
                Verdict::Incomplete => &mut tally.incomplete,
                Verdict::Accepted => &mut tally.accepted,
                Verdict::Added => &mut tally.added,
                Verdict::Removed => &mut tally.removed,
                Verdict::Skipped => &mut tally.skipped,
            } += 1;
        }
        tally
    }

    /// Whether no row was compared: there is none, or both sides skip all of them.
    pub fn is_void(&self) -> bool {
        self.rows.iter().all(|row| row.verdict == Verdict::Skipped)
    }

    /// The exit status that the comparison asks for. A comparison without any compared row is
    /// incomplete: nothing was shown to be equal.
    pub fn exit_status(&self) -> ExitStatus {
        if !self.differences.is_empty() {
            return ExitStatus::NotComparable;
        }
        if self.is_void() {
            return ExitStatus::Incomplete;
        }
        self.rows.iter().fold(ExitStatus::Pass, |worst, row| {
            worst.worst(match row.verdict {
                Verdict::Fail => ExitStatus::Regression,
                Verdict::Inconclusive => ExitStatus::Inconclusive,
                Verdict::Incomplete => ExitStatus::Incomplete,
                Verdict::Ok
                | Verdict::Warn
                | Verdict::Improved
                | Verdict::Accepted
                | Verdict::Added
                | Verdict::Removed
                | Verdict::Skipped => ExitStatus::Pass,
            })
        })
    }
}
