//! What a perturbation does to a process.

use super::scratch::{Scratch, scratch_fault};
use crate::Fault;
use crate::harness::Perturb;
use crate::process::{Alias, EngineCommand, can_alias};
use std::fs;
use std::num::NonZeroU32;
use tiergate_engine::{AcceptedFlags, Seeds};
use tiergate_model::{EngineKind, OpBudget, Perturbation, PerturbationKind};

/// A variable that only takes up room. The harness hides it from the bench.
const PADDING: &str = "TIERGATE_PADDING";

/// Draws are spread over what the values may be by steps of the golden ratio: any number of first
/// draws lies evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Dead objects at most: some megabytes, more than the first size of a young generation.
const MOST_DEAD_OBJECTS: f64 = 100_000.0;

/// Numbers drawn at most; V8 makes 64 at a time.
const MOST_RANDOM_DRAWS: f64 = 64.0;

/// Bytes more in the environment at most.
const MOST_PADDING: f64 = 900.0;

/// Characters more in the name of the folder that all files are seen in, at most.
const MOST_PATH_BYTES: f64 = 100.0;

/// Ops more in the warm-up at most.
const MOST_WARMUP_OPS: f64 = 300.0;

/// Which kinds an engine has.
pub(super) fn kinds(engine: EngineKind) -> Vec<PerturbationKind> {
    use PerturbationKind::{Addresses, Environment, HashSeed, HeapPhase, Path, RandomSeed, WarmUp};
    let all = [HashSeed, RandomSeed, HeapPhase, WarmUp, Environment, Path, Addresses];
    let has = |kind: &PerturbationKind| match kind {
        // Bun has no such seed, and Deno's heap comes with one of its own: its flag changes nothing.
        HashSeed => engine == EngineKind::Node,
        Path => can_alias(),
        _ => true,
    };
    all.into_iter().filter(has).collect()
}

/// What is different from an unperturbed process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Changes {
    hash_seed: Option<NonZeroU32>,
    random_seed: Option<NonZeroU32>,
    random_draws: u32,
    dead_objects: u32,
    young_megabytes: Option<NonZeroU32>,
    warmup_ops: u32,
    padding_bytes: u32,
    path_bytes: u32,
    random_addresses: bool,
}

impl Changes {
    pub(super) fn of(perturbation: Perturbation) -> Self {
        let mut changes = Self::default();
        let Perturbation::Drawn(kind, draw) = perturbation else { return changes };
        match kind {
            PerturbationKind::Mixed => {
                changes.hash_seed = Some(seed(draw));
                changes.random_seed = Some(seed(draw));
                changes.random_draws = spread(draw, MOST_RANDOM_DRAWS);
                changes.heap_phase(draw);
                changes.padding_bytes = spread(draw, MOST_PADDING);
            }
            PerturbationKind::HashSeed => changes.hash_seed = Some(seed(draw)),
            PerturbationKind::RandomSeed => {
                changes.random_seed = Some(seed(draw));
                changes.random_draws = spread(draw, MOST_RANDOM_DRAWS);
            }
            PerturbationKind::HeapPhase => changes.heap_phase(draw),
            PerturbationKind::WarmUp => changes.warmup_ops = spread(draw, MOST_WARMUP_OPS),
            PerturbationKind::Environment => changes.padding_bytes = spread(draw, MOST_PADDING),
            PerturbationKind::Path => changes.path_bytes = spread(draw, MOST_PATH_BYTES),
            PerturbationKind::Addresses => changes.random_addresses = true,
        }
        changes
    }

    /// Where the young generation stands between two collections, and how large it is. It grows
    /// by what survives, so what a file leaves behind while it is loaded can decide its size, for
    /// one side of a comparison only; here it has a size of its own.
    fn heap_phase(&mut self, draw: NonZeroU32) {
        self.dead_objects = spread(draw, MOST_DEAD_OBJECTS);
        self.young_megabytes = NonZeroU32::new(1 + draw.get() % 2);
    }

    /// The engine's flags, with other seeds and sizes where they change.
    pub(super) fn flags(&self, flags: &AcceptedFlags) -> AcceptedFlags {
        let flags = match self.young_megabytes {
            Some(megabytes) => flags.with_young_generation(megabytes),
            None => flags.clone(),
        };
        if self.hash_seed.is_none() && self.random_seed.is_none() {
            return flags;
        }
        let or_usual = |seed: Option<NonZeroU32>| seed.unwrap_or(NonZeroU32::MIN);
        flags.with_seeds(Seeds {
            hash: or_usual(self.hash_seed),
            random: or_usual(self.random_seed),
        })
    }

    pub(super) fn apply(&self, command: &mut EngineCommand) {
        if self.padding_bytes > 0 {
            let padding = "x".repeat(self.padding_bytes as usize);
            command.environment.insert(PADDING.into(), padding.into());
        }
        command.random_addresses = self.random_addresses;
    }

    /// A folder in which the process sees its files under longer paths.
    pub(super) fn alias(&self, scratch: &Scratch) -> Result<Option<Alias>, Fault> {
        if self.path_bytes == 0 {
            return Ok(None);
        }
        let folder = scratch.path(&"x".repeat(self.path_bytes as usize));
        fs::create_dir(&folder).map_err(|source| scratch_fault(&folder, source))?;
        Ok(Some(Alias { folder }))
    }

    pub(super) fn budget(&self, budget: OpBudget) -> OpBudget {
        OpBudget { warmup_ops: budget.warmup_ops + u64::from(self.warmup_ops), ..budget }
    }

    /// What the harness is to do.
    pub(super) fn perturb(&self) -> Option<Perturb> {
        let Self { random_draws, dead_objects, .. } = *self;
        (random_draws > 0 || dead_objects > 0).then_some(Perturb { random_draws, dead_objects })
    }
}

/// Seeds other than the usual 1. The first two are those that a calibration tries.
fn seed(draw: NonZeroU32) -> NonZeroU32 {
    const CALIBRATED: [u32; 2] = crate::run::OTHER_SEEDS;
    let number = match draw.get() {
        1 => CALIBRATED[0],
        2 => CALIBRATED[1],
        draw if draw < CALIBRATED[1] => draw,
        draw => draw.saturating_add(1),
    };
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

/// From 1 to `most`.
#[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "positive and small")]
fn spread(draw: NonZeroU32, most: f64) -> u32 {
    1 + ((f64::from(draw.get()) * GOLDEN).fract() * (most - 1.0)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn nothing_is_changed_without_a_perturbation() {
        assert_eq!(Changes::of(Perturbation::None), Changes::default());
    }

    #[test]
    fn every_draw_is_another_one() {
        for kind in [
            PerturbationKind::Mixed,
            PerturbationKind::HashSeed,
            PerturbationKind::RandomSeed,
            PerturbationKind::HeapPhase,
            PerturbationKind::WarmUp,
            PerturbationKind::Environment,
            PerturbationKind::Path,
        ] {
            let changes: BTreeSet<String> =
                kind.draws(12).map(|draw| format!("{:?}", Changes::of(draw))).collect();
            assert_eq!(changes.len(), 12, "{}", kind.name());
            assert!(!changes.contains(&format!("{:?}", Changes::default())));
        }
    }

    #[test]
    fn seeds_are_never_the_usual_one() {
        let draws = PerturbationKind::HashSeed.draws(20);
        let seeds: BTreeSet<_> = draws.filter_map(|draw| Changes::of(draw).hash_seed).collect();
        assert_eq!(seeds.len(), 20);
        assert!(!seeds.contains(&NonZeroU32::MIN));
    }

    #[test]
    fn one_kind_changes_one_thing() {
        let one = |kind: PerturbationKind| Changes::of(kind.draw(NonZeroU32::MIN));
        assert_eq!(one(PerturbationKind::HashSeed).random_seed, None);
        assert_eq!(one(PerturbationKind::RandomSeed).hash_seed, None);
        assert_eq!(one(PerturbationKind::HeapPhase).perturb().unwrap().random_draws, 0);
        assert!(!kinds(EngineKind::Bun).contains(&PerturbationKind::HashSeed));
        assert!(!kinds(EngineKind::Deno).contains(&PerturbationKind::HashSeed));
    }
}
