//! Version numbers as engines print them.

use std::fmt;
use std::str::FromStr;

/// Three numbers, and the whole text with what follows them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: [u64; 3],
    text: String,
}

/// A text that does not begin with three numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version")]
pub struct VersionError(pub String);

impl Version {
    /// Major, minor and patch number.
    pub fn numbers(&self) -> [u64; 3] {
        self.numbers
    }

    /// Whether the version begins with the numbers of `prefix`: `24.2` fits 24.2.1, not 24.22.1.
    pub fn begins_with(&self, prefix: &str) -> bool {
        let wanted: Vec<_> = prefix.split('.').map(str::parse::<u64>).collect();
        wanted.len() <= self.numbers.len()
            && wanted.iter().zip(self.numbers).all(|(part, number)| *part == Ok(number))
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || VersionError(text.to_owned());
        let text = text.strip_prefix('v').unwrap_or(text);
        let core = text.split(['-', '+']).next().unwrap_or_default();
        let numbers: Vec<u64> =
            core.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| error())?;
        let numbers = <[u64; 3]>::try_from(numbers).map_err(|_| error())?;
        Ok(Self { numbers, text: text.to_owned() })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// The versions from one on, up to but not including another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionRange {
    /// The first version in the range.
    pub since: [u64; 3],
    /// The first version after the range, when it has an end.
    pub before: Option<[u64; 3]>,
}

impl VersionRange {
    /// Every version.
    pub const ALL: Self = Self { since: [0, 0, 0], before: None };

    /// From this version on.
    pub const fn since(major: u64, minor: u64, patch: u64) -> Self {
        Self { since: [major, minor, patch], before: None }
    }

    /// Up to but not including this version.
    pub const fn before(major: u64, minor: u64, patch: u64) -> Self {
        Self { since: [0, 0, 0], before: Some([major, minor, patch]) }
    }

    /// Whether `version` is in the range; a pre-release counts as its release.
    pub fn contains(&self, version: &Version) -> bool {
        version.numbers >= self.since && self.before.is_none_or(|before| version.numbers < before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_read_with_and_without_decoration() {
        assert_eq!(version("v24.22.1").to_string(), "24.22.1");
        assert_eq!(version("27.0.0-nightly20261101abcdef").numbers(), [27, 0, 0]);
        assert_eq!(version("2.9.6+abcdef1").numbers(), [2, 9, 6]);
        for garbage in ["", "24", "24.1", "1.2.3.4", "a.b.c", "1.2.x"] {
            assert!(garbage.parse::<Version>().is_err(), "{garbage}");
        }
    }

    #[test]
    fn a_prefix_is_compared_by_number() {
        let installed = version("24.22.1");
        for prefix in ["24", "24.22", "24.22.1"] {
            assert!(installed.begins_with(prefix), "{prefix}");
        }
        for prefix in ["2", "24.2", "24.22.10", "24.22.1.0", ""] {
            assert!(!installed.begins_with(prefix), "{prefix}");
        }
    }

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(version("9.10.0") > version("9.9.9"));
        assert!(version("24.0.0") > version("9.0.0"));
    }

    #[test]
    fn a_range_ends_before_its_end() {
        let range = VersionRange { since: [20, 0, 0], before: Some([22, 0, 0]) };
        assert!(range.contains(&version("20.0.0")) && range.contains(&version("21.9.9")));
        assert!(!range.contains(&version("22.0.0")) && !range.contains(&version("19.9.9")));
        assert!(VersionRange::ALL.contains(&version("0.1.0")));
    }
}
