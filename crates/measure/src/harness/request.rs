//! What the harness is asked to do.

use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The version of requests and events; the harness refuses another.
pub const PROTOCOL_VERSION: u32 = 1;

/// What the harness is to do with the bench file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Name the benches; call none of their functions.
    List,
    /// Run one bench natively to find out how many ops fit.
    Size,
    /// Run one bench with marks.
    Measure,
}

/// A request, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Always [`PROTOCOL_VERSION`].
    pub protocol: u32,
    /// What to do.
    pub mode: Mode,
    /// Where to append events.
    pub events: PathBuf,
    /// The bench file.
    pub file: PathBuf,
    /// The functions that are the file's benches, where no framework tells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// The one bench to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Selection>,
    /// How many ops to run, when measuring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<RequestBudget>,
    /// How long to size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizing: Option<Sizing>,
    /// What the process gets that a runner starts for the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// What to do before the bench that changes nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perturb: Option<Perturb>,
}

/// The engine's process where a framework's own program starts it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Worker {
    /// Variables, beside those of the program that starts it.
    pub env: BTreeMap<String, String>,
    /// Arguments of the engine.
    pub exec_argv: Vec<String>,
    /// A program, with its arguments, that runs the engine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrapper: Vec<String>,
    /// A folder in which the runner keeps what the engine compiles of its own modules, from one of
    /// its processes to the next. The process of the file does not get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_code: Option<PathBuf>,
}

/// Harmless acts of the harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Perturb {
    /// Numbers to draw from `Math.random` before the bench file is loaded.
    pub random_draws: u32,
    /// Objects to allocate and drop before the bench is set up.
    pub dead_objects: u32,
}

/// A bench by its names and its place among benches of the same names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// Groups from the outermost, then the bench's name.
    pub names: Vec<String>,
    /// 1 for the first of these names in the file.
    pub ordinal: u32,
}

/// Ops before and in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestBudget {
    /// Ops before the window.
    pub warmup_ops: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// The ops of the parts that marks divide a span into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<u64>>,
    /// Whether the very first op is the first share, and what comes between it and the others the
    /// second.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_first: bool,
}

/// Limits of a sizing run; whichever is reached first ends the warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sizing {
    /// Ops of warm-up.
    pub warmup_ops: u64,
    /// Seconds of warm-up.
    pub warmup_seconds: f64,
    /// Seconds of timing after it.
    pub timing_seconds: f64,
}
