//! The benches of all bench files, as list mode tells them.

use crate::discover::Filter;
use crate::failure::Failure;
use crate::output;
use crate::shard::Share;
use crate::suites::{configured_vitest, loaded_suite, vitest_suite};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tiergate_measure::Fault;
use tiergate_measure::executor::{Bench, BenchFile, Executor, Listing, Runner};
use tiergate_model::{BenchId, EngineFingerprint, EngineKind, Shard};
use tiergate_store::Lock;

/// What the files hold.
#[derive(Default)]
pub(crate) struct Listed {
    /// Benches that the filter lets through, in the order of files and registration.
    pub(crate) benches: Vec<Bench>,
    /// Files that could not be listed.
    pub(crate) faults: Vec<(BenchFile, Fault)>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// Benches that the filter left out.
    pub(crate) left_out: usize,
    /// Benches of other shards.
    pub(crate) left_to_others: usize,
    /// What each file opened while it was listed, by its path below the root; `None` where that
    /// can't be known.
    pub(crate) opened: BTreeMap<String, Option<BTreeSet<PathBuf>>>,
}

/// Lists all files, `jobs` at a time.
pub(crate) fn list_all(
    executor: &dyn Executor,
    files: &[BenchFile],
    filter: &Filter,
    jobs: usize,
) -> Listed {
    let engine = &executor.fingerprint().engine;
    let (files, others): (Vec<BenchFile>, Vec<BenchFile>) =
        files.iter().cloned().partition(|file| file.suite.is_for(engine));
    tell_of_others(others.len(), engine);
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<Listing, Fault>>>> =
        files.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, files.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(file), Some(slot)) = (files.get(index), slots.get(index)) else {
                        return;
                    };
                    let listing = list(executor, file);
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(listing);
                    }
                }
            });
        }
    });
    let mut listed = Listed::default();
    for (file, slot) in files.iter().zip(slots) {
        match slot.into_inner().ok().flatten() {
            Some(Ok(listing)) => listed.add(file, listing, filter),
            Some(Err(fault)) => listed.faults.push((file.clone(), fault)),
            None => listed.faults.push((file.clone(), Fault::Interrupted)),
        }
    }
    listed
}

/// Lists a file; where the engine can't run it, in the other ways that it may be meant to be run.
fn list(executor: &dyn Executor, file: &BenchFile) -> Result<Listing, Fault> {
    let fault = match executor.list(file) {
        Err(fault) if file.suite.runner == Runner::Engine => fault,
        listing => return listing,
    };
    let root = file.root();
    if let Fault::NeedsRunner { .. } = &fault {
        let suite = vitest_suite(root, &file.absolute);
        return executor.list(&BenchFile { suite, ..file.clone() });
    }
    let did_not_load = match &fault {
        Fault::NoBenches | Fault::EndedEarly { .. } => true,
        Fault::Threw { phase, .. } => phase == "load",
        _ => false,
    };
    if !did_not_load {
        return Err(fault);
    }
    // TypeScript beyond what the engine strips; globals of vitest's, or what only its
    // configuration knows.
    let is_node = executor.fingerprint().engine.name == EngineKind::Node;
    let others = [
        loaded_suite(&file.suite, &file.absolute).filter(|_| is_node),
        configured_vitest(root, &file.absolute).filter(|_| is_node),
    ];
    let listed = others
        .into_iter()
        .flatten()
        .find_map(|suite| executor.list(&BenchFile { suite, ..file.clone() }).ok());
    listed.ok_or(fault)
}

impl Listed {
    fn add(&mut self, file: &BenchFile, listing: Listing, filter: &Filter) {
        self.warnings.extend(
            listing.warnings.iter().map(|warning| format!("`{}`: {warning}", file.relative)),
        );
        self.opened.insert(file.relative.clone(), listing.opened);
        for bench in listing.benches {
            if filter.matches(bench.id().as_str()) {
                self.benches.push(bench);
            } else {
                self.left_out += 1;
            }
        }
    }

    /// Leaves to others what is not in this machine's shard.
    pub(crate) fn keep_shard(&mut self, shard: Option<Shard>, lock: &Lock, engine: &str) {
        let seconds = |id: &BenchId| lock.get(engine, id).map(|entry| entry.seconds);
        let files = self.faults.iter().map(|(file, _)| BenchId::from_text(file.relative.as_str()));
        let ids = self.benches.iter().map(|bench| bench.id().clone()).chain(files);
        let share = Share::of(shard, &ids.map(|id| (id.clone(), seconds(&id))).collect());
        let before = self.benches.len();
        self.benches.retain(|bench| share.has(bench.id()));
        self.left_to_others = before - self.benches.len();
        self.faults.retain(|(file, _)| share.has(&BenchId::from_text(file.relative.as_str())));
    }

    /// Says what the user should know, and which files could not be listed.
    pub(crate) fn tell(&self) {
        self.warnings.iter().for_each(|warning| output::warning(warning));
        for (file, fault) in &self.faults {
            output::error(&format!("`{}`: {fault}", file.relative));
            if let Some(hint) = fault.hint() {
                output::hint(hint);
            }
        }
    }

    /// An empty list is an error unless it is allowed: nothing measured is nothing shown.
    pub(crate) fn check_not_empty(&self, allow_empty: bool) -> Result<(), Failure> {
        if allow_empty
            || !self.benches.is_empty()
            || !self.faults.is_empty()
            || self.left_to_others > 0
        {
            return Ok(());
        }
        Err(match self.left_out {
            0 => no_bench_files(),
            left_out => {
                Failure::usage(format!("no bench matches the filter; it leaves out all {left_out}"))
                    .hint("`tiergate list` shows the ids")
            }
        })
    }
}

/// Files of suites that are for other engines are left out, and not without a word.
fn tell_of_others(others: usize, engine: &EngineFingerprint) {
    if others > 0 {
        output::note(&format!(
            "{others} files are for other engines than {} {}, as `engine` of their `[[suite]]` says",
            engine.name, engine.version
        ));
    }
}

/// No file to ask.
pub(crate) fn no_bench_files() -> Failure {
    Failure::usage("no bench files found")
        .hint("name files or folders, set `files` in `tiergate.toml`, or pass `--allow-empty`")
}
