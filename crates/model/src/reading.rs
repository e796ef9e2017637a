//! Readings and what is known about their windows.

use crate::{Perturbation, Twin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One process's count for one window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The circumstances it was taken under.
    pub perturbation: Perturbation,
    /// Which of the A/A repeats it is, from 1.
    pub repeat: u32,
    /// The count over the whole window, in the instrument's unit.
    pub count: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// Wall-clock seconds that the process took from start to end.
    pub seconds: f64,
    /// What of them went where, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// What is known about the window.
    pub proof: Proof,
}

/// Wall-clock seconds of the parts of a process's life.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// Until the harness is in place: the engine, and the framework's own program where that starts
    /// it.
    pub start_up: f64,
    /// Until the bench begins: its file, all that it imports, and the benches before it.
    pub loading: f64,
    /// The bench's set-up, with its first ops.
    pub set_up: f64,
    /// The ops before the window.
    pub warm_up: f64,
    /// The window.
    pub window: f64,
    /// Tear-down and the process's end.
    pub end: f64,
}

impl Reading {
    /// The count per op, in the instrument's unit.
    pub fn per_op(&self) -> f64 {
        self.count as f64 / self.window_ops as f64
    }
}

/// What is known about one window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The marks that the instrument saw.
    pub marks: MarkCheck,
    /// The count that the marks themselves cost and that was subtracted, for windows in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtracted_mark_cost: Option<u64>,
    /// What the in-process counter saw in the window, both sections of a window in brackets
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// What a traced run of the same ops tells, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<Twin>,
    /// How far the process was pinned; absent where the profile holds nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Pinned>,
}

/// How far a process was held to the same course every time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pinned {
    /// What the preloaded library held constant, by name.
    pub held: Vec<String>,
    /// How often a thread ran outside of the gate's order, up to the end of the window.
    pub escaped_turns: u64,
    /// Why something that the profile asks for was not held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifted: Option<String>,
}

/// What the in-process counter saw in a window, in numbers of occurrences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Observed {
    /// Writes to pages that hold translated code.
    pub code_writes: u64,
    /// Those of them that other threads made.
    pub foreign_code_writes: u64,
    /// Pages or ranges of which the translations were discarded.
    pub invalidations: u64,
    /// Signals handed to the program's handlers, whose instructions are not counted.
    pub signals: u64,
    /// Faults that the program handles itself.
    pub faults: u64,
    /// Threads that the measured thread started.
    pub threads_started: u64,
    /// Processes that it started.
    pub children_started: u64,
    /// Instructions with a repeat prefix, each counted once however often it repeats.
    pub repeated_instructions: u64,
    /// System calls by their number.
    pub system_calls: BTreeMap<u32, u64>,
}

impl Observed {
    /// What of the op's work was done elsewhere and is not in the count, if any was.
    pub fn work_elsewhere(&self) -> Option<String> {
        let count = |number: u64, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {many}")),
        };
        let parts: Vec<String> = [
            count(self.threads_started, "thread", "threads"),
            count(self.children_started, "process", "processes"),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "work outside the measured thread: {} started in the window",
                parts.join(" and ")
            )
        })
    }
}

/// Marks expected and seen from the armed thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkCheck {
    /// Marks that the plan asks for.
    pub expected: u64,
    /// Marks that came.
    pub seen: u64,
}
