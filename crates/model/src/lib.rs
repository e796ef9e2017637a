//! Types shared by all of tiergate: ids, readings, proofs, verdicts, the result file, events and
//! exit codes. Nothing here does I/O.

mod bench;
mod comparison;
mod engine;
mod event;
mod evidence;
mod exit;
mod fingerprint;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod functions;
mod inspection;
mod instrument;
mod limits;
mod noise;
mod percent;
mod perturbation;
mod reading;
mod result_file;
mod shard;
mod twin;
mod verdict;
mod window_phases;

pub use bench::{BenchId, DiscoveredBench, OpBudget, WindowShape};
pub use comparison::{Comparison, ComparisonRow, PairRow, Rename, SideSummary, Tally};
pub use engine::{EngineKind, EngineSpec, EngineSpecError};
pub use event::RunEvent;
pub use evidence::{CurvePoint, Evidence, Moment, MomentKind};
pub use exit::ExitStatus;
pub use fingerprint::{
    CpuFingerprint, EngineFingerprint, Fingerprint, FingerprintDifference, InstrumentFingerprint,
};
pub use functions::{FunctionCount, SymbolEntries, WindowFunctions};
pub use inspection::{FunctionDifference, ProfileDifference, ThresholdEffect, ThresholdSide};
pub use instrument::{InstrumentKind, Unit};
pub use limits::{Limits, OwnLimits};
pub use noise::{NoiseBench, NoiseDetail, NoiseEffect, NoiseSuite};
pub use percent::Percent;
pub use perturbation::{Perturbation, PerturbationKind, UnknownPerturbation};
pub use reading::{MarkCheck, Observed, Phases, Pinned, Proof, Reading, Spent};
pub use result_file::{
    BenchResult, BenchStatus, Calibration, ResultFile, ResultFileFault, SCHEMA_VERSION, Side,
    WallReading,
};
pub use shard::{Shard, ShardError};
pub use twin::{CodeChange, Twin};
pub use verdict::Verdict;
pub use window_phases::WindowPhases;
