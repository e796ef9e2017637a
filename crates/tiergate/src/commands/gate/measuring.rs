//! The readings of both sides, kept after every bench.

use super::benches::Benches;
use super::guard::{Begun, Guarded};
use crate::failure::Failure;
use crate::progress::Progress;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tiergate_measure::executor::{Bench, Executor};
use tiergate_measure::pairs::{self, PairEvent, PairPlan, PairedBench, Readings, Sides};
use tiergate_measure::run::PlannedBudget;
use tiergate_model::{
    BenchId, BenchResult, BenchStatus, Limits, ResultFile, RunEvent, SCHEMA_VERSION, Shard, Side,
};
use tiergate_store::{GateFolder, GateRecord};

/// How both sides are measured.
pub(super) struct Measuring<'a> {
    pub(super) executors: Sides<&'a dyn Executor>,
    pub(super) benches: &'a Benches,
    /// What is measured in this shard.
    pub(super) has: &'a (dyn Fn(&BenchId) -> bool + Sync),
    pub(super) unchanged: &'a BTreeMap<BenchId, String>,
    pub(super) budgets: BTreeMap<BenchId, PlannedBudget>,
    pub(super) repeats: u32,
    pub(super) pairs: u32,
    pub(super) limits: Limits,
    pub(super) jobs: usize,
    pub(super) bench_limit: Option<Duration>,
    pub(super) commits: Sides<Option<String>>,
    pub(super) filter: &'a [String],
    pub(super) shard: Option<Shard>,
    pub(super) folder: &'a GateFolder,
    /// Ends all processes: the user's interruption, or the time limit.
    pub(super) stop: &'a AtomicBool,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) time_limit: Option<Duration>,
    pub(super) progress: &'a Progress,
}

/// What was found, and what the reader should know of it.
pub(super) struct Measured {
    pub(super) base: ResultFile,
    pub(super) head: ResultFile,
    pub(super) notes: Vec<String>,
}

impl Measuring<'_> {
    /// Measures what `earlier` results do not hold already.
    pub(super) fn run(
        &self,
        earlier: Option<(ResultFile, ResultFile)>,
        record: &GateRecord,
    ) -> Result<Measured, Failure> {
        let mut files = self.empty_files();
        let done = earlier.map(|earlier| take_over(&mut files, earlier)).unwrap_or_default();
        self.folder.write_record(record)?;
        self.folder.write_results(&files.base, &files.head)?;

        let wanted = |bench: &&Bench| {
            let id = bench.id();
            (self.has)(id) && !self.unchanged.contains_key(id) && !done.contains(id)
        };
        let of = |benches: &[Bench]| benches.iter().filter(wanted).cloned().collect();
        let plan = PairPlan {
            benches: Sides {
                base: of(&self.benches.base.benches),
                head: of(&self.benches.head.benches),
            },
            budgets: self.budgets.clone(),
            repeats: self.repeats,
            pairs: self.pairs,
            limits: self.limits,
            jobs: self.jobs,
        };
        let begun = Begun::default();
        let base = Guarded::new("base", self.executors.base, &begun, self.bench_limit);
        let head = Guarded::new("head", self.executors.head, &begun, self.bench_limit);
        let files = Mutex::new(files);
        let told = AtomicBool::new(false);
        let both = Sides { base: &base as &dyn Executor, head: &head as &dyn Executor };
        let paired = pairs::run(both, &plan, self.stop, &|event| match event {
            PairEvent::Progress(event) => self.progress.show(&event),
            PairEvent::BenchFinished(bench) => {
                let shown = bench.results.head.as_ref().or(bench.results.base.as_ref());
                if let Some(result) = shown {
                    self.progress.show(&RunEvent::BenchFinished(Box::new(result.clone())));
                }
                let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
                self.put(&mut files, *bench);
                // The next bench may find room again; that it does not is known at the end.
                if let Err(error) = self.folder.write_results(&files.base, &files.head)
                    && !told.swap(true, Ordering::Relaxed)
                {
                    self.progress.show(&RunEvent::Warning(error.to_string()));
                }
            }
        });
        let files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Tried once more: room may have been made meanwhile.
        self.folder.write_results(&files.base, &files.head)?;
        let mut notes = base.retries();
        notes.extend(head.retries());
        notes.extend(spent(paired.readings));
        if !done.is_empty() {
            let benches = if done.len() == 1 { "bench was" } else { "benches were" };
            notes.push(format!("{} {benches} measured before the interruption", done.len()));
        }
        Ok(Measured { base: files.base, head: files.head, notes })
    }

    fn put(&self, files: &mut Sides<ResultFile>, bench: PairedBench) {
        let Sides { base, head } = bench.results;
        for (file, result) in [(&mut files.base, base), (&mut files.head, head)] {
            let Some(mut result) = result else { continue };
            self.explain(&mut result);
            if let Some(place) = file.benches.iter_mut().find(|place| place.id == result.id) {
                *place = result;
            }
        }
    }

    /// A bench that the time limit has stopped says so.
    fn explain(&self, result: &mut BenchResult) {
        let stopped =
            self.stop.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed);
        if let (true, BenchStatus::Incomplete, Some(limit)) =
            (stopped, result.status, self.time_limit)
        {
            let seconds = limit.as_secs();
            result.reason =
                Some(format!("not measured: the time limit of {seconds} s was reached"));
        }
    }

    /// The files before anything is measured: every bench in them is incomplete.
    fn empty_files(&self) -> Sides<ResultFile> {
        let Benches { base, head, removed, .. } = self.benches;
        let wanted = |id: &BenchId| (self.has)(id) && !self.unchanged.contains_key(id);
        let unmeasured = |bench: &Bench, reason: &str| {
            let discovered = &bench.discovered;
            let framework = format!("{} {}", discovered.framework, discovered.framework_version);
            BenchResult::incomplete(bench.id().clone(), framework, reason.to_owned())
        };
        let file = |side: Side| {
            let (listed, executor, commit) = match side {
                Side::Base => (base, self.executors.base, &self.commits.base),
                Side::Head => (head, self.executors.head, &self.commits.head),
            };
            let faults = listed.faults.iter().map(|(file, fault)| {
                let id = BenchId::from_text(file.relative.as_str());
                BenchResult::incomplete(id, "unknown".to_owned(), fault.to_string())
            });
            let benches = listed.benches.iter().map(|bench| unmeasured(bench, "not measured yet"));
            let gone = removed.iter().filter(|_| side == Side::Base);
            let gone = gone.map(|bench| unmeasured(bench, "not measured: head does not have it"));
            ResultFile {
                schema_version: SCHEMA_VERSION,
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                commit: commit.clone(),
                side: Some(side),
                filter: self.filter.to_vec(),
                shard: self.shard,
                fingerprint: executor.fingerprint().clone(),
                benches: faults
                    .chain(benches)
                    .chain(gone)
                    .filter(|bench| wanted(&bench.id))
                    .collect(),
            }
        };
        Sides { base: file(Side::Base), head: file(Side::Head) }
    }
}

/// Takes over what both sides have measured already; returns those benches.
fn take_over(
    files: &mut Sides<ResultFile>,
    (base, head): (ResultFile, ResultFile),
) -> BTreeSet<BenchId> {
    if base.fingerprint != files.base.fingerprint || head.fingerprint != files.head.fingerprint {
        return BTreeSet::new();
    }
    let measured = |file: &ResultFile| -> BTreeMap<BenchId, BenchResult> {
        let benches = file.benches.iter().filter(|bench| bench.status == BenchStatus::Measured);
        benches.map(|bench| (bench.id.clone(), bench.clone())).collect()
    };
    let (base, head) = (measured(&base), measured(&head));
    let in_base: BTreeSet<BenchId> =
        files.base.benches.iter().map(|bench| bench.id.clone()).collect();
    let mut done = BTreeSet::new();
    for place in &mut files.head.benches {
        let Some(earlier) = head.get(&place.id) else { continue };
        if base.contains_key(&place.id) == in_base.contains(&place.id) {
            *place = earlier.clone();
            done.insert(place.id.clone());
        }
    }
    for place in &mut files.base.benches {
        if let (true, Some(earlier)) = (done.contains(&place.id), base.get(&place.id)) {
            *place = earlier.clone();
        }
    }
    done
}

fn spent(readings: Readings) -> Option<String> {
    let Readings { spent, saved } = readings;
    let word = if spent == 1 { "reading" } else { "readings" };
    (spent > 0).then(|| match saved {
        0 => format!("{spent} {word} taken"),
        saved => format!("{spent} {word} taken, {saved} more would have decided nothing"),
    })
}
