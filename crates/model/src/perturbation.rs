//! Harmless changes of circumstances, under which equal code costs almost the same.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// What a perturbation changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PerturbationKind {
    /// All kinds that the engine has, at once: independent draws, by which changes are judged.
    Mixed,
    /// The seed of string hashes: which keys collide.
    HashSeed,
    /// The seed of `Math.random`, and how many numbers were drawn before the bench file is loaded.
    RandomSeed,
    /// Dead objects in the heap before the bench is set up, and the size of the young generation:
    /// where in its cycle the collector is.
    HeapPhase,
    /// Ops more before the window: likewise, and where in its own cycle the bench is.
    WarmUp,
    /// The size of the environment: where the stack begins.
    Environment,
    /// The length of the paths of all files.
    Path,
    /// Randomised addresses.
    Addresses,
}

impl PerturbationKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Mixed,
        Self::HashSeed,
        Self::RandomSeed,
        Self::HeapPhase,
        Self::WarmUp,
        Self::Environment,
        Self::Path,
        Self::Addresses,
    ];

    /// The kinds that can move a bench by more than a limit.
    pub const MOVING: [Self; 3] = [Self::HashSeed, Self::RandomSeed, Self::HeapPhase];

    /// The name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::HashSeed => "hash-seed",
            Self::RandomSeed => "random-seed",
            Self::HeapPhase => "heap-phase",
            Self::WarmUp => "warm-up",
            Self::Environment => "environment",
            Self::Path => "path",
            Self::Addresses => "addresses",
        }
    }

    /// One draw of this kind, from 1.
    pub fn draw(self, draw: NonZeroU32) -> Perturbation {
        Perturbation::Drawn(self, draw)
    }

    /// The first draws of this kind.
    pub fn draws(self, count: u32) -> impl Iterator<Item = Perturbation> {
        (1..=count).filter_map(NonZeroU32::new).map(move |draw| self.draw(draw))
    }
}

/// A harmless change of circumstances that both sides of a pair share. In result files `none`,
/// or the name of a kind, with `-2`, `-3` for its further draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Perturbation {
    /// None: the profile's own seeds and environment.
    #[default]
    None,
    /// Something is changed, to a degree that the number of the draw decides.
    Drawn(PerturbationKind, NonZeroU32),
}

impl Perturbation {
    /// What it changes.
    pub fn kind(self) -> Option<PerturbationKind> {
        match self {
            Self::None => None,
            Self::Drawn(kind, _) => Some(kind),
        }
    }
}

impl fmt::Display for Perturbation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => formatter.pad("none"),
            Self::Drawn(kind, NonZeroU32::MIN) => formatter.pad(kind.name()),
            Self::Drawn(kind, draw) => formatter.pad(&format!("{}-{draw}", kind.name())),
        }
    }
}

/// A name that is none of a perturbation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown perturbation `{0}`")]
pub struct UnknownPerturbation(String);

impl FromStr for Perturbation {
    type Err = UnknownPerturbation;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self::None);
        }
        let kind = |name: &str| PerturbationKind::ALL.into_iter().find(|kind| kind.name() == name);
        if let Some(kind) = kind(text) {
            return Ok(kind.draw(NonZeroU32::MIN));
        }
        text.rsplit_once('-')
            .and_then(|(name, draw)| Some((kind(name)?, draw.parse().ok()?)))
            .filter(|(_, draw)| *draw > NonZeroU32::MIN)
            .map(|(kind, draw)| kind.draw(draw))
            .ok_or_else(|| UnknownPerturbation(text.to_owned()))
    }
}

impl Serialize for Perturbation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Perturbation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Perturbation {
    fn schema_name() -> Cow<'static, str> {
        "Perturbation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = PerturbationKind::ALL.into_iter().map(|kind| kind.name()).collect();
        json_schema!({
            "description": "A harmless change of circumstances that both sides of a pair share: \
                            `none`, or the name of what is changed, with a number for its further \
                            draws.",
            "type": "string",
            "pattern": format!("^(none|({})(-[1-9][0-9]*)?)$", names.join("|"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let drawn = PerturbationKind::ALL.into_iter().flat_map(|kind| kind.draws(12));
        for perturbation in drawn.chain([Perturbation::None]) {
            assert_eq!(perturbation.to_string().parse(), Ok(perturbation));
        }
        assert_eq!(
            PerturbationKind::HeapPhase.draws(3).last().unwrap().to_string(),
            "heap-phase-3"
        );
    }

    #[test]
    fn a_perturbation_has_one_name() {
        for text in ["", "mixed-1", "mixed-0", "hash-seed-", "seed", "none-2", "hash-seed--2"] {
            assert!(text.parse::<Perturbation>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_unperturbed_one_comes_first() {
        assert!(
            PerturbationKind::ALL.into_iter().all(|kind| {
                kind.draws(1).all(|perturbation| Perturbation::None < perturbation)
            })
        );
    }
}
