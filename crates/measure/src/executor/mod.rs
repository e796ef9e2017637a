//! One step for one bench file or bench: list it, size it, read it.

mod beside;
mod caches;
mod code_cache;
mod empty;
mod engine;
mod held;
mod invocation;
mod lifting;
mod mock;
mod opened;
mod outcome;
mod perturbed;
mod phases;
mod scratch;
mod suite;
mod suite_flags;
mod window;

pub use engine::{EngineExecutor, Sandbox};
pub use mock::{MockError, MockExecutor};
pub use suite::{Loader, Runner, Suite};

use crate::Fault;
use crate::profile::Profile;
use crate::trace::Timeline;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tiergate_engine::Seeds;
use tiergate_model::{
    BenchId, DiscoveredBench, Fingerprint, OpBudget, Perturbation, PerturbationKind, Phases, Proof,
    Unit,
};

/// A bench file, by its path below the root and absolutely.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BenchFile {
    /// Path below the root, with `/` between its parts: the first part of the ids.
    pub relative: String,
    /// Absolute path.
    pub absolute: PathBuf,
    /// How it is run.
    pub suite: Suite,
}

impl BenchFile {
    /// The root that its relative path begins at.
    pub fn root(&self) -> &Path {
        let depth = Path::new(&self.relative).components().count();
        self.absolute.ancestors().nth(depth).unwrap_or(Path::new("/"))
    }

    /// The same file in another tree, with what its suite names of this one.
    #[must_use]
    pub fn in_tree(&self, root: &Path) -> Self {
        let moved = |path: &Path| {
            path.strip_prefix(self.root()).map_or_else(|_| path.to_owned(), |path| root.join(path))
        };
        let mut suite = self.suite.clone();
        suite.directory = suite.directory.as_deref().map(moved);
        Self { relative: self.relative.clone(), absolute: root.join(&self.relative), suite }
    }
}

/// A bench to be sized or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bench {
    /// Its file.
    pub file: BenchFile,
    /// Groups from the outermost, then its name.
    pub names: Vec<String>,
    /// 1 for the first of these names in the file.
    pub ordinal: u32,
    /// What discovery knows.
    pub discovered: DiscoveredBench,
}

impl Bench {
    /// The id.
    pub fn id(&self) -> &BenchId {
        &self.discovered.id
    }
}

/// What a bench file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Its benches, in the order of registration.
    pub benches: Vec<Bench>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// The files that it opened while it was loaded; `None` where that can't be known.
    pub opened: Option<BTreeSet<PathBuf>>,
}

/// What a sizing run found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sized {
    /// Ops of warm-up that fitted into the limits.
    pub warmup_ops: u64,
    /// Nanoseconds per op after them, natively.
    pub ns_per_op: f64,
}

/// How one reading is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The circumstances.
    pub perturbation: Perturbation,
    /// Whether the user's own output is passed on.
    pub show_output: bool,
}

/// What one process counted.
#[derive(Debug, Clone, PartialEq)]
pub struct RawReading {
    /// The count over the window, marks' own cost subtracted where the window is in brackets.
    pub count: u64,
    /// Wall-clock seconds of the process.
    pub seconds: f64,
    /// What of them went where.
    pub phases: Option<Phases>,
    /// Whether the op's promise was awaited.
    pub is_async: bool,
    /// The ops, as they were run: a framework's own first calls are part of the warm-up.
    pub budget: OpBudget,
    /// Whether user code loops over the ops, instead of the harness.
    pub own_loop: bool,
    /// See [`Stretches::ran_dry`].
    pub ran_dry: bool,
    /// See [`Stretches::retained`].
    pub retained: Option<Retained>,
    /// What is known about the window.
    pub proof: Proof,
}

/// Which code the ops of a course run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tiers {
    /// Whatever they are measured in.
    AsMeasured,
    /// The engine's lowest tiers, in which an op that does the same work costs the same from its
    /// first calls on.
    Lowest,
}

/// A stretch of ops and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Ops of the process that were through before it.
    pub after_ops: u64,
    /// Its ops.
    pub ops: u64,
    /// Instructions, those of the mark at its end included.
    pub count: u64,
}

impl Stretch {
    /// Instructions per op.
    pub fn per_op(&self) -> f64 {
        self.count as f64 / self.ops as f64
    }
}

/// A bench's ops in stretches, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stretches {
    /// Those with ops and those without.
    pub stretches: Vec<Stretch>,
    /// Whether the very first op gave something and the last one nothing; known only where the first
    /// stretch is that op.
    pub ran_dry: bool,
    /// What the ops left on the heap, where the course holds a stretch without ops for weighing it.
    pub retained: Option<Retained>,
}

/// What ops left on the heap after all garbage was collected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retained {
    /// Bytes; less than none where the heap shrank.
    pub bytes: f64,
    /// The ops.
    pub ops: u64,
}

/// Takes the steps; the pipeline above it is the same for real engines and for scripted ones.
pub trait Executor: Sync {
    /// What its counts are comparable with.
    fn fingerprint(&self) -> &Fingerprint;

    /// Lists a file's benches; none of their functions is called.
    ///
    /// # Errors
    /// Why the file can't be listed.
    fn list(&self, file: &BenchFile) -> Result<Listing, Fault>;

    /// Runs a bench natively to find how many ops fit.
    ///
    /// # Errors
    /// Why it can't be sized.
    fn size(&self, bench: &Bench) -> Result<Sized, Fault>;

    /// Takes one reading in a fresh process.
    ///
    /// # Errors
    /// Why there is no reading.
    fn read(
        &self,
        bench: &Bench,
        budget: OpBudget,
        options: ReadOptions,
    ) -> Result<RawReading, Fault>;

    /// What it can change by itself; `mixed` changes all of these at once.
    fn perturbations(&self) -> Vec<PerturbationKind>;

    /// Runs a few ops of a bench natively and tells the files that the process opened; `None`
    /// where that can't be known.
    ///
    /// # Errors
    /// Why it did not run.
    fn opened(&self, bench: &Bench) -> Result<Option<BTreeSet<PathBuf>>, Fault> {
        let _ = bench;
        Ok(None)
    }

    /// Runs a bench natively as it is read, and has the engine trace what it does; with other
    /// seeds than those of the readings where some are given.
    ///
    /// # Errors
    /// Why there is no trace.
    fn trace(
        &self,
        bench: &Bench,
        budget: OpBudget,
        seeds: Option<Seeds>,
    ) -> Result<Timeline, Fault>;

    /// Counts a bench's ops in stretches of so many ops each, from `budget.warmup_ops` on. Where that is
    /// none, the first stretch is the very first op, and the second, of no ops, lies between it and the
    /// harness's loop; this is for benches in that loop only. In as many
    /// equal ones where hooks lie between the ops. A stretch may have no ops: it costs what its mark
    /// costs. `None` where the instrument or the bench can't be divided.
    ///
    /// # Errors
    /// Why there is no count.
    fn course(
        &self,
        bench: &Bench,
        budget: OpBudget,
        shares: &[u64],
        tiers: Tiers,
    ) -> Result<Option<Stretches>, Fault>;

    /// Where the instructions of a bench's window go, by the in-process counter.
    ///
    /// # Errors
    /// As for a reading; and where the instrument has no profiles, or the profile doesn't add up to
    /// the count.
    fn profile(&self, bench: &Bench, budget: OpBudget) -> Result<Profile, Fault> {
        let _ = (bench, budget);
        Err(Fault::Instrument {
            instrument: self.fingerprint().instrument.name.name(),
            fault: "it has no profiles of a window; use `--instrument counter`".to_owned(),
        })
    }

    /// What an op that does nothing costs in the harness's loop, in the instrument's unit; `None`
    /// where it can't be told.
    fn empty_op(&self, is_async: bool, tiers: Tiers) -> Option<f64>;

    /// Takes one reading with the clock instead of the instrument.
    ///
    /// # Errors
    /// Why there is no reading.
    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault>;

    /// How many nanoseconds of native time a window should hold.
    fn window_target_ns(&self) -> f64;

    /// Whether other processes would disturb its readings.
    fn must_run_alone(&self) -> bool;

    /// The unit of its counts.
    fn unit(&self) -> Unit {
        self.fingerprint().instrument.name.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_suite_in_another_tree() {
        let suite = Suite { directory: Some("/head/packages/a".into()), ..Suite::default() };
        let file = BenchFile {
            relative: "packages/a/x.bench.ts".to_owned(),
            absolute: "/head/packages/a/x.bench.ts".into(),
            suite,
        };
        assert_eq!(file.root(), Path::new("/head"));
        let moved = file.in_tree(Path::new("/base"));
        assert_eq!(moved.absolute, Path::new("/base/packages/a/x.bench.ts"));
        assert_eq!(moved.suite.directory.as_deref(), Some(Path::new("/base/packages/a")));
    }
}
