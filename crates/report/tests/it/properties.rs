//! Whatever names, reasons and numbers are, reports stay whole.

use crate::support::{bench, compared};
use proptest::prelude::*;
use tiergate_model::fixtures::{incomplete, result_file};
use tiergate_model::{BenchResult, Comparison};
use tiergate_report::{Style, comparison_markdown, comparison_text, run_markdown, run_text};

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
    fn markdown_rows_keep_their_cells(comparison in any_comparison(), side in any_side()) {
        let run = result_file(side);
        for text in [comparison_markdown(&comparison), run_markdown(&run)] {
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
            let rows = text.lines().filter(|line| line.starts_with("| "));
            for row in rows {
                prop_assert_eq!(cell_ends(row), 7, "{}", row);
            }
        }
    }
}
