//! What a gate leaves in a folder: `base.json` and `head.json`, which are result files, and
//! `gate.json`, which says how they came about and what was not measured for which reason.

use crate::files::{self, Loaded};
use crate::{StoreError, read_result, write_result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiergate_model::{BenchId, Limits, OwnLimits, ResultFile, Shard};

/// The version of the record's format; a reader refuses every other.
pub const GATE_VERSION: u32 = 1;

const RECORD: &str = "gate.json";

/// How a gate's results came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// Always [`GATE_VERSION`].
    pub schema_version: u32,
    /// Version of the tiergate that wrote it.
    pub tool_version: String,
    /// What head is compared with.
    pub base: GateSide,
    /// What is judged.
    pub head: GateSide,
    /// Hash of the settings and options that decide what is measured and how.
    pub settings: String,
    /// The filters that left benches out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// Which part of the benches was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The limits of the verdicts.
    pub limits: Limits,
    /// The limits of those benches that have some of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_limits: BTreeMap<BenchId, OwnLimits>,
    /// Whether benches may be missing from head.
    pub allow_removed: bool,
    /// Whether the sides run on different engines on purpose.
    pub engine_change: bool,
    /// Benches that were not measured because nothing that they load differs, and how that is
    /// known.
    pub unchanged: BTreeMap<BenchId, String>,
    /// Accepted increases that apply to this base.
    pub accepted: BTreeMap<BenchId, Accepted>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Whether the gate came to its end.
    pub finished: bool,
}

/// A side of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSide {
    /// For people, for example `main`.
    pub source: String,
    /// What the side is, exactly: a commit's hash, or a package and its version.
    pub identity: String,
    /// Hash of what was measured.
    pub digest: String,
}

/// An accepted increase, as far as a verdict needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The increase, a fraction; `None` for a bench that is gone.
    pub change: Option<f64>,
    /// Why it was accepted.
    pub reason: String,
}

/// A gate's record and results.
#[derive(Debug, Clone, PartialEq)]
pub struct GateResults {
    /// Where they were read from.
    pub folder: PathBuf,
    /// How they came about.
    pub record: GateRecord,
    /// What base gave.
    pub base: ResultFile,
    /// What head gave.
    pub head: ResultFile,
}

/// Where a gate keeps its results.
#[derive(Debug, Clone)]
pub struct GateFolder(PathBuf);

impl GateFolder {
    /// A folder, existing or not.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether a gate has written there.
    pub fn is_used(&self) -> bool {
        self.0.join(RECORD).is_file()
    }

    /// Creates the folder and writes the record.
    ///
    /// # Errors
    /// When they can't be written.
    pub fn write_record(&self, record: &GateRecord) -> Result<(), StoreError> {
        let path = self.0.join(RECORD);
        let unwritable = |cause| StoreError::Unwritable { path: path.clone(), cause };
        std::fs::create_dir_all(&self.0).map_err(unwritable)?;
        let mut text = serde_json::to_vec_pretty(record)
            .map_err(|error| StoreError::Unwritable { path: path.clone(), cause: error.into() })?;
        text.push(b'\n');
        files::write(&path, &text)
    }

    /// Writes both sides' results, each in one step.
    ///
    /// # Errors
    /// When they can't be written.
    pub fn write_results(&self, base: &ResultFile, head: &ResultFile) -> Result<(), StoreError> {
        write_result(self.0.join("base.json"), base)?;
        write_result(self.0.join("head.json"), head)
    }

    /// Reads everything.
    ///
    /// # Errors
    /// Any fault of any of the files.
    pub fn read(&self) -> Result<Loaded<GateResults>, StoreError> {
        let path = self.0.join(RECORD);
        let bytes = files::read(&path)?;
        let record: GateRecord =
            serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
                serde_json::error::Category::Eof => StoreError::CutOff {
                    path: path.clone(),
                    line: error.line(),
                    column: error.column(),
                },
                _ => StoreError::NotGate { path: path.clone(), fault: error.to_string() },
            })?;
        if record.schema_version != GATE_VERSION {
            let fault = format!("it has version {}", record.schema_version);
            return Err(StoreError::NotGate { path, fault });
        }
        let (base, head) =
            (read_result(self.0.join("base.json"))?, read_result(self.0.join("head.json"))?);
        let warnings = base.warnings.into_iter().chain(head.warnings).collect();
        let (base, head) = (base.value, head.value);
        let folder = self.0.clone();
        Ok(Loaded { value: GateResults { folder, record, base, head }, warnings })
    }
}
