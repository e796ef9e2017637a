//! Who has which bench.

use std::collections::BTreeMap;
use tiergate_model::{BenchId, BenchResult, ResultFile};

/// The two sides of one id.
#[derive(Default, Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) base: Option<&'a BenchResult>,
    pub(crate) head: Option<&'a BenchResult>,
}

/// The bench files that a side could not list, with the reason: what it lacks of them is neither
/// removed nor added.
pub(crate) struct Unlisted<'a> {
    base: BTreeMap<&'a str, &'a str>,
    head: BTreeMap<&'a str, &'a str>,
}

impl<'a> Unlisted<'a> {
    pub(crate) fn of(base: &'a ResultFile, head: &'a ResultFile) -> Self {
        Self { base: unlisted(base), head: unlisted(head) }
    }

    /// Why base could not list the bench's file.
    pub(crate) fn in_base(&self, id: &BenchId) -> Option<&'a str> {
        self.base.get(id.file()).copied()
    }

    /// Why head could not list the bench's file.
    pub(crate) fn in_head(&self, id: &BenchId) -> Option<&'a str> {
        self.head.get(id.file()).copied()
    }
}

fn unlisted(file: &ResultFile) -> BTreeMap<&str, &str> {
    file.benches
        .iter()
        .filter(|bench| bench.id.is_file())
        .map(|bench| (bench.id.as_str(), bench.reason.as_deref().unwrap_or("unknown reason")))
        .collect()
}
