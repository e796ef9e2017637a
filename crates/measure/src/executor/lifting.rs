//! Benches that do not run with everything held constant, and what is let go for them.

use crate::Fault;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tiergate_model::BenchId;
use tiergate_protocol::pin;

/// What is let go for a bench, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lifted {
    step: Step,
    /// For the reading's proof.
    pub(super) reason: String,
}

/// How much is let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Threads run as they like.
    Gate,
    /// Nothing is held constant.
    Everything,
}

impl Lifted {
    /// What is still held of all that the profile asks for.
    pub(super) fn keep<'a>(&self, held: &[&'a str]) -> Vec<&'a str> {
        let is_gate = |text: &str| text.split('=').next() == Some(pin::GATE);
        match self.step {
            Step::Gate => held.iter().copied().filter(|text| !is_gate(text)).collect(),
            Step::Everything => Vec::new(),
        }
    }
}

/// What was let go so far, by bench: later readings of it begin there, so that they are alike.
#[derive(Debug, Default)]
pub(super) struct LiftedPins(Mutex<BTreeMap<BenchId, Lifted>>);

impl LiftedPins {
    fn benches(&self) -> MutexGuard<'_, BTreeMap<BenchId, Lifted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn of(&self, bench: &BenchId) -> Option<Lifted> {
        self.benches().get(bench).cloned()
    }

    /// Lets more go after a fault. `false` when the fault is none that this could mend, or nothing
    /// is left.
    pub(super) fn lift_more(&self, bench: &BenchId, fault: &Fault) -> bool {
        if !matches!(fault, Fault::Stuck { .. } | Fault::TimedOut { .. }) {
            return false;
        }
        let mut benches = self.benches();
        let (step, what) = match benches.get(bench).map(|lifted| lifted.step) {
            None => (Step::Gate, "without the gate of the threads"),
            Some(Step::Gate) => (Step::Everything, "with nothing held constant"),
            Some(Step::Everything) => return false,
        };
        let reason = format!("{what}, because otherwise: {fault}");
        benches.insert(bench.clone(), Lifted { step, reason });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_goes_first_and_then_everything() {
        let pins = LiftedPins::default();
        let id = BenchId::new("a.mjs", &["b".to_owned()], 1);
        let held = ["clock", "gate=x y+z", "random"];
        let stuck = Fault::Stuck { seconds: 10, phase: "the bench" };
        assert!(!pins.lift_more(&id, &Fault::Interrupted));
        assert_eq!(pins.of(&id), None);
        assert!(pins.lift_more(&id, &stuck));
        let lifted = pins.of(&id).unwrap();
        assert_eq!(lifted.keep(&held), ["clock", "random"]);
        assert!(lifted.reason.contains("without the gate") && lifted.reason.contains("stuck"));
        assert!(pins.lift_more(&id, &Fault::TimedOut { seconds: 1, phase: "the bench" }));
        assert!(pins.of(&id).unwrap().keep(&held).is_empty());
        assert!(!pins.lift_more(&id, &stuck));
    }
}
