//! A comparison together with what was compared.

use tiergate_model::{Comparison, ResultFile};

/// A comparison, and the two results that it is of: reports that show details need both.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The outcome.
    pub comparison: &'a Comparison,
    /// What head was compared with.
    pub base: &'a ResultFile,
    /// What was judged.
    pub head: &'a ResultFile,
}
