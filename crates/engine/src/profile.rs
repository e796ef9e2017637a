//! Determinism profiles: which flags and variables an engine runs with, and why.

mod pins;

use crate::{Engine, FlagForm, VersionRange};
use std::fmt;
use std::str::FromStr;
use tiergate_model::EngineKind;

/// A named set of pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// The same instructions every time, with as little distortion as that allows.
    #[default]
    Exact,
    /// The V8 flags of the bench:ir gate, for numbers that can be compared with its.
    BenchIr,
    /// The engine as it is.
    Default,
}

/// A profile that does not exist, or not for an engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// There is no profile of that name.
    #[error("unknown profile `{0}`: expected `exact`, `bench:ir` or `default`")]
    Unknown(String),
    /// The profile has nothing to say about this engine.
    #[error("the profile `{profile}` is not for {kind}")]
    OtherEngine {
        /// The profile.
        profile: Profile,
        /// The engine's kind.
        kind: EngineKind,
    },
}

impl Profile {
    /// All profiles, the default first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::BenchIr, Self::Default];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::BenchIr => "bench:ir",
            Self::Default => "default",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| ProfileError::Unknown(text.to_owned()))
    }
}

/// One flag or variable of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The profiles that it belongs to.
    pub profiles: &'static [Profile],
    /// The engines and versions that it is for.
    pub engines: &'static [(EngineKind, VersionRange)],
    /// How it reaches the engine.
    pub form: FlagForm,
    /// `--flag`, `--flag=value`, `NAME=value` or `pin:name`.
    pub text: &'static str,
    /// What moves without it.
    pub reason: &'static str,
}

impl Pin {
    /// Whether it moves the engine's own thresholds between its tiers.
    pub fn is_threshold(&self) -> bool {
        pins::THRESHOLDS.contains(&self.text)
    }

    fn is_for(&self, profile: Profile, engine: &Engine) -> bool {
        self.profiles.contains(&profile)
            && self
                .engines
                .iter()
                .any(|(kind, range)| *kind == engine.kind && range.contains(&engine.version))
    }
}

/// The pins of a profile for this engine, in the order in which the engine gets them.
///
/// # Errors
/// When the profile exists only for other engines.
pub fn pins(profile: Profile, engine: &Engine) -> Result<Vec<&'static Pin>, ProfileError> {
    let found: Vec<_> = pins::PINS.iter().filter(|pin| pin.is_for(profile, engine)).collect();
    // Nothing to set is what `default` is about; elsewhere it would be a promise not kept.
    if found.is_empty() && profile != Profile::Default {
        return Err(ProfileError::OtherEngine { profile, kind: engine.kind });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn engine(kind: EngineKind, version: &str) -> Engine {
        Engine {
            kind,
            path: "/engine".into(),
            version: version.parse().unwrap(),
            jit_engine: String::new(),
            content_hash: String::new(),
        }
    }

    fn texts(profile: Profile, kind: EngineKind, version: &str) -> Vec<&'static str> {
        let engine = engine(kind, version);
        pins(profile, &engine).unwrap().into_iter().map(|pin| pin.text).collect()
    }

    #[test]
    fn names_are_read_back() {
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        assert!(matches!("fast".parse::<Profile>(), Err(ProfileError::Unknown(_))));
    }

    #[test]
    fn pins_follow_the_version() {
        let flag = "--invocation-count-for-turbofan=150";
        assert!(!texts(Profile::Exact, EngineKind::Node, "20.20.2").contains(&flag));
        assert!(texts(Profile::Exact, EngineKind::Node, "24.22.1").contains(&flag));
        let variable = "BUN_JSC_useWarmUpMarkedBlocks=0";
        assert!(!texts(Profile::Exact, EngineKind::Bun, "1.4.0").contains(&variable));
        assert!(texts(Profile::Exact, EngineKind::Bun, "1.4.5").contains(&variable));
    }

    #[test]
    fn the_schedule_of_collections_is_left_alone_but_for_comparable_numbers() {
        let flag = "--predictable-gc-schedule";
        assert!(!texts(Profile::Exact, EngineKind::Node, "24.22.1").contains(&flag));
        assert!(texts(Profile::BenchIr, EngineKind::Node, "24.22.1").contains(&flag));
    }

    #[test]
    fn default_sets_nothing_and_a_profile_for_others_is_refused() {
        assert!(texts(Profile::Default, EngineKind::Bun, "1.4.5").is_empty());
        let refused = pins(Profile::BenchIr, &engine(EngineKind::Bun, "1.4.5")).unwrap_err();
        assert_eq!(refused.to_string(), "the profile `bench:ir` is not for bun");
    }

    #[test]
    fn every_pin_has_a_reason_and_a_profile() {
        for pin in pins::PINS {
            assert!(!pin.reason.is_empty() && !pin.profiles.is_empty(), "{}", pin.text);
            let prefix = match pin.form {
                FlagForm::Argument | FlagForm::V8 => "--",
                FlagForm::Held => "pin:",
                FlagForm::Variable => "",
            };
            assert!(pin.text.starts_with(prefix), "{}", pin.text);
        }
    }
}
