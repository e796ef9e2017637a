//! What is found about a bench beyond its readings: by another way of tiering up, and by counting
//! where the instructions go.

use crate::BenchId;
use serde::Serialize;
use std::collections::BTreeMap;

/// A bench with the thresholds between an engine's tiers lowered, as it is measured, and with the
/// engine's own after a long warm-up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThresholdEffect {
    /// The bench.
    pub id: BenchId,
    /// With lowered thresholds.
    pub lowered: ThresholdSide,
    /// With the engine's own.
    pub own: ThresholdSide,
    /// With lowered thresholds after the long warm-up: where the two differ, it tells whether that
    /// is of the thresholds or of age.
    pub aged: Option<ThresholdSide>,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ThresholdSide {
    /// Instructions per op; `None` where there is no reading.
    pub per_op: Option<f64>,
    /// Ops before the window.
    pub warmup_ops: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// The code that functions had in the window, by their names.
    pub tiers: BTreeMap<String, String>,
    /// Why it is none to judge by, if it is not.
    pub reason: Option<String>,
}

impl ThresholdEffect {
    /// The largest effect that is none, as a fraction.
    pub const LIMIT: f64 = 0.005;

    /// By what fraction the count as it is measured is above that of the engine's own thresholds;
    /// `None` where a side has no sound one.
    pub fn change(&self) -> Option<f64> {
        between(&self.lowered, &self.own)
    }

    /// The same at equal age: what the thresholds alone do.
    pub fn change_at_equal_age(&self) -> Option<f64> {
        between(self.aged.as_ref()?, &self.own)
    }

    /// Whether the count as it is measured is that of the engine's own thresholds.
    pub fn is_within_limit(&self) -> bool {
        self.change().is_some_and(|change| change.abs() <= Self::LIMIT)
    }

    /// Functions that ended in different code, with both names of it.
    pub fn other_tiers(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.lowered.tiers.iter().filter_map(|(function, lowered)| {
            let own = self.own.tiers.get(function)?;
            (own != lowered).then_some((function.as_str(), lowered.as_str(), own.as_str()))
        })
    }
}

fn between(side: &ThresholdSide, other: &ThresholdSide) -> Option<f64> {
    let sound = |side: &ThresholdSide| side.per_op.filter(|_| side.reason.is_none());
    let (side, other) = (sound(side)?, sound(other)?);
    (other > 0.0).then(|| side / other - 1.0)
}

/// Where equal runs of a bench spent their instructions differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileDifference {
    /// The bench.
    pub id: BenchId,
    /// Processes that were profiled.
    pub processes: u32,
    /// Instructions of the first one's window.
    pub first: u64,
    /// Instructions of the window of that process which differs most from the first.
    pub other: u64,
    /// Functions that differ between these two, the largest difference first.
    pub functions: Vec<FunctionDifference>,
    /// The functions of the first one's window that most of its instructions are in.
    pub largest: Vec<FunctionDifference>,
}

/// A function in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionDifference {
    /// Its symbol, or its address where it has none.
    pub name: String,
    /// The file that it is from; empty for code that the engine has generated.
    pub file: String,
    /// Instructions in the first process.
    pub first: u64,
    /// Instructions in the other.
    pub other: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(per_op: f64, tier: &str) -> ThresholdSide {
        ThresholdSide {
            per_op: Some(per_op),
            tiers: BTreeMap::from([("f".to_owned(), tier.to_owned())]),
            ..ThresholdSide::default()
        }
    }

    #[test]
    fn an_effect_needs_two_sound_sides() {
        let id = BenchId::from_text("a.mjs::f");
        let (lowered, own) = (side(101.0, "TurboFan"), side(100.0, "Maglev"));
        let mut effect = ThresholdEffect { id, lowered, own, aged: None };
        assert!((effect.change().unwrap() - 0.01).abs() < 1e-12);
        assert_eq!((effect.is_within_limit(), effect.change_at_equal_age()), (false, None));
        effect.aged = Some(side(100.0, "TurboFan"));
        assert_eq!(effect.change_at_equal_age(), Some(0.0));
        assert_eq!(effect.other_tiers().collect::<Vec<_>>(), [("f", "TurboFan", "Maglev")]);
        effect.own.reason = Some("it never settles".to_owned());
        assert_eq!(effect.change(), None);
        effect.own = ThresholdSide::default();
        assert_eq!(effect.change(), None);
    }
}
