//! One step for one bench file or bench: list it, size it, read it.

mod engine;
mod invocation;
mod lifting;
mod mock;
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
use crate::trace::Timeline;
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
    pub absolute: std::path::PathBuf,
    /// How it is run.
    pub suite: Suite,
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
    /// What is known about the window.
    pub proof: Proof,
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
