//! Readings and what is known about their windows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A harmless change of circumstances that both sides of a pair share.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Perturbation {
    /// None: the profile's own seeds and environment.
    #[default]
    None,
}

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
    /// What is known about the window.
    pub proof: Proof,
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
}

/// Marks expected and seen from the armed thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkCheck {
    /// Marks that the plan asks for.
    pub expected: u64,
    /// Marks that came.
    pub seen: u64,
}
