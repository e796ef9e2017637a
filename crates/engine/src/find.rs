//! From what the user asked for to an engine.

use crate::engine::minimum_version;
use crate::probe::{Identity, probe};
use crate::{Engine, ProbeError, Search, Version};
use std::fmt;
use std::path::PathBuf;
use tiergate_model::{EngineKind, EngineSpec};

/// An engine that was seen on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which runtime.
    pub kind: EngineKind,
    /// Its version.
    pub version: Version,
    /// Its executable.
    pub path: PathBuf,
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} (`{}`)", self.kind, self.version, self.path.display())
    }
}

impl From<&Identity> for Found {
    fn from(identity: &Identity) -> Self {
        Self { kind: identity.kind, version: identity.version.clone(), path: identity.path.clone() }
    }
}

/// Why no engine is given back.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nothing that was found is what was asked for.
    #[error("no `{spec}` was found{}", only(found))]
    NotFound {
        /// What was asked for.
        spec: EngineSpec,
        /// Engines of that kind and other versions.
        found: Vec<Found>,
        /// Executables of that name that don't work.
        passed_over: Vec<ProbeError>,
    },
    /// It is there, but too old for the harness.
    #[error("{found} is too old: {} {}.{}.{} or newer is needed", found.kind, minimum[0], minimum[1], minimum[2])]
    TooOld {
        /// The engine.
        found: Found,
        /// The oldest version that would do.
        minimum: [u64; 3],
    },
    /// The executable that was asked for is no working engine.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

fn only(found: &[Found]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let list: Vec<String> = found.iter().map(Found::to_string).collect();
    format!(", only {}", list.join(", "))
}

impl FindError {
    /// What the user can do about it, a line each.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::NotFound { spec, passed_over, .. } => {
                let mut hints: Vec<String> =
                    passed_over.iter().map(|error| format!("passed over: {error}")).collect();
                hints.push(format!(
                    "install it, for example with `npm install --save-dev {spec}`, or give the path of an executable"
                ));
                hints
            }
            Self::TooOld { found, .. } => vec![format!(
                "install a newer one, for example with `npm install --save-dev {}@latest`",
                found.kind
            )],
            Self::Probe(_) => vec![
                "give a name (`node`, `deno`, `bun`), a name with a version (`node@24`) or the path of an engine's executable"
                    .to_owned(),
            ],
        }
    }
}

/// All engines that a search comes across.
#[derive(Debug, Default)]
pub struct Survey {
    /// Those that work, in the order of the search.
    pub engines: Vec<Engine>,
    /// Those that work but are too old.
    pub too_old: Vec<Found>,
    /// Executables of an engine's name that don't work.
    pub broken: Vec<ProbeError>,
}

/// Finds the engine that was asked for.
///
/// A path is taken as it is. A version is the first found that has it. A bare kind is the first
/// found that is new enough.
///
/// # Errors
/// When there is none, or when the only one is broken or too old.
pub fn find(spec: &EngineSpec, search: &Search) -> Result<Engine, FindError> {
    match spec {
        EngineSpec::Path(path) => {
            let identity = probe(&search.start_directory.join(path), search)?;
            if is_too_old(&identity) {
                return Err(too_old(&identity));
            }
            Ok(identity.into_engine()?)
        }
        EngineSpec::Kind(kind) => find_matching(spec, *kind, search, |_| true),
        EngineSpec::Version(kind, wanted) => {
            find_matching(spec, *kind, search, |version| version.begins_with(wanted))
        }
    }
}

fn find_matching(
    spec: &EngineSpec,
    kind: EngineKind,
    search: &Search,
    fits: impl Fn(&Version) -> bool,
) -> Result<Engine, FindError> {
    let mut found = Vec::new();
    let mut passed_over = Vec::new();
    let mut first_too_old = None;
    for path in search.candidates(kind) {
        match probe(&path, search) {
            // Bun can stand in for Node under its name.
            Ok(identity) if identity.kind != kind => {}
            Ok(identity) if !fits(&identity.version) => {
                let other = Found::from(&identity);
                // Several shims can lead to one executable.
                if !found.contains(&other) {
                    found.push(other);
                }
            }
            Ok(identity) if is_too_old(&identity) => {
                first_too_old.get_or_insert_with(|| too_old(&identity));
            }
            Ok(identity) => return Ok(identity.into_engine()?),
            Err(error) => passed_over.push(error),
        }
    }
    let not_found = || FindError::NotFound { spec: spec.clone(), found, passed_over };
    Err(first_too_old.unwrap_or_else(not_found))
}

fn is_too_old(identity: &Identity) -> bool {
    identity.version.numbers() < minimum_version(identity.kind)
}

fn too_old(identity: &Identity) -> FindError {
    FindError::TooOld { found: Found::from(identity), minimum: minimum_version(identity.kind) }
}

/// Finds every engine of every kind, each executable once.
pub fn find_all(search: &Search) -> Survey {
    let mut survey = Survey::default();
    for kind in EngineKind::ALL {
        for path in search.candidates(kind) {
            match probe(&path, search) {
                Ok(identity) if identity.kind != kind => {}
                Ok(identity) if is_too_old(&identity) => {
                    survey.too_old.push(Found::from(&identity));
                }
                Ok(identity) if survey.engines.iter().any(|one| one.path == identity.path) => {}
                Ok(identity) => match identity.into_engine() {
                    Ok(engine) => survey.engines.push(engine),
                    Err(error) => survey.broken.push(error),
                },
                Err(error) => survey.broken.push(error),
            }
        }
    }
    survey
}
