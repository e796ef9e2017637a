//! Scripts for `--instrument mock`, and the bench files that they stand for.

use super::Project;
use serde_json::{Value, json};

/// A script in the making.
pub(crate) struct Script(Value);

/// A bench with the counts per op of its readings; the last one repeats.
pub(crate) fn scripted(name: &str, counts_per_op: &[f64]) -> Value {
    json!({ "name": name, "counts_per_op": counts_per_op })
}

impl Script {
    pub(crate) fn new() -> Self {
        Self(json!({ "engine_version": "24.0.0", "files": {} }))
    }

    /// Benches of one file, each with one count per op.
    pub(crate) fn steady(file: &str, benches: &[(&str, f64)]) -> Self {
        let benches = benches.iter().map(|(name, count)| scripted(name, &[*count]));
        Self::new().file(file, benches)
    }

    pub(crate) fn file(mut self, file: &str, benches: impl IntoIterator<Item = Value>) -> Self {
        self.0["files"][file] = json!({ "benches": benches.into_iter().collect::<Vec<_>>() });
        self
    }

    pub(crate) fn throwing_file(mut self, file: &str, message: &str) -> Self {
        self.0["files"][file] = json!({ "throws": message });
        self
    }

    pub(crate) fn engine_version(mut self, version: &str) -> Self {
        self.0["engine_version"] = version.into();
        self
    }

    /// Writes the script, and the bench files that it names where they are missing.
    pub(crate) fn write(&self, project: &Project, name: &str) {
        project.file(name, self.0.to_string());
        for file in self.0["files"].as_object().unwrap().keys() {
            if !project.has(file) {
                project.file(file, "// scripted\n");
            }
        }
    }
}
