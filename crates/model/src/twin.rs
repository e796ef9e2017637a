//! What a traced run tells of the window of a counted one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A run of the same bench with the same seeds, flags and ops, in which the engine told what it
/// did. It is not counted: telling costs instructions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Twin {
    /// Changes of code in the window: each costs instructions that are not the op's.
    pub changes_in_window: Vec<CodeChange>,
    /// The last change of code that the ops run, before the window.
    pub last_change_before: Option<CodeChange>,
    /// Collections of young objects in the window.
    pub young_collections: u64,
    /// Collections of the whole heap in the window.
    pub full_collections: u64,
    /// The code that functions had in the window, by their names; those that were inlined into
    /// others keep the last code of their own.
    pub tiers: BTreeMap<String, String>,
    /// What the engine does not trace because it refuses a flag, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untraced: Vec<String>,
}

/// A function was compiled, left its optimised code, or entered it in a running loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeChange {
    /// In words, for example `` `parse` compiled by TurboFan ``.
    pub what: String,
    /// The function's name; empty where it has none.
    pub function: String,
    /// Ops that were through before it, counted from the first op of the process.
    pub after_ops: u64,
    /// Ops that were through at the next mark.
    pub until_ops: u64,
}

impl Twin {
    /// Collections of either kind in the window.
    pub fn collections_in_window(&self) -> u64 {
        self.young_collections + self.full_collections
    }

    /// Why the window is none to judge by, if it is not.
    pub fn fault(&self) -> Option<String> {
        let change = self.changes_in_window.first()?;
        let more = match self.changes_in_window.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more changes"),
        };
        Some(format!("the code did not stay the same in the window: {}{more}", change.what))
    }
}
