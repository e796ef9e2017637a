//! The result file: what a run found, as JSON.

use crate::{BenchId, Fingerprint, Perturbation, Reading, Shard, Unit, WindowPhases};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the result file's schema; a reader refuses every other.
pub const SCHEMA_VERSION: u32 = 1;

/// A side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What head is compared with.
    Base,
    /// What is judged.
    Head,
}

/// What a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultFile {
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of the tiergate that wrote it.
    pub tool_version: String,
    /// The commit of the measured code, where known.
    #[serde(default)]
    pub commit: Option<String>,
    /// Which side it was measured as, where that was said.
    #[serde(default)]
    pub side: Option<Side>,
    /// The filters that left benches out; empty when all were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Which part of the benches it holds, when it was measured in shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What it is comparable with.
    pub fingerprint: Fingerprint,
    /// Every bench that was asked for; those not reached are incomplete.
    pub benches: Vec<BenchResult>,
}

/// Whether a bench has all its readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BenchStatus {
    /// All readings are there.
    Measured,
    /// A reading is missing; the reason is given.
    Incomplete,
    /// The bench file skips it.
    Skipped,
}

/// What a run found for one bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchResult {
    /// The bench.
    pub id: BenchId,
    /// Its file below the root.
    pub file: String,
    /// The framework that registered it, with its version, for example `tinybench 6.2.5`.
    pub framework: String,
    /// What is special about the way in which it is run, by name: the part of the fingerprint that
    /// each bench has for itself. For example `imports`: what loads modules instead of the engine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
    /// Whether all readings are there.
    pub status: BenchStatus,
    /// Why not, when incomplete or skipped; when measured, why its readings are none to judge by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What a reader of the figures should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether the op's promise was awaited.
    #[serde(rename = "async")]
    pub is_async: bool,
    /// Ops before the window.
    pub warmup_ops: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// What it took to find these ops, where they were not known before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Median over the repeats of the unperturbed readings, for instruments that count
    /// instructions.
    #[serde(default)]
    pub instructions_per_op: Option<f64>,
    /// (max − min) / median over the same repeats, a fraction.
    #[serde(default)]
    pub aa_spread: Option<f64>,
    /// The readings, in the order in which they were taken.
    pub readings: Vec<Reading>,
    /// What the window's ops cost in many short phases, where collections fall in or near it and the
    /// instrument can divide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_phases: Option<WindowPhases>,
    /// Wall-clock time of the window without an instrument, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<WallReading>,
}

/// What it took to find the ops before and in the window.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Processes without an instrument: one that was timed, and traced ones.
    pub processes: u32,
    /// Their wall-clock seconds.
    pub seconds: f64,
}

/// Nanoseconds per op over interleaved rounds, each in a fresh process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WallReading {
    /// Median over the rounds.
    pub median_ns_per_op: f64,
    /// The fastest round.
    pub min_ns_per_op: f64,
    /// The slowest round.
    pub max_ns_per_op: f64,
    /// Every round, in order.
    pub rounds_ns_per_op: Vec<f64>,
}

/// What is wrong with a result file that can be parsed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResultFileFault {
    /// Written by another version of the format.
    #[error("it has schema version {found}, this tiergate reads {SCHEMA_VERSION}")]
    SchemaVersion {
        /// The version in the file.
        found: u32,
    },
    /// One id twice.
    #[error("bench `{0}` is in it twice")]
    Twice(BenchId),
    /// A measured bench without a usable reading.
    #[error("bench `{id}` is marked as measured but {fault}")]
    Measured {
        /// The bench.
        id: BenchId,
        /// What is wrong with it.
        fault: String,
    },
    /// An incomplete bench that does not say why.
    #[error("bench `{0}` is incomplete or skipped without a reason")]
    NoReason(BenchId),
}

/// Counts beyond this are absurd: a 5 GHz core at 10 instructions per cycle would need two days.
const LARGEST_COUNT: u64 = 1 << 53;

/// No process may take longer; a larger number of seconds is damage, not patience.
const LONGEST_SECONDS: f64 = 1e7;

/// The stated median may differ from the readings' by rounding in the text of the number only.
const ROUNDING: f64 = 1e-9;

impl ResultFile {
    /// The unit of the counts.
    pub fn unit(&self) -> Unit {
        self.fingerprint.instrument.name.unit()
    }

    /// Checks what the schema can't say.
    ///
    /// # Errors
    /// The first fault found: another schema version, an id twice, a measured bench with zero,
    /// missing or absurd counts, or one without a reason.
    pub fn check(&self) -> Result<(), ResultFileFault> {
        if self.schema_version != SCHEMA_VERSION {
            return Err(ResultFileFault::SchemaVersion { found: self.schema_version });
        }
        let mut ids = BTreeSet::new();
        for bench in &self.benches {
            if !ids.insert(&bench.id) {
                return Err(ResultFileFault::Twice(bench.id.clone()));
            }
            bench.check()?;
        }
        Ok(())
    }
}

impl BenchResult {
    /// A bench without readings, and why it has none.
    pub fn incomplete(id: BenchId, framework: String, reason: String) -> Self {
        Self {
            file: id.file().to_owned(),
            id,
            framework,
            conditions: BTreeMap::new(),
            status: BenchStatus::Incomplete,
            reason: Some(reason),
            warnings: Vec::new(),
            is_async: false,
            warmup_ops: 0,
            window_ops: 0,
            calibration: None,
            instructions_per_op: None,
            aa_spread: None,
            readings: Vec::new(),
            window_phases: None,
            wall: None,
        }
    }

    fn check(&self) -> Result<(), ResultFileFault> {
        let fault = |fault: &str| {
            Err(ResultFileFault::Measured { id: self.id.clone(), fault: fault.to_owned() })
        };
        match self.status {
            BenchStatus::Incomplete | BenchStatus::Skipped => match self.reason.as_deref() {
                Some(reason) if !reason.trim().is_empty() => Ok(()),
                _ => Err(ResultFileFault::NoReason(self.id.clone())),
            },
            BenchStatus::Measured if self.readings.is_empty() => fault("has no reading"),
            BenchStatus::Measured => {
                let mut places = BTreeSet::new();
                for reading in &self.readings {
                    if !places.insert((reading.perturbation, reading.repeat)) {
                        return fault("has the same repeat twice");
                    }
                    if reading.count == 0 {
                        return fault("has a count of zero");
                    }
                    if reading.count > LARGEST_COUNT {
                        return fault("has an absurdly large count");
                    }
                    if reading.window_ops == 0 || reading.window_ops != self.window_ops {
                        return fault("has a reading over another number of ops");
                    }
                    if reading.proof.marks.seen != reading.proof.marks.expected {
                        return fault("has a reading with missing or extra marks");
                    }
                    if !(0.0..=LONGEST_SECONDS).contains(&reading.seconds) {
                        return fault("has a reading of an absurd duration");
                    }
                }
                self.check_summary().or_else(fault)
            }
        }
    }

    /// The summaries must be what the readings say: a reader may show either.
    fn check_summary(&self) -> Result<(), &'static str> {
        let per_op: Vec<f64> = self
            .readings
            .iter()
            .filter(|reading| reading.perturbation == Perturbation::None)
            .map(Reading::per_op)
            .collect();
        if let Some(stated) = self.instructions_per_op {
            let smallest = per_op.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = per_op.iter().copied().fold(0.0, f64::max);
            if !(smallest * (1.0 - ROUNDING)..=largest * (1.0 + ROUNDING)).contains(&stated) {
                return Err("states instructions per op that its readings don't have");
            }
        }
        if let Some(stated) = self.aa_spread
            && !(stated.is_finite() && stated >= 0.0)
        {
            return Err("states an A/A spread that is no spread");
        }
        if self.window_phases.as_ref().is_some_and(|phases| !phases.is_sound()) {
            return Err("has phases of its window that are none");
        }
        if let Some(wall) = &self.wall {
            let rounds = &wall.rounds_ns_per_op;
            let ordered = wall.min_ns_per_op <= wall.median_ns_per_op
                && wall.median_ns_per_op <= wall.max_ns_per_op;
            let usable = |value: &f64| value.is_finite() && *value > 0.0;
            if rounds.is_empty()
                || !ordered
                || !rounds.iter().all(usable)
                || !usable(&wall.min_ns_per_op)
                || !usable(&wall.max_ns_per_op)
            {
                return Err("has wall-clock rounds of zero or out of order");
            }
        }
        Ok(())
    }
}
