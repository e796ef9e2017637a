//! Engines by name, version or path.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The JavaScript runtimes that tiergate knows how to drive.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Node.js, on V8.
    Node,
    /// Deno, on V8.
    Deno,
    /// Bun, on JavaScriptCore.
    Bun,
}

impl EngineKind {
    /// All kinds, in the order in which help texts name them.
    pub const ALL: [Self; 3] = [Self::Node, Self::Deno, Self::Bun];

    /// The lower-case name, which is also the executable's usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Deno => "deno",
            Self::Bun => "bun",
        }
    }

    /// Whether V8 runs its programs.
    pub fn is_v8(self) -> bool {
        match self {
            Self::Node | Self::Deno => true,
            Self::Bun => false,
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// An engine as the user asked for it: `node`, `node@24`, `node@24.22.1` or a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineSpec {
    /// The first engine of that kind that is found.
    Kind(EngineKind),
    /// An engine of that kind whose version begins with these numbers, for example `24` or `24.22`.
    Version(EngineKind, String),
    /// An executable; its kind is found by asking it.
    Path(String),
}

/// An engine name that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineSpecError {
    /// Neither a known name nor a path.
    #[error(
        "unknown engine `{0}`: expected `node`, `deno`, `bun`, one of them with `@VERSION`, or a path"
    )]
    Unknown(String),
    /// The part after `@` is no version.
    #[error(
        "`{version}` in `{spec}` is not a version: write numbers, for example `node@24` or `node@24.22.1`"
    )]
    Version {
        /// The whole text.
        spec: String,
        /// What stands after the `@`.
        version: String,
    },
}

impl EngineSpec {
    /// Whether an engine of this kind and version is one that is meant. A path says nothing of that.
    pub fn admits(&self, kind: EngineKind, version: &str) -> bool {
        match self {
            Self::Kind(wanted) => *wanted == kind,
            Self::Version(wanted, prefix) => {
                let rest = version.strip_prefix(prefix.as_str());
                *wanted == kind && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            Self::Path(_) => true,
        }
    }
}

impl FromStr for EngineSpec {
    type Err = EngineSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('/') {
            return Ok(Self::Path(text.to_owned()));
        }
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let kind = EngineKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| EngineSpecError::Unknown(text.to_owned()))?;
        match version {
            None => Ok(Self::Kind(kind)),
            Some(version) => {
                let version = version.strip_prefix('v').unwrap_or(version);
                let numbers =
                    |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                if version.split('.').count() <= 3 && version.split('.').all(numbers) {
                    Ok(Self::Version(kind, version.to_owned()))
                } else {
                    Err(EngineSpecError::Version {
                        spec: text.to_owned(),
                        version: version.to_owned(),
                    })
                }
            }
        }
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(formatter, "{kind}"),
            Self::Version(kind, version) => write!(formatter, "{kind}@{version}"),
            Self::Path(path) => formatter.write_str(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_admits_those_that_it_begins() {
        let spec = |text: &str| text.parse::<EngineSpec>().unwrap();
        assert!(spec("node").admits(EngineKind::Node, "24.22.1"));
        assert!(spec("node@24").admits(EngineKind::Node, "24.22.1"));
        assert!(!spec("node@2").admits(EngineKind::Node, "24.22.1"));
        assert!(!spec("bun").admits(EngineKind::Node, "24.22.1"));
    }

    #[test]
    fn names_versions_and_paths_are_told_apart() {
        assert_eq!("node".parse(), Ok(EngineSpec::Kind(EngineKind::Node)));
        assert_eq!(
            "node@24.22".parse(),
            Ok(EngineSpec::Version(EngineKind::Node, "24.22".to_owned()))
        );
        assert_eq!("./node".parse(), Ok(EngineSpec::Path("./node".to_owned())));
        assert!(matches!("nodejs".parse::<EngineSpec>(), Err(EngineSpecError::Unknown(_))));
        assert!(matches!("node@x".parse::<EngineSpec>(), Err(EngineSpecError::Version { .. })));
        assert!(matches!("node@".parse::<EngineSpec>(), Err(EngineSpecError::Version { .. })));
    }
}
