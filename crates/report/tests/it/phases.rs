//! What the phases of a window say, wherever it is shown.

use crate::support::{bench, compared};
use tiergate_model::fixtures::result_file;
use tiergate_model::{BenchResult, Comparison, WindowPhases};
use tiergate_report::{
    Compared, Style, comparison_html, comparison_markdown, comparison_text, run_html, run_markdown,
    run_text,
};

/// A bench whose ops cost so much between collections, and one phase of ten three times that.
fn collecting(count: u64, median: f64) -> BenchResult {
    let mut per_op = vec![median; 9];
    per_op.push(3.0 * median);
    let window_phases = Some(WindowPhases { ops: 100, per_op, median, quartile_spread: 0.000_2 });
    BenchResult { window_phases, ..bench("a.mjs::churn", count) }
}

fn comparison(base: (u64, f64), head: (u64, f64)) -> Comparison {
    compared(vec![collecting(base.0, base.1)], vec![collecting(head.0, head.1)])
}

const WORDS: &str =
    "between collections 1,000 (10 phases, quartiles 0.020 % apart), the rest 16.7 %";

#[test]
fn a_run_tells_what_ops_cost_between_collections() {
    let run = result_file(vec![collecting(1_200_000, 1_000.0), bench("a.mjs::calm", 5_000)]);
    let text = run_text(&run, &Style::plain(100));
    let markdown = run_markdown(&run, None);
    let page = run_html(&run, None).unwrap();
    for report in [&text, &markdown, &page] {
        assert_eq!(report.matches(WORDS).count(), 1, "{report}");
    }
    assert!(page.contains("between collections 1,000</span>"), "{page}");
}

#[test]
fn a_verdict_that_asks_for_a_look_tells_whether_the_op_itself_has_changed() {
    let slower = comparison((1_200_000, 1_000.0), (1_300_000, 1_000.1));
    let expected = "between collections +0.01 %";
    assert!(comparison_text(&slower, &Style::plain(100)).contains(expected));
    assert!(comparison_markdown(&slower, None).contains(&format!("<br>{expected}")));
    let file = result_file(Vec::new());
    let page = Compared { comparison: &slower, base: &file, head: &file };
    assert!(comparison_html(&page, None).unwrap().contains(expected));

    let ok = comparison((1_200_000, 1_000.0), (1_200_001, 1_000.1));
    assert!(!comparison_text(&ok, &Style::plain(100)).contains("between collections"));
    let one_sided = compared(vec![bench("a.mjs::churn", 100)], vec![collecting(200, 1.0)]);
    assert!(!comparison_text(&one_sided, &Style::plain(100)).contains("between collections"));
}
