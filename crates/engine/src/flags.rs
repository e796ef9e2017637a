//! The flags and variables of one engine's run, each with where it came from.

mod user;

pub use user::NotAFlag;

use crate::{Engine, Profile, ProfileError, pins};
use std::fmt;
use std::num::NonZeroU32;
use tiergate_model::EngineKind;

/// How a flag reaches the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlagForm {
    /// An option on the engine's command line.
    Argument,
    /// An option of V8: Node takes it like its own, Deno inside `--v8-flags`.
    V8,
    /// An environment variable.
    Variable,
    /// Something that the preloaded library holds constant, `pin:NAME`; the engine hears nothing
    /// of it. `no-pin:NAME` leaves it out.
    Held,
}

/// Who asked for a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlagOrigin {
    /// A determinism profile.
    Profile(Profile),
    /// A perturbation: another seed than the profile's.
    Perturbation,
    /// A run of which a trace is read.
    Trace,
    /// A run that looks at the op without the engine's optimisations.
    LowestTier,
    /// The user.
    User,
}

impl fmt::Display for FlagOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile(profile) => write!(formatter, "from the profile `{profile}`"),
            Self::Perturbation => formatter.write_str("from a perturbation"),
            Self::Trace => formatter.write_str("for a trace"),
            Self::LowestTier => formatter.write_str("for a run without optimisation"),
            Self::User => formatter.write_str("given by you"),
        }
    }
}

/// One flag with its value, or one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// How it reaches the engine.
    pub form: FlagForm,
    /// Who asked for it.
    pub origin: FlagOrigin,
    /// The words of the command line, for example `--stack-size=900` or `--require` and `./x.cjs`;
    /// `NAME=value` for a variable.
    pub words: Vec<String>,
}

impl Flag {
    pub(crate) fn new(form: FlagForm, origin: FlagOrigin, text: &str) -> Self {
        Self { form, origin, words: vec![text.to_owned()] }
    }

    /// What is set, whichever way it is set: equal for `--no-opt` and `--opt`.
    fn subject(&self) -> String {
        let text = self.words.first().map_or("", String::as_str);
        let name = text.split('=').next().unwrap_or(text);
        match self.form {
            FlagForm::Variable => return name.to_owned(),
            FlagForm::Held => return name.strip_prefix("no-").unwrap_or(name).to_owned(),
            FlagForm::Argument | FlagForm::V8 => {}
        }
        let name = name.trim_start_matches('-').replace('_', "-");
        name.strip_prefix("no-").map_or(name.clone(), str::to_owned)
    }

    fn is_variable(&self) -> bool {
        self.form == FlagForm::Variable
    }

    /// Flags of different kinds can have the same subject and still be about different things.
    fn kind(&self) -> (bool, bool) {
        (self.is_variable(), self.form == FlagForm::Held)
    }

    /// Name and value of a variable.
    pub(crate) fn variable(&self) -> Option<(String, String)> {
        let (name, value) = self.words.first()?.split_once('=')?;
        self.is_variable().then(|| (name.to_owned(), value.to_owned()))
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words.join(" "))
    }
}

/// The seeds of a run. V8 takes zero to mean "at random", so it is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// Of string hashes; JavaScriptCore has none.
    pub hash: NonZeroU32,
    /// Of `Math.random` and the engine's own choices.
    pub random: NonZeroU32,
}

/// What an engine runs with, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagSet {
    kind: EngineKind,
    flags: Vec<Flag>,
}

impl FlagSet {
    /// The flags of a profile for this engine.
    ///
    /// # Errors
    /// When the profile exists only for other engines.
    pub fn of_profile(profile: Profile, engine: &Engine) -> Result<Self, ProfileError> {
        let origin = FlagOrigin::Profile(profile);
        let flags = pins(profile, engine)?;
        let flags = flags.into_iter().map(|pin| Flag::new(pin.form, origin, pin.text)).collect();
        Ok(Self { kind: engine.kind, flags })
    }

    /// The flags of a profile, but for those that bring the last tier into the reach of a short
    /// warm-up: functions are optimised when the engine itself would.
    ///
    /// # Errors
    /// When the profile exists only for other engines.
    pub fn at_own_thresholds(profile: Profile, engine: &Engine) -> Result<Self, ProfileError> {
        let mut set = Self::of_profile(profile, engine)?;
        let lowered: Vec<&str> = pins(profile, engine)?
            .into_iter()
            .filter(|pin| pin.is_threshold())
            .map(|pin| pin.text)
            .collect();
        set.flags.retain(|flag| !lowered.contains(&flag.to_string().as_str()));
        Ok(set)
    }

    /// Adds the user's words: options, with their values as further words if need be, and
    /// variables as `NAME=value`. They take the place of the profile's where both set the same.
    ///
    /// # Errors
    /// When a word is neither, and would be taken for the script.
    pub fn with_user(self, words: &[String]) -> Result<Self, NotAFlag> {
        let flags = user::parse(self.kind, words)?;
        Ok(self.with(flags))
    }

    /// Replaces the seeds, where the engine has them.
    #[must_use]
    pub fn with_seeds(self, seeds: Seeds) -> Self {
        let seed = |form, text: String| Flag::new(form, FlagOrigin::Perturbation, &text);
        let flags = match self.kind {
            EngineKind::Node | EngineKind::Deno => vec![
                seed(FlagForm::V8, format!("--hash-seed={}", seeds.hash)),
                seed(FlagForm::V8, format!("--random-seed={}", seeds.random)),
            ],
            EngineKind::Bun => {
                // Neighbouring small seeds give almost the same first numbers; this spreads them.
                let spread = seeds.random.get().wrapping_mul(2_654_435_769);
                vec![
                    seed(FlagForm::Variable, "BUN_JSC_forceWeakRandomSeed=1".to_owned()),
                    seed(FlagForm::Variable, format!("BUN_JSC_forcedWeakRandomSeed={spread}")),
                ]
            }
        };
        self.with(flags)
    }

    /// Fixes the size of V8's young generation in megabytes, unless the user has a say in it. Other
    /// engines have no such size.
    #[must_use]
    pub fn with_young_generation(self, megabytes: NonZeroU32) -> Self {
        let texts = [
            format!("--min-semi-space-size={megabytes}"),
            format!("--max-semi-space-size={megabytes}"),
        ];
        let origin = FlagOrigin::Perturbation;
        let flags: Vec<Flag> =
            texts.iter().map(|text| Flag::new(FlagForm::V8, origin, text)).collect();
        let is_set = |flag: &Flag| self.flags.iter().any(|one| one.subject() == flag.subject());
        if self.kind == EngineKind::Bun || flags.iter().any(is_set) {
            return self;
        }
        self.with(flags)
    }

    /// In the place of an equal subject of another origin, else at the end.
    pub(crate) fn with(mut self, flags: Vec<Flag>) -> Self {
        for flag in flags {
            let subject = flag.subject();
            let replaced = self.flags.iter().position(|one| {
                one.origin != flag.origin && one.kind() == flag.kind() && one.subject() == subject
            });
            match replaced {
                Some(at) => self.flags[at] = flag,
                None => self.flags.push(flag),
            }
        }
        self
    }

    /// The flags, in order.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The flags as texts, in order, as a fingerprint holds them.
    pub fn flags_shown(&self) -> Vec<String> {
        self.flags.iter().map(Flag::to_string).collect()
    }

    /// The words for the engine's command line, before the script.
    pub fn arguments(&self) -> Vec<String> {
        let apart = |flag: &Flag| flag.form == FlagForm::V8 && self.kind == EngineKind::Deno;
        let v8: Vec<String> =
            self.flags.iter().filter(|flag| apart(flag)).map(Flag::to_string).collect();
        let list = (!v8.is_empty()).then(|| format!("--v8-flags={}", v8.join(",")));
        let is_option = |flag: &Flag| matches!(flag.form, FlagForm::Argument | FlagForm::V8);
        let rest = self.flags.iter().filter(|flag| is_option(flag) && !apart(flag));
        list.into_iter().chain(rest.flat_map(|flag| flag.words.clone())).collect()
    }

    /// The variables for the engine's environment.
    pub fn variables(&self) -> Vec<(String, String)> {
        self.flags.iter().filter_map(Flag::variable).collect()
    }

    /// The names of what the preloaded library is to hold constant.
    pub fn held(&self) -> Vec<&str> {
        let held = self.flags.iter().filter(|flag| flag.form == FlagForm::Held);
        held.filter_map(|flag| flag.words.first()?.strip_prefix("pin:")).collect()
    }

    /// The set with nothing held constant by the preloaded library: for instruments that measure
    /// real time.
    #[must_use]
    pub fn with_nothing_held(mut self) -> Self {
        self.flags.retain(|flag| flag.form != FlagForm::Held);
        self
    }

    /// The set with these flags only.
    pub(crate) fn only(&self, flags: Vec<Flag>) -> Self {
        Self { kind: self.kind, flags }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(kind: EngineKind, version: &str) -> Engine {
        Engine {
            kind,
            path: "/engine".into(),
            version: version.parse().unwrap(),
            jit_engine: String::new(),
            content_hash: String::new(),
        }
    }

    fn flags(kind: EngineKind, version: &str, profile: Profile) -> FlagSet {
        FlagSet::of_profile(profile, &engine(kind, version)).unwrap()
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn v8_flags_of_deno_end_in_one_option() {
        let set = flags(EngineKind::Deno, "2.9.6", Profile::Exact);
        let set = set.with_user(&words("--v8-flags=--no-opt,--hash_seed=9 --quiet")).unwrap();
        let arguments = set.arguments();
        assert!(arguments[0].starts_with("--v8-flags=--single-threaded,--hash_seed=9,"));
        assert!(arguments[0].ends_with(",--no-opt"));
        assert_eq!(arguments[1..], ["--no-code-cache", "--quiet"]);
    }

    #[test]
    fn the_user_takes_the_place_of_the_profile() {
        let set = flags(EngineKind::Node, "24.0.0", Profile::Exact);
        let count = set.flags().len();
        let set = set.with_user(&words("--liftoff --v8-pool-size=4 UV_THREADPOOL_SIZE=2")).unwrap();
        assert_eq!(set.flags().len(), count);
        let shown = set.flags_shown().join(" ");
        for text in ["--liftoff", "--v8-pool-size=4", "UV_THREADPOOL_SIZE=2"] {
            assert!(shown.contains(text), "{shown}");
        }
        assert!(!shown.contains("--no-liftoff"));
    }

    #[test]
    fn what_the_library_holds_is_no_option_and_can_be_left_out() {
        let set = flags(EngineKind::Node, "24.0.0", Profile::Exact);
        assert!(set.held().contains(&"clock"));
        assert!(!set.arguments().join(" ").contains("pin:"));
        let without = set.clone().with_user(&words("no-pin:clock")).unwrap();
        assert_eq!(without.held().len(), set.held().len() - 1);
        assert!(without.flags_shown().contains(&"no-pin:clock".to_owned()));
        assert!(set.with_nothing_held().held().is_empty());
        for profile in [Profile::BenchIr, Profile::Default] {
            assert!(flags(EngineKind::Node, "24.0.0", profile).held().is_empty());
        }
    }

    #[test]
    fn thresholds_are_the_only_difference_to_the_engines_own() {
        for (kind, version) in [
            (EngineKind::Node, "20.1.0"),
            (EngineKind::Node, "24.0.0"),
            (EngineKind::Deno, "2.9.6"),
            (EngineKind::Bun, "1.4.5"),
        ] {
            let engine = engine(kind, version);
            let lowered = flags(kind, version, Profile::Exact).flags_shown();
            let own = FlagSet::at_own_thresholds(Profile::Exact, &engine).unwrap().flags_shown();
            assert_eq!(lowered.len(), own.len() + 1, "{kind} {version}");
            assert!(own.iter().all(|flag| lowered.contains(flag)));
        }
    }

    #[test]
    fn the_young_generation_is_v8s_and_the_users() {
        let size = NonZeroU32::new(2).unwrap();
        let node = flags(EngineKind::Node, "24.0.0", Profile::Exact);
        let shown = node.clone().with_young_generation(size).flags_shown().join(" ");
        assert!(shown.ends_with("--min-semi-space-size=2 --max-semi-space-size=2"), "{shown}");
        let users = node.with_user(&words("--max_semi_space_size=16")).unwrap();
        assert_eq!(users.clone().with_young_generation(size), users);
        let bun = flags(EngineKind::Bun, "1.4.5", Profile::Exact);
        assert_eq!(bun.clone().with_young_generation(size), bun);
    }

    #[test]
    fn seeds_are_replaced_where_they_stood() {
        let seeds = Seeds { hash: NonZeroU32::MIN, random: NonZeroU32::MIN };
        for (kind, version) in
            [(EngineKind::Node, "24.0.0"), (EngineKind::Deno, "2.9.6"), (EngineKind::Bun, "1.4.5")]
        {
            let set = flags(kind, version, Profile::Exact);
            assert_eq!(set.clone().with_seeds(seeds).flags_shown(), set.flags_shown());
            let other = Seeds { hash: NonZeroU32::MIN.saturating_add(6), ..seeds };
            let changed = set.clone().with_seeds(other).flags_shown();
            assert_eq!(changed == set.flags_shown(), kind == EngineKind::Bun);
        }
    }
}
