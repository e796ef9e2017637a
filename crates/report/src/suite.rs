//! The name that tells the reports of several suites in one repository apart.

use std::fmt;
use std::str::FromStr;

/// Longer names would crowd a heading.
const LONGEST: usize = 60;

/// A suite's name: letters, digits and `. _ / -`, so that it is harmless in every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteName(String);

/// A name that can't be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteNameError;

impl SuiteName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SuiteName {
    type Err = SuiteNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let harmless = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '/' | '-')
        };
        // Two hyphens may end the comment that holds the name.
        let fits = (1..=LONGEST).contains(&text.len()) && !text.contains("--");
        if fits && text.chars().all(harmless) {
            Ok(Self(text.to_owned()))
        } else {
            Err(SuiteNameError)
        }
    }
}

impl fmt::Display for SuiteNameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "a suite's name has at most {LONGEST} letters, digits and `.`, `_`, `/` or single `-`"
        )
    }
}

impl std::error::Error for SuiteNameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_names_are_taken() {
        for name in ["web", "packages/core", "node-24.x_1"] {
            assert_eq!(name.parse::<SuiteName>().map(|suite| suite.0), Ok(name.to_owned()));
        }
        for name in ["", "a b", "-->", "a--b", "ä", "<", "x\n", &"x".repeat(61)] {
            assert_eq!(name.parse::<SuiteName>(), Err(SuiteNameError), "{name}");
        }
    }
}
