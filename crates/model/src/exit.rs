//! Exit codes, and which one wins.

/// How a command ended. The worst of several is chosen with [`ExitStatus::worst`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// Everything asked for was done and passed.
    Pass,
    /// At least one proven regression.
    Regression,
    /// The two sides can't be compared.
    NotComparable,
    /// At least one bench is undecided, none is worse.
    Inconclusive,
    /// A bench or the run itself failed.
    Incomplete,
    /// The command line or the configuration is wrong.
    Usage,
    /// Stopped by a signal.
    Interrupted,
}

impl ExitStatus {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Regression => 1,
            Self::NotComparable => 2,
            Self::Inconclusive => 3,
            Self::Incomplete => 4,
            Self::Usage => 64,
            Self::Interrupted => 130,
        }
    }

    /// The worse of two, in the order 130, 64, 2, 4, 1, 3, 0: a wrong question before a missing
    /// answer, a missing answer before a bad one, a bad one before an undecided one.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Inconclusive => 1,
            Self::Regression => 2,
            Self::Incomplete => 3,
            Self::NotComparable => 4,
            Self::Usage => 5,
            Self::Interrupted => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_follows_the_documented_order() {
        let order = [
            ExitStatus::Usage,
            ExitStatus::NotComparable,
            ExitStatus::Incomplete,
            ExitStatus::Regression,
            ExitStatus::Inconclusive,
            ExitStatus::Pass,
        ];
        for (place, worse) in order.iter().enumerate() {
            for better in &order[place..] {
                assert_eq!(worse.worst(*better), *worse);
                assert_eq!(better.worst(*worse), *worse);
            }
        }
    }
}
