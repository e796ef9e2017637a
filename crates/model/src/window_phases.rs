//! The window of a bench that allocates, in many short phases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the window's ops cost in phases, counted in one process with marks between them.
///
/// Phases are short against the distance between collections, so that most hold none: the median
/// is what an op costs between collections, wherever these fall. The readings' counts hold the
/// collector's work too, and move when a collection more or less falls into the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowPhases {
    /// Ops of each phase.
    pub ops: u64,
    /// The count per op of each phase, in order, in the instrument's unit, without the marks.
    pub per_op: Vec<f64>,
    /// The median of them.
    pub median: f64,
    /// (third quartile − first quartile) / median, a fraction: from the first phase to the last one
    /// the range would be that of the collections.
    pub quartile_spread: f64,
}

impl WindowPhases {
    /// The share of the phases' cost that is above the median's, a fraction: the collector's, where
    /// ops cost the same.
    pub fn share_above(&self) -> f64 {
        let mean = self.per_op.iter().sum::<f64>() / self.per_op.len().max(1) as f64;
        if mean > 0.0 { (1.0 - self.median / mean).max(0.0) } else { 0.0 }
    }

    /// Whether the figures can be those of phases.
    pub(crate) fn is_sound(&self) -> bool {
        let usable = |value: f64| value.is_finite() && value >= 0.0;
        self.ops > 0
            && !self.per_op.is_empty()
            && self.per_op.iter().copied().all(usable)
            && self.median > 0.0
            && usable(self.median)
            && usable(self.quartile_spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_the_median_is_the_collectors() {
        let phases = WindowPhases {
            ops: 10,
            per_op: vec![100.0, 100.0, 600.0, 100.0, 100.0],
            median: 100.0,
            quartile_spread: 0.0,
        };
        assert!(phases.is_sound());
        assert!((phases.share_above() - 0.5).abs() < 1e-12);
        assert!(!WindowPhases { per_op: vec![f64::NAN], ..phases.clone() }.is_sound());
        assert!(!WindowPhases { median: 0.0, ..phases }.is_sound());
    }
}
