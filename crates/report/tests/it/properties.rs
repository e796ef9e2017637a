//! Whatever names, reasons and numbers are, reports stay whole.

use crate::support::{bench, compared, compared_files};
use proptest::prelude::*;
use tiergate_model::fixtures::{incomplete, result_file};
use tiergate_model::{BenchResult, Comparison};
use tiergate_report::{
    Compared, Style, comparison_annotations, comparison_junit, comparison_markdown,
    comparison_text, run_markdown, run_text,
};

fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\u{1b}[31m",
            "|",
            "`",
            "``",
            "\\",
            "\\|",
            "\n",
            "\r",
            "\u{202e}",
            "<!--",
            "@",
            "#1",
            "::",
            "日本",
            "e\u{301}",
            "\u{200b}",
            "\0",
            " ",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 1..12).prop_map(|parts| parts.concat())
}

fn any_bench() -> impl Strategy<Value = BenchResult> {
    (any_text(), any_text(), any::<bool>(), 1..u64::MAX / 2).prop_map(|(id, reason, bad, count)| {
        if bad { incomplete(&id, &reason) } else { bench(&id, count) }
    })
}

fn any_side() -> impl Strategy<Value = Vec<BenchResult>> {
    prop::collection::vec(any_bench(), 0..6)
}

fn any_comparison() -> impl Strategy<Value = Comparison> {
    (any_side(), any_side(), any::<bool>()).prop_map(|(base, mut head, same)| {
        if same {
            head.extend(base.iter().cloned());
        }
        compared(base, head)
    })
}

/// Long texts of few kinds of characters, which escapes or widths could make longer still.
fn long_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![any_text(), Just("\u{301}".to_owned()), Just("@`|".to_owned())];
    (part, 0..600_usize).prop_map(|(part, times)| part.repeat(times))
}

fn large_comparison() -> impl Strategy<Value = Comparison> {
    let texts = || prop::collection::vec(long_text(), 1..8);
    (texts(), texts(), 0..400_usize, any::<bool>()).prop_map(
        |(ids, reasons, benches, differing)| {
            let id = |index: usize| format!("{index}{}", ids[index % ids.len()]);
            let base = (0..benches).map(|index| bench(&id(index), 100_000 + index as u64));
            let head = (benches / 3..benches).map(|index| match index % 3 {
                0 => bench(&id(index), 200_000),
                1 => bench(&id(index + benches), 100_000 + index as u64),
                _ => incomplete(&id(index), &format!("x{}", reasons[index % reasons.len()])),
            });
            let (base, mut head) = (result_file(base.collect()), result_file(head.collect()));
            head.commit = Some(reasons[0].clone());
            if differing {
                head.fingerprint.libc = reasons[0].clone();
                head.fingerprint.cpu.model = ids[0].clone();
                head.fingerprint.engine.flags = reasons.clone();
            }
            compared_files(&base, &head)
        },
    )
}

/// Pipes that end a cell, as GitHub reads a row.
fn cell_ends(row: &str) -> usize {
    let mut escaped = false;
    let mut ends = 0;
    for character in row.chars() {
        ends += usize::from(character == '|' && !escaped);
        // A pipe is escaped by a back-slash before it, whatever stands before that.
        escaped = character == '\\';
    }
    ends
}

proptest! {
    #[test]
    fn terminal_text_holds_no_control_character(
        comparison in any_comparison(), side in any_side(), width in 0..150_usize,
    ) {
        let run = result_file(side);
        let style = Style::plain(width);
        for text in [comparison_text(&comparison, &style), run_text(&run, &style)] {
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            prop_assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
            prop_assert!(text.ends_with('\n'));
        }
    }

    #[test]
    fn junit_is_xml_with_a_case_for_each_row(base in any_side(), head in any_side()) {
        let (base, head) = (result_file(base), result_file(head));
        let comparison = compared_files(&base, &head);
        let compared = Compared { comparison: &comparison, base: &base, head: &head };
        let text = comparison_junit(&compared, None).unwrap();
        prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let report = quick_junit::Report::deserialize_from_str(&text);
        let report = report.map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
        let cases: usize = report.test_suites.iter().map(|suite| suite.test_cases.len()).sum();
        prop_assert_eq!(cases, comparison.rows.len().max(1));
    }

    #[test]
    fn every_annotation_is_one_command(base in any_side(), head in any_side()) {
        let comparison = compared(base, head);
        for line in comparison_annotations(&comparison, "").lines() {
            let command = line.strip_prefix("::error ").or(line.strip_prefix("::warning "));
            let (properties, _) = command.unwrap().split_once("::").unwrap();
            prop_assert_eq!(properties.matches(',').count(), 1, "{}", line);
            prop_assert!(properties.starts_with("file=") && properties.contains(",title="));
            prop_assert!(!line.chars().any(char::is_control), "{:?}", line);
        }
    }

    #[test]
    fn markdown_rows_keep_their_cells(comparison in any_comparison(), side in any_side()) {
        let run = result_file(side);
        for text in [comparison_markdown(&comparison, None), run_markdown(&run, None)] {
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            let rows = text.lines().filter(|line| line.starts_with("| "));
            for row in rows {
                prop_assert_eq!(cell_ends(row), 7, "{}", row);
            }
        }
    }
}

proptest! {
    // Large comparisons take their time.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn markdown_stays_below_the_limit_and_says_what_it_left_out(
        comparison in large_comparison(),
    ) {
        let text = comparison_markdown(&comparison, None);
        prop_assert!(text.len() < 65_536, "{} bytes", text.len());
        let rows = text.lines().filter(|line| line.starts_with("| ")).count();
        let headings = text.matches("\n|---|").count();
        let left_out: usize = text
            .lines()
            .filter_map(|line| line.strip_suffix(" left out to keep this short."))
            .filter_map(|line| line.strip_suffix(" rows").or(line.strip_suffix(" row")))
            .map(|count| count.parse::<usize>().unwrap())
            .sum();
        if comparison.differences.is_empty() {
            prop_assert_eq!(rows - headings + left_out, comparison.rows.len());
        }
    }
}
