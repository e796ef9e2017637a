//! A bench: its id, what discovery knows of it, and its op budget.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// `path/from/root.bench.ts::group > name`; a repeated id ends in ` #2`, ` #3`, ….
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct BenchId(String);

impl BenchId {
    /// Builds an id from the file's path below the root and the names from the outermost group
    /// to the bench. `ordinal` is 1 for the first bench of that name in the file.
    pub fn new<S: AsRef<str>>(file: &str, names: &[S], ordinal: u32) -> Self {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let suffix = if ordinal > 1 { format!(" #{ordinal}") } else { String::new() };
        Self(format!("{file}::{}{suffix}", names.join(" > ")))
    }

    /// Takes an id as the user or a result file wrote it.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bench file's path below the root: what stands before the first `::`.
    pub fn file(&self) -> &str {
        self.0.split_once("::").map_or(self.0.as_str(), |(file, _)| file)
    }

    /// Whether it stands for a whole bench file, one whose benches could not be listed.
    pub fn is_file(&self) -> bool {
        !self.0.contains("::")
    }

    /// Groups, name and ordinal: what stands after the first `::`.
    pub fn name(&self) -> &str {
        self.0.split_once("::").map_or("", |(_, name)| name)
    }
}

impl fmt::Display for BenchId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How the ops of a window lie between marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowShape {
    /// One window around all ops.
    #[default]
    Span,
    /// Every op has a window of its own, because hooks run between the ops and must not be
    /// counted. The cost of the marks themselves is measured on empty ops and subtracted.
    Brackets,
}

/// A bench as list mode reported it; no function of it has been called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredBench {
    /// The id.
    pub id: BenchId,
    /// Name of the framework that registered it, for example `tinybench`.
    pub framework: String,
    /// The framework's version.
    pub framework_version: String,
    /// How its window is laid out.
    pub window: WindowShape,
    /// Ops per bracket, for windows in brackets; 1 when hooks run around every op.
    pub batch_ops: u64,
    /// Whether marks can lie between the ops of its window: user code that loops by itself leaves
    /// no place for them.
    pub divisible: bool,
    /// The bench file says that it is to be skipped.
    pub skipped: bool,
    /// What is special about the way in which it is run, as in a result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
}

/// How many ops run before and in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpBudget {
    /// Ops before the window opens.
    pub warmup_ops: u64,
    /// Ops in the window.
    pub window_ops: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_joins_groups_and_numbers_repeats() {
        let id = BenchId::new("bench/a.mjs", &["parse", "short"], 2);
        assert_eq!(id.as_str(), "bench/a.mjs::parse > short #2");
        assert_eq!((id.file(), id.name()), ("bench/a.mjs", "parse > short #2"));
        assert!(!id.is_file() && BenchId::from_text("bench/a.mjs").is_file());
    }
}
