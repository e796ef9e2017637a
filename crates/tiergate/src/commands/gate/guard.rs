//! An executor with patience and limits: crashed processes are started again, a bench has a time
//! limit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tiergate_engine::Seeds;
use tiergate_measure::Fault;
use tiergate_measure::executor::{
    Bench, BenchFile, Executor, Listing, RawReading, ReadOptions, Sized, Stretches, Tiers,
};
use tiergate_measure::process::Ending;
use tiergate_measure::trace::Timeline;
use tiergate_model::{BenchId, Fingerprint, OpBudget, PerturbationKind};

/// How often a process of one bench and side is started again at most.
const RETRIES: u32 = 2;

/// When each bench was begun, on whichever side.
pub(super) type Begun = Mutex<BTreeMap<BenchId, Instant>>;

/// One side's executor.
pub(super) struct Guarded<'a> {
    side: &'static str,
    inner: &'a dyn Executor,
    begun: &'a Begun,
    limit: Option<Duration>,
    retried: Mutex<BTreeMap<BenchId, (u32, String)>>,
}

impl<'a> Guarded<'a> {
    pub(super) fn new(
        side: &'static str,
        inner: &'a dyn Executor,
        begun: &'a Begun,
        limit: Option<Duration>,
    ) -> Self {
        Self { side, inner, begun, limit, retried: Mutex::default() }
    }

    /// What had to be started again, for the reader.
    pub(super) fn retries(&self) -> Vec<String> {
        locked(&self.retried)
            .iter()
            .map(|(id, (count, fault))| {
                let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
                format!("`{id}`: a process of {} was started again {times}: {fault}", self.side)
            })
            .collect()
    }

    fn step<T>(&self, bench: &Bench, step: impl Fn() -> Result<T, Fault>) -> Result<T, Fault> {
        loop {
            if let Some(limit) = self.limit {
                let begun =
                    *locked(self.begun).entry(bench.id().clone()).or_insert_with(Instant::now);
                if begun.elapsed() > limit {
                    return Err(Fault::OutOfTime { seconds: limit.as_secs() });
                }
            }
            match step() {
                Err(fault) if has_crashed(&fault) && self.may_retry(bench, &fault) => {}
                result => return result,
            }
        }
    }

    fn may_retry(&self, bench: &Bench, fault: &Fault) -> bool {
        let mut retried = locked(&self.retried);
        let (count, last) = retried.entry(bench.id().clone()).or_default();
        if *count == RETRIES {
            return false;
        }
        *count += 1;
        *last = fault.to_string();
        true
    }
}

/// Whether the engine died, or could not be started, without the user's code asking for it.
fn has_crashed(fault: &Fault) -> bool {
    matches!(fault, Fault::Spawn(_) | Fault::EndedEarly { ending: Ending::Signalled(_), .. })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executor for Guarded<'_> {
    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn list(&self, file: &BenchFile) -> Result<Listing, Fault> {
        self.inner.list(file)
    }

    fn size(&self, bench: &Bench) -> Result<Sized, Fault> {
        self.step(bench, || self.inner.size(bench))
    }

    fn read(
        &self,
        bench: &Bench,
        budget: OpBudget,
        options: ReadOptions,
    ) -> Result<RawReading, Fault> {
        self.step(bench, || self.inner.read(bench, budget, options))
    }

    fn perturbations(&self) -> Vec<PerturbationKind> {
        self.inner.perturbations()
    }

    fn trace(
        &self,
        bench: &Bench,
        budget: OpBudget,
        seeds: Option<Seeds>,
    ) -> Result<Timeline, Fault> {
        self.step(bench, || self.inner.trace(bench, budget, seeds))
    }

    fn course(
        &self,
        bench: &Bench,
        budget: OpBudget,
        shares: &[u64],
        tiers: Tiers,
    ) -> Result<Option<Stretches>, Fault> {
        self.step(bench, || self.inner.course(bench, budget, shares, tiers))
    }

    fn empty_op(&self, is_async: bool, tiers: Tiers) -> Option<f64> {
        self.inner.empty_op(is_async, tiers)
    }

    fn opened(&self, bench: &Bench) -> Result<Option<BTreeSet<PathBuf>>, Fault> {
        self.inner.opened(bench)
    }

    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault> {
        self.step(bench, || self.inner.read_wall(bench, budget))
    }

    fn window_target_ns(&self) -> f64 {
        self.inner.window_target_ns()
    }

    fn must_run_alone(&self) -> bool {
        self.inner.must_run_alone()
    }
}
