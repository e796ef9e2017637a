//! What counts: the instruments and their units.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What counts.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum InstrumentKind {
    /// Our own counter, which translates the measured thread's code in the process.
    Counter,
    /// Valgrind's callgrind, collecting only between the marks.
    Callgrind,
    /// The processor's own counter of instructions, read through the kernel.
    Perf,
    /// The monotonic clock at the marks.
    Wall,
    /// Scripted counts, for tests of the pipeline.
    Mock,
}

/// The unit of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// User-space instructions of the measured thread.
    Instructions,
    /// Nanoseconds of the monotonic clock.
    Nanoseconds,
}

impl InstrumentKind {
    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Callgrind => "callgrind",
            Self::Perf => "perf",
            Self::Wall => "wall",
            Self::Mock => "mock",
        }
    }

    /// The unit of its counts.
    pub fn unit(self) -> Unit {
        match self {
            Self::Counter | Self::Callgrind | Self::Perf | Self::Mock => Unit::Instructions,
            Self::Wall => Unit::Nanoseconds,
        }
    }
}

impl Unit {
    /// The unit of a count divided by ops, as tables head it.
    pub fn per_op(self) -> &'static str {
        match self {
            Self::Instructions => "Ir/op",
            Self::Nanoseconds => "ns/op",
        }
    }
}

impl fmt::Display for InstrumentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
