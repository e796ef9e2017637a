//! Result files for the tests of the crates that read them.

use crate::{
    BenchId, BenchResult, BenchStatus, CpuFingerprint, EngineFingerprint, EngineKind, Fingerprint,
    InstrumentFingerprint, InstrumentKind, MarkCheck, Perturbation, Proof, Reading, ResultFile,
    SCHEMA_VERSION,
};
use std::collections::BTreeMap;

/// Ops before the window of every bench of this module.
pub const WARMUP_OPS: u64 = 4000;

/// Ops in the window of every bench of this module.
pub const WINDOW_OPS: u64 = 1000;

/// A result file of Node under callgrind with these benches.
pub fn result_file(benches: Vec<BenchResult>) -> ResultFile {
    ResultFile {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        commit: None,
        side: None,
        filter: Vec::new(),
        shard: None,
        fingerprint: fingerprint(),
        benches,
    }
}

/// The fingerprint of [`result_file`].
pub fn fingerprint() -> Fingerprint {
    Fingerprint {
        engine: EngineFingerprint {
            name: EngineKind::Node,
            version: "24.22.1".to_owned(),
            jit_engine: "v8 13.6.233.17-node.41".to_owned(),
            path_hash: "0f3a".to_owned(),
            flags: vec!["--single-threaded".to_owned(), "--hash-seed=1".to_owned()],
        },
        instrument: InstrumentFingerprint {
            name: InstrumentKind::Callgrind,
            version: "3.19.0".to_owned(),
        },
        cpu: CpuFingerprint { model: "AMD EPYC".to_owned(), features_hash: "77aa".to_owned() },
        libc: "glibc 2.36".to_owned(),
        kernel: "6.1.0".to_owned(),
        platform: "linux-x86_64".to_owned(),
        address_randomisation_off: true,
        harness_hash: "aa01".to_owned(),
        settings_hash: "bb02".to_owned(),
    }
}

/// A measured bench with one repeat per count; a count is over the whole window.
pub fn measured(id: &str, counts: &[u64]) -> BenchResult {
    let readings = counts.iter().zip(1..).map(|(&count, repeat)| Reading {
        perturbation: Perturbation::None,
        repeat,
        count,
        window_ops: WINDOW_OPS,
        seconds: 1.25,
        phases: None,
        proof: Proof {
            marks: MarkCheck { expected: 2, seen: 2 },
            subtracted_mark_cost: None,
            sub_windows: Vec::new(),
            elsewhere: None,
            observed: None,
            twin: Some(crate::Twin::default()),
            pinned: None,
        },
    });
    BenchResult {
        status: BenchStatus::Measured,
        reason: None,
        readings: readings.collect(),
        ..unmeasured(id, BenchStatus::Measured, "")
    }
}

/// A bench that lacks readings.
pub fn incomplete(id: &str, reason: &str) -> BenchResult {
    unmeasured(id, BenchStatus::Incomplete, reason)
}

/// A bench that its file skips.
pub fn skipped(id: &str, reason: &str) -> BenchResult {
    unmeasured(id, BenchStatus::Skipped, reason)
}

fn unmeasured(id: &str, status: BenchStatus, reason: &str) -> BenchResult {
    let id = BenchId::from_text(id);
    BenchResult {
        file: id.file().to_owned(),
        id,
        framework: "tinybench 6.2.5".to_owned(),
        conditions: BTreeMap::new(),
        status,
        reason: Some(reason.to_owned()),
        warnings: Vec::new(),
        is_async: false,
        warmup_ops: WARMUP_OPS,
        window_ops: WINDOW_OPS,
        calibration: None,
        instructions_per_op: None,
        aa_spread: None,
        readings: Vec::new(),
        window_phases: None,
        wall: None,
    }
}
