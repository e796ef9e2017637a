//! JUnit XML, for CI systems that list tests.

mod comparison;
mod run;

pub use comparison::comparison_junit;
pub use run::run_junit;

use crate::SuiteName;
use crate::text::printable;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCaseStatus, TestSuite};
use tiergate_model::BenchId;

fn report(suite: Option<&SuiteName>) -> Report {
    Report::new(
        suite.map_or_else(|| "tiergate".to_owned(), |suite| format!("tiergate {}", suite.as_str())),
    )
}

fn text(report: &Report) -> Result<String, SerializeError> {
    report.to_string().map(|text| text + "\n")
}

/// What a test case says when it did not pass: a first line to list, and the whole below.
fn non_success(kind: NonSuccessKind, word: &str, parts: &[&str]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    let whole: Vec<String> = parts.iter().flat_map(|part| part.lines()).map(printable).collect();
    status.set_type(word).set_message(whole.first().map_or("", String::as_str));
    status.set_description(whole.join("\n"));
    status
}

fn skipped(reason: Option<&str>) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(printable(reason.unwrap_or("skipped")));
    status
}

/// The name within its file; a whole file has only its path.
fn case_name(id: &BenchId) -> String {
    printable(if id.is_file() { id.as_str() } else { id.name() })
}

/// The suite of a bench's file; suites come in the order of their first bench.
fn suite_of<'a>(suites: &'a mut Vec<TestSuite>, id: &BenchId) -> &'a mut TestSuite {
    let file = printable(id.file());
    let place = suites.iter().position(|suite| suite.name.as_str() == file).unwrap_or_else(|| {
        suites.push(TestSuite::new(file));
        suites.len() - 1
    });
    &mut suites[place]
}
