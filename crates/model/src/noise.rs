//! What equal code does under equal and under other circumstances.

use crate::{BenchId, PerturbationKind};
use serde::{Deserialize, Serialize};

/// What moves one bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseDetail {
    /// The bench.
    pub id: BenchId,
    /// Median per op of the unperturbed readings, in the instrument's unit.
    pub per_op: f64,
    /// Their A/A spread, a fraction.
    pub aa_spread: f64,
    /// Ops before and in the window.
    pub warmup_ops: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// What each kind of perturbation does, the most first.
    pub effects: Vec<NoiseEffect>,
}

/// What one kind of perturbation does to a bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseEffect {
    /// Its name in result files.
    pub perturbation: String,
    /// Each draw's change against the unperturbed median, a fraction with its sign.
    pub changes: Vec<f64>,
}

impl NoiseEffect {
    /// The effect of some draws.
    pub fn new(kind: PerturbationKind, changes: Vec<f64>) -> Self {
        Self { perturbation: kind.name().to_owned(), changes }
    }

    /// What was changed, where this tiergate knows it.
    pub fn kind(&self) -> Option<PerturbationKind> {
        PerturbationKind::ALL.into_iter().find(|kind| kind.name() == self.perturbation)
    }

    /// The furthest change in either direction, without its sign.
    pub fn size(&self) -> f64 {
        self.changes.iter().fold(0.0, |size, change| f64::max(size, change.abs()))
    }
}

/// A suite compared with itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NoiseSuite {
    /// How often the whole suite was measured as base and as head.
    pub rounds: usize,
    /// Every bench, the noisiest first.
    pub benches: Vec<NoiseBench>,
    /// Readings that were taken.
    pub readings: usize,
}

/// One bench compared with itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseBench {
    /// The bench.
    pub id: BenchId,
    /// Comparisons that came to a verdict.
    pub compared: usize,
    /// How many of them were not `ok`.
    pub alarms: usize,
    /// The verdict and the reason of the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_alarm: Option<String>,
    /// The largest change of a comparison, without its sign, a fraction.
    pub largest_change: f64,
    /// The widest A/A spread, a fraction.
    pub widest_spread: f64,
    /// Why a side could not be measured, in the first round in which it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

impl NoiseSuite {
    /// Comparisons of all benches that came to a verdict.
    pub fn compared(&self) -> usize {
        self.benches.iter().map(|bench| bench.compared).sum()
    }

    /// How many of them were not `ok`.
    pub fn alarms(&self) -> usize {
        self.benches.iter().map(|bench| bench.alarms).sum()
    }

    /// Whether a bench could not be measured.
    pub fn is_incomplete(&self) -> bool {
        self.benches.iter().any(|bench| bench.incomplete.is_some())
    }
}
