//! Which functions a bench's window went through.

use crate::BenchId;
use serde::Serialize;

/// Where the instructions of a bench's window are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowFunctions {
    /// The bench.
    pub id: BenchId,
    /// Ops in the window: all counts below are of the whole window.
    pub window_ops: u64,
    /// Instructions.
    pub instructions: u64,
    /// Of those, in code that the engine has generated.
    pub generated_instructions: u64,
    /// Instructions of each function, the most first.
    pub functions: Vec<FunctionCount>,
    /// How often generated code went to each function of the engine and its libraries, by calls and
    /// jumps; the most first.
    pub transfers: Vec<FunctionCount>,
    /// How often control came to the functions that were asked for.
    pub entries: Vec<SymbolEntries>,
}

impl WindowFunctions {
    /// A count per op.
    #[allow(clippy::cast_precision_loss, reason = "figures for people, of counts below 2^53")]
    pub fn per_op(&self, count: u64) -> f64 {
        count as f64 / self.window_ops.max(1) as f64
    }

    /// How often generated code went to code of the engine and its libraries.
    pub fn all_transfers(&self) -> u64 {
        self.transfers.iter().map(|one| one.count).sum()
    }
}

/// A function with a count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionCount {
    /// Its name in the source where that is known, else its symbol, else its address.
    pub name: String,
    /// The file that it is from; empty for code that the engine has generated.
    pub file: String,
    /// What is counted.
    pub count: u64,
}

/// Entries of a function that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SymbolEntries {
    /// As it was asked for.
    pub symbol: String,
    /// How often control came to its first instruction; nothing where no file has such a symbol.
    pub count: Option<u64>,
}
