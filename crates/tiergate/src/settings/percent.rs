//! Percentages as people write them.

use serde::{Deserialize, Deserializer};
use std::str::FromStr;

/// A share, written `2%`; kept as a fraction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Percent(f64);

impl Percent {
    /// 0.02 for `2%`.
    pub(crate) fn fraction(self) -> f64 {
        self.0
    }
}

/// A text that is no percentage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PercentError(String);

impl std::fmt::Display for PercentError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "`{}` is not a percentage: write for example `2%`", self.0)
    }
}

impl FromStr for Percent {
    type Err = PercentError;

    fn from_str(text: &str) -> Result<Self, PercentError> {
        let error = || PercentError(text.to_owned());
        let number = text.trim().strip_suffix('%').ok_or_else(error)?;
        let number: f64 = number.trim().parse().map_err(|_| error())?;
        if (0.0..=1_000.0).contains(&number) { Ok(Self(number / 100.0)) } else { Err(error()) }
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: PercentError| serde::de::Error::custom(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_need_their_sign_and_a_range() {
        assert_eq!("2%".parse(), Ok(Percent(0.02)));
        assert_eq!(" 0.4 % ".parse(), Ok(Percent(0.004)));
        for text in ["2", "%", "-1%", "NaN%", "inf%", "two%"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
    }
}
