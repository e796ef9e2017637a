//! All that can be shown of one bench's window.

use crate::BenchResult;
use serde::Serialize;

/// What a person needs to believe a reading, or to see why not to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// The engine with its version, for example `node 24.22.1 (v8 13.6)`.
    pub engine: String,
    /// The flags that it ran with.
    pub flags: Vec<String>,
    /// The readings, with their proofs.
    pub result: BenchResult,
    /// What the engine told of a run with the same ops, in order, from the first op to the last.
    pub moments: Vec<Moment>,
    /// What the ops cost at every age; empty where it can't be counted.
    pub curve: Vec<CurvePoint>,
    /// The command that shows this bench again.
    pub repeat: String,
}

/// Something that the engine did while ops ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// Ops of the process that were through before it.
    pub after_ops: u64,
    /// Ops that were through when it had happened.
    pub until_ops: u64,
    /// Whether it was in the window.
    pub in_window: bool,
    /// What kind of thing it was.
    pub kind: MomentKind,
    /// In words, for example `` `parse` compiled by TurboFan ``.
    pub what: String,
}

/// Kinds of what engines do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentKind {
    /// A function was compiled, or entered its new code in a running loop.
    Compile,
    /// A function left its optimised code.
    Bailout,
    /// A collection.
    Collection,
}

/// What some ops cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Ops of the process that were through before them.
    pub after_ops: u64,
    /// Their number.
    pub ops: u64,
    /// Instructions per op.
    pub per_op: f64,
}

impl Evidence {
    /// The moments of a kind.
    pub fn of_kind(&self, kind: MomentKind) -> impl DoubleEndedIterator<Item = &Moment> {
        self.moments.iter().filter(move |moment| moment.kind == kind)
    }
}
