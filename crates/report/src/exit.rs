//! Exit codes in words.

use tiergate_model::ExitStatus;

/// What an exit code says.
pub(crate) fn meaning(status: ExitStatus) -> &'static str {
    match status {
        ExitStatus::Pass => "everything passed",
        ExitStatus::Regression => "at least one proven regression",
        ExitStatus::NotComparable => {
            "base and head were measured in different environments and can't be compared"
        }
        ExitStatus::Inconclusive => "at least one bench can't be decided",
        ExitStatus::Incomplete => "something was not, or only partly, measured",
        ExitStatus::Usage => "wrong command line or configuration",
        ExitStatus::Interrupted => "interrupted",
    }
}
