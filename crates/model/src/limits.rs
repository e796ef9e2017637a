//! The limits that turn a difference into a verdict.

use serde::{Deserialize, Serialize};

/// Limits as fractions: 0.02 is 2 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// A larger increase fails.
    pub fail: f64,
    /// A larger increase warns.
    pub warn: f64,
    /// A larger decrease is an improvement.
    pub improved: f64,
    /// A larger A/A spread makes a bench undecidable.
    pub aa_spread: f64,
}

/// The limits of one bench that has some of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OwnLimits {
    /// The limits of its change and spread.
    pub limits: Limits,
    /// A larger count per op in head fails, whatever base's is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_op: Option<f64>,
}

impl Default for Limits {
    /// The limits of bench:ir, in use there since its first release: 2 %, 1 %, 2 % and 0.4 %.
    fn default() -> Self {
        Self { fail: 0.02, warn: 0.01, improved: 0.02, aa_spread: 0.004 }
    }
}
