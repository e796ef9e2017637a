//! Workflow commands of GitHub Actions.

use crate::support::{bench, compared, compared_files, every_verdict};
use tiergate_model::fixtures::{incomplete, result_file};
use tiergate_report::{comparison_annotations, run_annotations};

#[test]
fn what_fails_or_warns_is_annotated_at_its_file() {
    insta::assert_snapshot!(comparison_annotations(&every_verdict(), ""), @"
    ::error file=bench/a.mjs,title=FAIL +5.02 %25%3A parse > short::1,234 → 1,296 Ir/op
    ::error file=bench/a.mjs,title=INCOMPLETE%3A throws::head: TypeError: x is not a function%0A    at a.mjs:3:1
    ::error file=bench/old.mjs,title=INCOMPLETE%3A moved::removed, or renamed to `bench/new.mjs::moved`%0Ahint: if that is meant, allow it with `--allow-removed`
    ::error file=bench/a.mjs,title=INCONCLUSIVE -0.10 %25%3A noisy::100.1 → 100.0 Ir/op%0Athe A/A spread of base is 0.699 %25, above the limit of 0.4 %25%0Ahint: equal processes did unequal work: look for clocks, randomness, I/O or threads in the op
    ::warning file=bench/a.mjs,title=warn +1.43 %25%3A parse > long::81,235 → 82,400 Ir/op
    ");
}

#[test]
fn files_are_named_from_the_repository() {
    let result =
        result_file(vec![incomplete("bench/b.mjs::a, b: 100%", "Error: 5 %\n  at b.mjs:1")]);
    insta::assert_snapshot!(run_annotations(&result, "packages/core"), @"::error file=packages/core/bench/b.mjs,title=INCOMPLETE%3A a%2C b%3A 100%25::Error: 5 %25%0A  at b.mjs:1");
    assert_eq!(run_annotations(&result_file(vec![bench("a.mjs::a", 1000)]), ""), "");
}

#[test]
fn another_environment_has_no_file() {
    let base = result_file(vec![]);
    let mut head = base.clone();
    head.fingerprint.libc = "musl, 1.2".to_owned();
    insta::assert_snapshot!(comparison_annotations(&compared_files(&base, &head), ""), @"::error title=not comparable%3A libc::base: glibc 2.36%0Ahead: musl, 1.2");
}

#[test]
fn no_more_are_printed_than_github_shows() {
    let side = |count| (0..25).map(|index| bench(&format!("a.mjs::{index}"), count)).collect();
    let text = comparison_annotations(&compared(side(100_000), side(110_000)), "");
    assert_eq!(text.matches("::error ").count(), 10);
    let last = text.lines().last().unwrap();
    assert_eq!(
        last,
        "::notice title=tiergate::25 FAIL (exit code 1); 15 more are in the step's summary"
    );
}
