//! Where the instructions of a window went: the counter's executions of every block, by function.
//!
//! Two profiles of equal runs show which functions differ.

mod diff;
mod file;
mod readable;
mod symbols;

pub use diff::{Difference, diff};
pub use file::{Block, ProfileError};

use file::Contents;
use std::collections::BTreeMap;
use std::path::Path;
use symbols::Symbols;

/// A function, or a piece of code that has no name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Its symbol; its address in hexadecimal digits where it has none, as generated code.
    pub name: String,
    /// The file that it is from; empty for generated code.
    pub file: String,
}

impl Function {
    /// Whether the engine has generated it.
    pub fn is_generated(&self) -> bool {
        self.file.is_empty()
    }

    /// Its name as it stands in the source, without parameters; its symbol where that is not known.
    pub fn readable(&self) -> String {
        readable::name(&self.name)
    }
}

/// A window's instructions.
#[derive(Debug, Clone)]
pub struct Profile {
    contents: Contents,
    symbols: Symbols,
}

impl Profile {
    /// Reads a profile that the preloaded library has written, and the symbols of the files that
    /// its code is from.
    ///
    /// # Errors
    /// When the file is missing, cut off or no profile.
    pub fn read(path: &Path) -> Result<Self, ProfileError> {
        let contents = Contents::read(path)?;
        let symbols = Symbols::of(&contents.mappings);
        Ok(Self { contents, symbols })
    }

    /// Executions of every block, in the order of their addresses.
    pub fn blocks(&self) -> &[Block] {
        &self.contents.blocks
    }

    /// All instructions; the same as the count without a profile.
    pub fn total(&self) -> u64 {
        self.blocks().iter().map(Block::total).sum()
    }

    /// Instructions of every function.
    pub fn functions(&self) -> BTreeMap<Function, u64> {
        let mut functions = BTreeMap::new();
        for block in self.blocks() {
            *functions.entry(self.symbols.function_at(block.start)).or_default() += block.total();
        }
        functions
    }

    /// How often control went from generated code to each function of a file: by calls and jumps,
    /// not by returns.
    pub fn transfers(&self) -> BTreeMap<Function, u64> {
        let mut functions = BTreeMap::new();
        for transfer in &self.contents.transfers {
            *functions.entry(self.symbols.function_at(transfer.target)).or_default() +=
                transfer.count;
        }
        functions
    }

    /// How often control came to the first instruction of each function of this name; `None` where
    /// no file has such a symbol.
    pub fn entries(&self, symbol: &str) -> Option<u64> {
        let addresses = self.symbols.addresses(symbol);
        let at = |block: &&Block| addresses.contains(&block.start);
        (!addresses.is_empty())
            .then(|| self.blocks().iter().filter(at).map(|block| block.executions).sum())
    }
}
