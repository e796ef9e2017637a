//! How many ops come before the window: until what the ops run has settled, and a margin.

use super::budget::{rounded, window_ops};
use crate::Fault;
use crate::executor::{Bench, Executor};
use crate::trace::{Place, TimedEvent, Timeline};
use std::num::NonZeroU32;
use tiergate_engine::Seeds;
use tiergate_engine::trace::CollectionKind;
use tiergate_model::OpBudget;

/// Native nanoseconds of ops that a traced run looks at.
const LOOK_NS: f64 = 250e6;

/// The same for ops so slow that few of them would fit.
const LONGEST_LOOK_NS: f64 = 1e9;

/// Native nanoseconds that a warm-up may take which is moved behind a late change.
const LONGEST_WARMUP_NS: f64 = 4e9;

/// Fewer ops would not show the last tier of a function that each op calls once.
const FEWEST_LOOK_OPS: f64 = 3_000.0;

/// The harness's own loop is entered once for 50 ops, and settles after some 16,000 ops.
const MOST_LOOK_OPS: f64 = 100_000.0;

/// Ops that a warm-up may have which is moved behind a late change. V8 decides anew where objects are
/// made at its first collection of the whole heap, which an op of 100 ns can be half a million ops away from.
const MOST_WARMUP_OPS: f64 = 2_000_000.0;

/// The last change must lie so far back, as a share of the ops until it.
const MARGIN: f64 = 0.25;

/// Ops of margin after changes in the very first ops.
const LEAST_MARGIN: f64 = 100.0;

/// Runs that confirm a warm-up, and that move it.
const LARGEST_TRIALS: usize = 6;

/// Collections that a window should hold, so that one more or less does not matter much.
const COLLECTIONS: f64 = 12.0;

/// Native nanoseconds that a window may take for their sake.
const LONGEST_FOR_COLLECTIONS_NS: f64 = 400e6;

/// Seeds that a warm-up must hold under, beside those of the readings.
pub(crate) const OTHER_SEEDS: [u32; 2] = [2, 7];

/// What traced runs found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Calibrated {
    pub(super) budget: OpBudget,
    /// What still happened where all should have settled.
    pub(super) unsettled: Option<TimedEvent>,
    /// Traced runs that it took.
    pub(super) runs: u32,
}

/// Finds a warm-up and a first guess at the window, given how long an op takes natively.
pub(super) fn calibrate(
    executor: &dyn Executor,
    bench: &Bench,
    ns_per_op: f64,
) -> Result<Calibrated, Fault> {
    let ns_per_op = if ns_per_op.is_finite() { ns_per_op.max(0.1) } else { LONGEST_LOOK_NS };
    let batches = |ops: u64| ops.next_multiple_of(bench.discovered.batch_ops.max(1));
    let look = look_ops(ns_per_op);
    let seen =
        executor.trace(bench, OpBudget { warmup_ops: look, window_ops: batches(1) }, None)?;
    let last = seen.unsettling().next_back().and_then(TimedEvent::until).unwrap_or(0);
    let warmup_ops = with_margin(last).min(look);
    let for_count = window_ops(ns_per_op, executor.window_target_ns());
    // What is settled may be all of the look.
    let for_collections = collecting_ops(&seen, warmup_ops.min(look / 2), ns_per_op);
    let window_ops = batches(for_count.max(for_collections));

    let seeds = [None, seeds(OTHER_SEEDS[0]), seeds(OTHER_SEEDS[1])];
    let reach = (2 * look + window_ops).max(ops_within(LONGEST_WARMUP_NS, ns_per_op));
    let held = hold(executor, bench, OpBudget { warmup_ops, window_ops }, &seeds, reach)?;
    Ok(Calibrated { runs: held.runs + 1, ..held })
}

/// Sees whether a warm-up still holds for a window that has grown, and moves it where it does not.
pub(super) fn hold_grown(
    executor: &dyn Executor,
    bench: &Bench,
    budget: OpBudget,
    ns_per_op: f64,
) -> Result<Calibrated, Fault> {
    let reach = 2 * budget.warmup_ops + ops_within(LONGEST_WARMUP_NS, ns_per_op);
    hold(executor, bench, budget, &[None], reach)
}

/// Moves a warm-up until nothing changes any more behind it under each of the seeds, as long as it
/// ends within `reach` ops.
fn hold(
    executor: &dyn Executor,
    bench: &Bench,
    budget: OpBudget,
    seeds: &[Option<Seeds>],
    reach: u64,
) -> Result<Calibrated, Fault> {
    let OpBudget { mut warmup_ops, window_ops } = budget;
    let (mut held, mut runs) = (0, 0);
    let mut unsettled = None;
    for trial in 0..LARGEST_TRIALS {
        let budget = OpBudget { warmup_ops, window_ops };
        let timeline = executor.trace(bench, budget, seeds[trial % seeds.len()])?;
        runs += 1;
        // The first ops are a part of the warm-up that the harness may have had to make longer.
        warmup_ops = warmup_ops.max(timeline.budget.warmup_ops);
        unsettled = late_change(&timeline).cloned();
        let later = unsettled.as_ref().and_then(TimedEvent::until).map(with_margin);
        match later {
            Some(later) if later > warmup_ops && later <= reach => {
                warmup_ops = later;
                held = 0;
            }
            Some(_) => break,
            None => held += 1,
        }
        if held == seeds.len() {
            break;
        }
    }
    Ok(Calibrated { budget: OpBudget { warmup_ops, window_ops }, unsettled, runs })
}

#[allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "positive and far below 2^53"
)]
fn ops_within(ns: f64, ns_per_op: f64) -> u64 {
    (ns / ns_per_op.max(0.1)).min(MOST_WARMUP_OPS) as u64
}

fn seeds(number: u32) -> Option<Seeds> {
    let number = NonZeroU32::new(number)?;
    Some(Seeds { hash: number, random: number })
}

/// Ops of the first traced run.
fn look_ops(ns_per_op: f64) -> u64 {
    let ops = (LOOK_NS / ns_per_op).max(FEWEST_LOOK_OPS);
    rounded(ops.min(MOST_LOOK_OPS).min(LONGEST_LOOK_NS / ns_per_op))
}

fn with_margin(last: u64) -> u64 {
    let last = last as f64;
    rounded(last + (last * MARGIN).max(LEAST_MARGIN))
}

/// The last change in the window, or so close before it that under other circumstances it would
/// be in it.
fn late_change(timeline: &Timeline) -> Option<&TimedEvent> {
    let close = timeline.budget.warmup_ops as f64 / (1.0 + MARGIN / 4.0);
    timeline.unsettling().rfind(|event| match event.place {
        Place::Window { .. } => true,
        Place::Warmup { until, .. } => until as f64 > close && until as f64 > LEAST_MARGIN,
        Place::Before | Place::Aside | Place::After => false,
    })
}

/// Ops for a window with enough collections, as far as the ops make any.
fn collecting_ops(seen: &Timeline, settled: u64, ns_per_op: f64) -> u64 {
    let collections = seen.collections(CollectionKind::Young, settled) as f64;
    if collections < 2.0 {
        return 0;
    }
    let ops = seen.budget.warmup_ops.saturating_sub(settled) as f64;
    let needed = ops / collections * COLLECTIONS;
    rounded(needed.min(LONGEST_FOR_COLLECTIONS_NS / ns_per_op))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::{
        BenchFile, Listing, RawReading, ReadOptions, Sized, Stretches, Suite, Tiers,
    };
    use tiergate_engine::trace::Event;
    use tiergate_model::{BenchId, DiscoveredBench, Fingerprint, PerturbationKind, WindowShape};

    /// An engine in which a function enters optimised code after some ops, for each seed.
    struct Engine(fn(Option<Seeds>) -> &'static [u64]);

    impl Executor for Engine {
        fn trace(
            &self,
            _: &Bench,
            budget: OpBudget,
            seeds: Option<Seeds>,
        ) -> Result<Timeline, Fault> {
            let ops = budget.warmup_ops + budget.window_ops;
            let event = |until: u64| {
                let after = until - 1;
                let place = if until <= budget.warmup_ops {
                    Place::Warmup { after, until }
                } else {
                    Place::Window { after, until }
                };
                TimedEvent { place, event: Event::OsrEntry { function: "f".to_owned() } }
            };
            let events =
                (self.0)(seeds).iter().filter(|at| **at <= ops).map(|at| event(*at)).collect();
            Ok(Timeline { budget, events, raw: String::new(), untraced: Vec::new() })
        }

        fn window_target_ns(&self) -> f64 {
            10e6
        }

        fn fingerprint(&self) -> &Fingerprint {
            unreachable!("a calibration does not ask for it")
        }

        fn list(&self, _: &BenchFile) -> Result<Listing, Fault> {
            Err(Fault::Interrupted)
        }

        fn size(&self, _: &Bench) -> Result<Sized, Fault> {
            Err(Fault::Interrupted)
        }

        fn read(&self, _: &Bench, _: OpBudget, _: ReadOptions) -> Result<RawReading, Fault> {
            Err(Fault::Interrupted)
        }

        fn course(
            &self,
            _: &Bench,
            _: OpBudget,
            _: &[u64],
            _: Tiers,
        ) -> Result<Option<Stretches>, Fault> {
            Ok(None)
        }

        fn empty_op(&self, _: bool, _: Tiers) -> Option<f64> {
            None
        }

        fn perturbations(&self) -> Vec<PerturbationKind> {
            Vec::new()
        }

        fn read_wall(&self, _: &Bench, _: OpBudget) -> Result<RawReading, Fault> {
            Err(Fault::Interrupted)
        }

        fn must_run_alone(&self) -> bool {
            false
        }
    }

    fn calibrated(changes: fn(Option<Seeds>) -> &'static [u64]) -> Calibrated {
        calibrated_at(10_000.0, changes)
    }

    fn calibrated_at(ns_per_op: f64, changes: fn(Option<Seeds>) -> &'static [u64]) -> Calibrated {
        let file = BenchFile {
            relative: "a.mjs".to_owned(),
            absolute: "/a.mjs".into(),
            suite: Suite::default(),
        };
        let names = vec!["f".to_owned()];
        let discovered = DiscoveredBench {
            id: BenchId::new("a.mjs", &names, 1),
            framework: String::new(),
            framework_version: String::new(),
            window: WindowShape::Span,
            batch_ops: 1,
            divisible: true,
            skipped: false,
            conditions: std::collections::BTreeMap::new(),
        };
        let bench = Bench { file, names, ordinal: 1, discovered };
        calibrate(&Engine(changes), &bench, ns_per_op).unwrap()
    }

    #[test]
    fn the_window_comes_a_margin_after_the_last_change() {
        let found = calibrated(|_| &[10, 4_000]);
        assert_eq!(found.budget, OpBudget { warmup_ops: 5_000, window_ops: 1_000 });
        assert_eq!(found.unsettled, None);
    }

    #[test]
    fn other_seeds_can_make_it_later() {
        let found = calibrated(|seeds| if seeds.is_some() { &[4_900] } else { &[4_000] });
        assert_eq!(found.budget.warmup_ops, 6_200);
        assert_eq!(found.unsettled, None);
    }

    #[test]
    fn a_change_can_come_long_after_the_first_look() {
        let found = calibrated_at(200.0, |_| &[99_000, 140_000, 190_000, 285_000]);
        assert_eq!(found.budget.warmup_ops, 360_000);
        assert_eq!(found.unsettled, None);
    }

    #[test]
    fn what_never_settles_is_told() {
        let found = calibrated(|_| {
            const EVER: [u64; 200] = {
                let mut changes = [0; 200];
                let mut i = 0;
                while i < changes.len() {
                    changes[i] = 1 + 500 * i as u64;
                    i += 1;
                }
                changes
            };
            &EVER
        });
        assert!(found.unsettled.is_some());
    }

    #[test]
    fn a_look_is_bounded_by_time_and_ops() {
        assert_eq!(look_ops(1.0), 100_000);
        assert_eq!(look_ops(5_000.0), 50_000);
        assert_eq!(look_ops(100_000.0), 3_000);
        assert_eq!(look_ops(1e6), 1_000);
        assert_eq!(look_ops(5e9), 1);
    }

    #[test]
    fn the_margin_is_a_share_and_never_nothing() {
        assert_eq!(with_margin(0), 100);
        assert_eq!(with_margin(1_000), 1_300);
        assert_eq!(with_margin(16_000), 20_000);
    }
}
