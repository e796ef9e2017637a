//! Verdicts.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a comparison says of one bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// No proven change beyond the limits.
    #[serde(rename = "ok")]
    Ok,
    /// A proven increase beyond the warning limit.
    #[serde(rename = "warn")]
    Warn,
    /// A proven decrease beyond its limit.
    #[serde(rename = "improved")]
    Improved,
    /// A proven regression.
    #[serde(rename = "FAIL")]
    Fail,
    /// Measured, not decidable; the reason is named.
    #[serde(rename = "INCONCLUSIVE")]
    Inconclusive,
    /// Not, or only partly, measured; the reason is named.
    #[serde(rename = "INCOMPLETE")]
    Incomplete,
    /// A proven increase that the project has accepted for this base; the reason is named.
    #[serde(rename = "accepted")]
    Accepted,
    /// Only head has it.
    #[serde(rename = "added")]
    Added,
    /// Only base has it, and that is allowed.
    #[serde(rename = "removed")]
    Removed,
    /// Both sides skip it.
    #[serde(rename = "skipped")]
    Skipped,
}

impl Verdict {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Improved => "improved",
            Self::Fail => "FAIL",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Incomplete => "INCOMPLETE",
            Self::Accepted => "accepted",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Skipped => "skipped",
        }
    }

    /// Place in a report that shows the worst first; smaller is worse.
    pub fn severity_rank(self) -> u8 {
        match self {
            Self::Fail => 0,
            Self::Incomplete => 1,
            Self::Inconclusive => 2,
            Self::Warn => 3,
            Self::Accepted => 4,
            Self::Removed => 5,
            Self::Improved => 6,
            Self::Added => 7,
            Self::Ok => 8,
            Self::Skipped => 9,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}
