//! A scripted executor: the whole pipeline can be tested without engines. The script is a JSON
//! file; hidden from users.

use super::{
    Bench, BenchFile, Executor, Listing, RawReading, ReadOptions, Sized, Stretches, Tiers,
};
use crate::Fault;
use crate::trace::Timeline;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, io};
use tiergate_engine::Seeds;
use tiergate_model::{
    BenchId, CpuFingerprint, DiscoveredBench, EngineFingerprint, EngineKind, Fingerprint,
    InstrumentFingerprint, InstrumentKind, MarkCheck, OpBudget, Perturbation, PerturbationKind,
    Proof, WindowShape,
};

/// What each bench of each file is to answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    /// The engine version in the fingerprint.
    #[serde(default)]
    engine_version: String,
    /// Files by their path below the root.
    files: BTreeMap<String, ScriptedFile>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedFile {
    /// The file throws this while loading.
    #[serde(default)]
    throws: Option<String>,
    #[serde(default)]
    benches: Vec<ScriptedBench>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedBench {
    name: String,
    /// The groups around it, from the outermost.
    #[serde(default)]
    groups: Vec<String>,
    /// Counts per op, one a reading; the last one repeats.
    #[serde(default)]
    counts_per_op: Vec<f64>,
    /// Counts per op under perturbations, by their names; the others are as without.
    #[serde(default)]
    perturbed: BTreeMap<Perturbation, f64>,
    /// Perturbations under which the op throws.
    #[serde(default)]
    throwing_under: Vec<Perturbation>,
    /// The op throws this.
    #[serde(default)]
    throws: Option<String>,
    #[serde(default)]
    skipped: bool,
    /// How long each reading takes.
    #[serde(default)]
    delay_ms: u64,
}

impl ScriptedBench {
    fn names(&self) -> Vec<String> {
        self.groups.iter().chain([&self.name]).cloned().collect()
    }
}

/// A script that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum MockError {
    /// The file can't be read.
    #[error("can't read the script `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no script.
    #[error("`{path}` is no script: {source}")]
    Parse {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// Answers from a script.
pub struct MockExecutor {
    script: Script,
    fingerprint: Fingerprint,
    readings_taken: Mutex<BTreeMap<BenchId, usize>>,
}

/// Native nanoseconds per op that every scripted bench claims.
const NS_PER_OP: f64 = 1_000.0;

impl MockExecutor {
    /// Reads the script.
    ///
    /// # Errors
    /// When it can't be read or is none.
    pub fn from_file(path: &Path) -> Result<Self, MockError> {
        let shown = path.display().to_string();
        let text = fs::read_to_string(path)
            .map_err(|source| MockError::Read { path: shown.clone(), source })?;
        let script: Script = serde_json::from_str(&text)
            .map_err(|source| MockError::Parse { path: shown, source })?;
        let fingerprint = fingerprint(&script.engine_version);
        Ok(Self { script, fingerprint, readings_taken: Mutex::default() })
    }

    fn scripted(&self, bench: &Bench) -> Option<&ScriptedBench> {
        let file = self.script.files.get(&bench.file.relative)?;
        let place = usize::try_from(bench.ordinal).ok()?.checked_sub(1)?;
        file.benches.iter().filter(|scripted| scripted.names() == bench.names).nth(place)
    }

    fn next_reading(&self, id: &BenchId) -> usize {
        let mut taken =
            self.readings_taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = taken.entry(id.clone()).or_default();
        *count += 1;
        *count - 1
    }
}

impl Executor for MockExecutor {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn list(&self, file: &BenchFile) -> Result<Listing, Fault> {
        let scripted = self.script.files.get(&file.relative).ok_or(Fault::NoBenches)?;
        if let Some(message) = &scripted.throws {
            return Err(threw("load", message));
        }
        let mut met: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        let bench = |scripted: &ScriptedBench| {
            let names = scripted.names();
            let ordinal = met.entry(names.clone()).or_default();
            *ordinal += 1;
            Bench {
                file: file.clone(),
                ordinal: *ordinal,
                discovered: DiscoveredBench {
                    id: BenchId::new(&file.relative, &names, *ordinal),
                    framework: "mock".to_owned(),
                    framework_version: "1".to_owned(),
                    window: WindowShape::Span,
                    batch_ops: 1,
                    divisible: true,
                    skipped: scripted.skipped,
                    conditions: BTreeMap::new(),
                },
                names,
            }
        };
        let benches: Vec<Bench> = scripted.benches.iter().map(bench).collect();
        if benches.is_empty() {
            return Err(Fault::NoBenches);
        }
        Ok(Listing { benches, ..Listing::default() })
    }

    fn size(&self, bench: &Bench) -> Result<Sized, Fault> {
        match self.scripted(bench).and_then(|scripted| scripted.throws.as_ref()) {
            Some(message) => Err(threw("op", message)),
            None => Ok(Sized { warmup_ops: 4_000, ns_per_op: NS_PER_OP }),
        }
    }

    fn trace(&self, _: &Bench, budget: OpBudget, _: Option<Seeds>) -> Result<Timeline, Fault> {
        Ok(Timeline { budget, events: Vec::new(), raw: String::new(), untraced: Vec::new() })
    }

    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "scripted counts are small and positive"
    )]
    fn read(
        &self,
        bench: &Bench,
        budget: OpBudget,
        options: ReadOptions,
    ) -> Result<RawReading, Fault> {
        let scripted = self.scripted(bench).ok_or(Fault::NoBenches)?;
        if let Some(message) = &scripted.throws {
            return Err(threw("op", message));
        }
        if scripted.throwing_under.contains(&options.perturbation) {
            return Err(threw("op", "perturbed"));
        }
        std::thread::sleep(Duration::from_millis(scripted.delay_ms));
        let number = self.next_reading(bench.id());
        let per_op = scripted
            .perturbed
            .get(&options.perturbation)
            .or(scripted.counts_per_op.get(number))
            .or(scripted.counts_per_op.last())
            .ok_or_else(|| Fault::Marks("the script has no count".to_owned()))?;
        Ok(RawReading {
            count: (per_op * budget.window_ops as f64) as u64,
            seconds: 0.25,
            phases: None,
            is_async: false,
            budget,
            own_loop: true,
            ran_dry: false,
            retained: None,
            proof: Proof {
                twin: None,
                marks: MarkCheck { expected: 2, seen: 2 },
                subtracted_mark_cost: None,
                sub_windows: Vec::new(),
                elsewhere: None,
                observed: None,
                pinned: None,
            },
        })
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
        PerturbationKind::ALL.into_iter().filter(|kind| *kind != PerturbationKind::Mixed).collect()
    }

    fn read_wall(&self, bench: &Bench, budget: OpBudget) -> Result<RawReading, Fault> {
        self.read(bench, budget, ReadOptions::default())
    }

    fn window_target_ns(&self) -> f64 {
        20e6
    }

    fn must_run_alone(&self) -> bool {
        false
    }
}

fn threw(phase: &str, message: &str) -> Fault {
    Fault::Threw { phase: phase.to_owned(), message: message.to_owned(), r#where: None }
}

fn fingerprint(engine_version: &str) -> Fingerprint {
    let mock = || "mock".to_owned();
    Fingerprint {
        engine: EngineFingerprint {
            name: EngineKind::Node,
            version: engine_version.to_owned(),
            jit_engine: mock(),
            path_hash: mock(),
            flags: Vec::new(),
        },
        instrument: InstrumentFingerprint { name: InstrumentKind::Mock, version: "1".to_owned() },
        cpu: CpuFingerprint { model: mock(), features_hash: mock() },
        libc: mock(),
        kernel: mock(),
        platform: mock(),
        address_randomisation_off: true,
        harness_hash: mock(),
        settings_hash: mock(),
    }
}
