//! A comparison as JUnit XML.

use super::{case_name, non_success, report, skipped, suite_of, text};
use crate::comparison::{DIFFERENCE_HINT, differing_values, side_text, wider_spread};
use crate::number::{change, per_op, spread};
use crate::text::printable;
use crate::{Compared, SuiteName};
use quick_junit::{NonSuccessKind, Property, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::time::Duration;
use tiergate_model::{BenchId, Comparison, ComparisonRow, ResultFile, Verdict};

/// A comparison as JUnit XML: a suite for each bench file and a test case for each bench. FAIL is
/// a failure, INCONCLUSIVE and INCOMPLETE are errors, skipped benches are skipped.
///
/// # Errors
/// None that these types can cause.
pub fn comparison_junit(
    compared: &Compared,
    suite: Option<&SuiteName>,
) -> Result<String, SerializeError> {
    let comparison = compared.comparison;
    let seconds = seconds_by_bench([compared.base, compared.head]);
    let mut suites = Vec::new();
    for row in &comparison.rows {
        let mut case = test_case(row, comparison);
        case.set_time(seconds.get(&row.id).copied().unwrap_or_default());
        suite_of(&mut suites, &row.id).add_test_case(case);
    }
    if !comparison.differences.is_empty() {
        suites.push(differences(comparison));
    } else if comparison.is_void() {
        let mut void = TestSuite::new("comparison");
        let status = non_success(NonSuccessKind::Error, "INCOMPLETE", &["nothing was compared"]);
        void.add_test_case(TestCase::new("benches were compared", status));
        suites.push(void);
    }
    for suite in &mut suites {
        suite
            .add_property(Property::new("base", side_text(&comparison.base)))
            .add_property(Property::new("head", side_text(&comparison.head)));
    }
    let mut report = report(suite);
    report.add_test_suites(suites);
    text(&report)
}

fn test_case(row: &ComparisonRow, comparison: &Comparison) -> TestCase {
    let figures = figures(row, comparison);
    let reason = row.reason.as_deref();
    let hint = row.hint.as_deref().map(|hint| format!("hint: {hint}"));
    let parts: Vec<&str> =
        [reason, Some(figures.as_str()), hint.as_deref()].into_iter().flatten().collect();
    let status = match row.verdict {
        Verdict::Fail => {
            // The figures are what failed; a reason is a remark.
            let parts: Vec<&str> =
                [Some(figures.as_str()), reason, hint.as_deref()].into_iter().flatten().collect();
            non_success(NonSuccessKind::Failure, row.verdict.word(), &parts)
        }
        Verdict::Inconclusive | Verdict::Incomplete => {
            non_success(NonSuccessKind::Error, row.verdict.word(), &parts)
        }
        Verdict::Skipped => skipped(reason),
        Verdict::Ok
        | Verdict::Accepted
        | Verdict::Warn
        | Verdict::Improved
        | Verdict::Added
        | Verdict::Removed => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(case_name(&row.id), status);
    case.set_classname(printable(row.id.file()));
    case.add_property(Property::new("verdict", row.verdict.word()));
    if let (TestCaseStatus::Success { .. }, Some(reason)) = (&case.status, reason) {
        case.add_property(Property::new("reason", printable(reason)));
    }
    let numbers = [
        ("change", row.change),
        ("base_per_op", row.base_per_op),
        ("head_per_op", row.head_per_op),
        ("base_spread", row.base_spread),
        ("head_spread", row.head_spread),
        ("adjusted_p", row.adjusted_p),
    ];
    for (name, value) in numbers {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            case.add_property(Property::new(name, value.to_string()));
        }
    }
    case
}

/// For example `+5.02 %: 1,234 → 1,296 Ir/op, A/A 0 %`.
fn figures(row: &ComparisonRow, comparison: &Comparison) -> String {
    let count = |value: Option<f64>| per_op(value.unwrap_or(f64::NAN));
    let change = row.change.map(|size| format!("{}: ", change(Some(size)))).unwrap_or_default();
    format!(
        "{change}{} → {} {}, A/A {}",
        count(row.base_per_op),
        count(row.head_per_op),
        comparison.unit.per_op(),
        spread(wider_spread(row)),
    )
}

/// One erring case for each field, so that the list of tests says what to look at.
fn differences(comparison: &Comparison) -> TestSuite {
    let mut suite = TestSuite::new("fingerprint");
    for difference in &comparison.differences {
        let (base, head) = differing_values(difference);
        let what = format!("base and head differ in {}", difference.field);
        let values = format!("base: {base}\nhead: {head}");
        let hint = format!("hint: {DIFFERENCE_HINT}");
        let parts = [what.as_str(), values.as_str(), hint.as_str()];
        let status = non_success(NonSuccessKind::Error, "not comparable", &parts);
        suite.add_test_case(TestCase::new(printable(&difference.field), status));
    }
    suite
}

/// What all processes of a bench took, on both sides.
fn seconds_by_bench(files: [&ResultFile; 2]) -> BTreeMap<&BenchId, Duration> {
    let mut seconds: BTreeMap<&BenchId, Duration> = BTreeMap::new();
    for bench in files.into_iter().flat_map(|file| &file.benches) {
        *seconds.entry(&bench.id).or_default() += super::run::duration(bench);
    }
    seconds
}
