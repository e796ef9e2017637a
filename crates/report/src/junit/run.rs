//! A run as JUnit XML.

use super::{case_name, non_success, report, skipped, suite_of, text};
use crate::SuiteName;
use crate::run::{engine_and_instrument, is_doubtful};
use crate::text::printable;
use quick_junit::{NonSuccessKind, Property, SerializeError, TestCase, TestCaseStatus};
use std::time::Duration;
use tiergate_model::{BenchResult, BenchStatus, ResultFile};
use tiergate_stats::summarise_readings;

/// A run as JUnit XML: a suite for each bench file and a test case for each bench, which errs
/// when the bench could not be measured.
///
/// # Errors
/// None that these types can cause.
pub fn run_junit(result: &ResultFile, suite: Option<&SuiteName>) -> Result<String, SerializeError> {
    let mut suites = Vec::new();
    for bench in &result.benches {
        suite_of(&mut suites, &bench.id).add_test_case(test_case(bench, result));
    }
    for suite in &mut suites {
        suite.add_property(Property::new("engine and instrument", engine_and_instrument(result)));
    }
    let mut report = report(suite);
    report.add_test_suites(suites);
    text(&report)
}

fn test_case(bench: &BenchResult, result: &ResultFile) -> TestCase {
    let reason = bench.reason.as_deref();
    let error = |word| non_success(NonSuccessKind::Error, word, &[reason.unwrap_or("no reading")]);
    let summary = summarise_readings(&bench.readings);
    let status = match (bench.status, &summary) {
        (BenchStatus::Skipped, _) => skipped(reason),
        (BenchStatus::Incomplete, _) | (BenchStatus::Measured, None) => error("INCOMPLETE"),
        (BenchStatus::Measured, Some(_)) if is_doubtful(bench) => error("INCONCLUSIVE"),
        (BenchStatus::Measured, Some(_)) => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(case_name(&bench.id), status);
    case.set_classname(printable(bench.id.file())).set_time(duration(bench));
    if let Some(summary) = summary {
        case.add_property(Property::new(result.unit().per_op(), summary.median.to_string()));
        case.add_property(Property::new("aa_spread", summary.spread().to_string()));
    }
    case
}

/// What all processes of a bench took.
pub(super) fn duration(bench: &BenchResult) -> Duration {
    let seconds: f64 = bench.readings.iter().map(|reading| reading.seconds).sum();
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
