//! A part of the benches, for one of several machines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of `count` parts, written `1/4`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// How many parts there are.
    pub count: u32,
}

/// A text that is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not of the form `i/n`.
    #[error("`{0}` is no shard: write for example `1/4`, the first of four")]
    Form(String),
    /// An index of zero or beyond the number of shards.
    #[error("there is no shard {index} of {count}: they are numbered from 1 to {count}")]
    Range {
        /// The index as given.
        index: u32,
        /// The count as given.
        count: u32,
    },
}

impl Shard {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`ShardError::Range`] for an index of zero or beyond the count.
    pub fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        if (1..=count).contains(&index) {
            Ok(Self { index, count })
        } else {
            Err(ShardError::Range { index, count })
        }
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || ShardError::Form(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(form)?;
        let number = |part: &str| part.trim().parse::<u32>().map_err(|_| form());
        Self::new(number(index)?, number(count)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_numbered_from_one() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
        assert_eq!("1/1".parse::<Shard>().unwrap().to_string(), "1/1");
        assert_eq!("0/4".parse::<Shard>(), Err(ShardError::Range { index: 0, count: 4 }));
        assert_eq!("5/4".parse::<Shard>(), Err(ShardError::Range { index: 5, count: 4 }));
        for text in ["", "2", "a/b", "-1/4", "1/4/2"] {
            assert!(matches!(text.parse::<Shard>(), Err(ShardError::Form(_))), "{text}");
        }
    }
}
