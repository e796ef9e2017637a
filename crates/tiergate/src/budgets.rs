//! Op budgets that are known before anything is measured.

use crate::failure::Failure;
use crate::settings::Settings;
use std::collections::BTreeMap;
use tiergate_measure::executor::{Bench, Executor};
use tiergate_measure::run::PlannedBudget;
use tiergate_model::{BenchId, Unit};
use tiergate_store::{Lock, lock_engine};

/// The name of an executor's engine in the lock. Windows for the clock and for counts differ, so
/// the clock's have a place of their own.
pub(crate) fn lock_name(executor: &dyn Executor) -> String {
    let engine = &executor.fingerprint().engine;
    let name = lock_engine(engine.name, &engine.version);
    match executor.unit() {
        Unit::Instructions => name,
        Unit::Nanoseconds => format!("{name}-wall"),
    }
}

/// The budgets from the settings, and from the lock where one is given.
pub(crate) fn planned_budgets(
    settings: &Settings,
    lock: Option<&Lock>,
    executor: &dyn Executor,
    benches: &[Bench],
) -> Result<BTreeMap<BenchId, PlannedBudget>, Failure> {
    let name = lock_name(executor);
    let mut budgets = BTreeMap::new();
    for bench in benches {
        let id = bench.id();
        let locked = lock.and_then(|lock| lock.get(&name, id)).map(|entry| entry.budget);
        let chosen = settings.hand_set_budget(id.as_str())?;
        if let Some(budget) = chosen.or(locked) {
            let hand_set = chosen.or(None).is_some();
            budgets.insert(id.clone(), PlannedBudget { budget, hand_set });
        }
    }
    Ok(budgets)
}
