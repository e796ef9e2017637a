//! One HTML page that needs nothing else: no network, no other file, and no script to be read.

mod benches;
mod comparison;
mod document;
mod environment;
mod facts;
mod label;
mod plot;
mod proof;
mod prose;
mod readings;
mod run;
mod timeline;

pub use comparison::comparison_html;
pub use run::run_html;

use maud::Markup;
use tiergate_model::{BenchResult, ExitStatus, ResultFile, Unit, Verdict};

/// A page's contents, a comparison's or a run's.
struct Page<'a> {
    title: String,
    /// The counts by verdict, and how many rows have it.
    tally: Vec<(usize, Badge)>,
    /// What is said in place of counts.
    headline: Option<&'static str>,
    exit: ExitStatus,
    /// The sides by their names; a run has one.
    sides: Vec<Side<'a>>,
    notes: Vec<String>,
    /// What applies to all rows, for example limits.
    fine_print: Option<String>,
    environment: Markup,
    after: Markup,
    unit: Unit,
    /// Heading of the first column.
    state: &'static str,
    /// Headings of the columns behind the bench, and whether they hold numbers.
    columns: Vec<String>,
    rows: Vec<Row<'a>>,
    /// The report as JSON, for scripts and for saving.
    data: String,
    file_name: &'static str,
}

/// A side's name, its result and where that came from.
struct Side<'a> {
    name: &'static str,
    text: String,
    commit: Option<String>,
    file: &'a ResultFile,
}

/// A verdict, or a run's word for one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Badge {
    word: &'static str,
    verdict: Verdict,
}

impl Badge {
    fn of(verdict: Verdict) -> Self {
        Self { word: verdict.word(), verdict }
    }

    /// A sign beside the word, so that colour is never the only one.
    fn sign(self) -> &'static str {
        match self.verdict {
            Verdict::Fail => "✕",
            Verdict::Incomplete => "∅",
            Verdict::Inconclusive => "?",
            Verdict::Warn => "▲",
            Verdict::Accepted => "☑",
            Verdict::Removed => "−",
            Verdict::Improved => "▼",
            Verdict::Added => "+",
            Verdict::Ok => "✓",
            Verdict::Skipped => "·",
        }
    }

    /// The name of its colours in the style sheet.
    fn class(self) -> &'static str {
        match self.verdict {
            Verdict::Fail => "v-bad",
            Verdict::Incomplete => "v-missing",
            Verdict::Inconclusive | Verdict::Warn | Verdict::Accepted => "v-doubt",
            Verdict::Ok | Verdict::Improved => "v-good",
            Verdict::Added | Verdict::Removed => "v-new",
            Verdict::Skipped => "v-none",
        }
    }
}

/// One bench.
struct Row<'a> {
    badge: Badge,
    id: &'a str,
    reason: Option<&'a str>,
    hint: Option<&'a str>,
    cells: Vec<Cell>,
    /// Its results on the sides, in their order.
    benches: Vec<Option<&'a BenchResult>>,
}

/// A figure, and what it is sorted by.
struct Cell {
    text: String,
    /// What stands below it, smaller.
    more: String,
    sort: Option<f64>,
}

impl Cell {
    fn new(text: String, sort: Option<f64>) -> Self {
        Self { text, more: String::new(), sort: sort.filter(|value| value.is_finite()) }
    }

    fn with_more(self, more: String) -> Self {
        Self { more, ..self }
    }
}
