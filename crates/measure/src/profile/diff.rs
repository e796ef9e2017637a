//! What differs between two profiles.

use super::{Function, Profile};
use std::collections::BTreeSet;

/// A function whose instructions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which.
    pub function: Function,
    /// Instructions in the first profile.
    pub first: u64,
    /// Instructions in the second.
    pub second: u64,
}

impl Difference {
    /// How many instructions they differ by.
    pub fn size(&self) -> u64 {
        self.first.abs_diff(self.second)
    }
}

/// The functions whose instructions differ, the largest difference first.
pub fn diff(first: &Profile, second: &Profile) -> Vec<Difference> {
    let [first, second] = [first, second].map(Profile::functions);
    let all: BTreeSet<&Function> = first.keys().chain(second.keys()).collect();
    let count = |side: &std::collections::BTreeMap<Function, u64>, function: &Function| {
        side.get(function).copied().unwrap_or_default()
    };
    let mut differences: Vec<Difference> = all
        .into_iter()
        .map(|function| Difference {
            function: function.clone(),
            first: count(&first, function),
            second: count(&second, function),
        })
        .filter(|difference| difference.first != difference.second)
        .collect();
    differences.sort_by_key(|difference| std::cmp::Reverse(difference.size()));
    differences
}
