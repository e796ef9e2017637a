//! The benches that were found.

use crate::number::{UNKNOWN, seconds, whole};
use crate::style::{BOLD, DIM, PLAIN, Style};
use crate::table::{Align, Cell, Table};
use crate::text::printable;
use serde::Serialize;
use tiergate_model::{DiscoveredBench, OpBudget};

/// The version of the JSON that [`list_json`] writes.
pub const LIST_SCHEMA_VERSION: u32 = 1;

/// A bench with what `tiergate.lock` knows of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedBench {
    /// The bench.
    pub bench: DiscoveredBench,
    /// Its ops before and in the window, once calibrated.
    pub budget: Option<OpBudget>,
    /// Wall-clock seconds that one reading took when that was last recorded.
    pub seconds: Option<f64>,
}

/// The list as text.
pub fn list_text(benches: &[ListedBench], style: &Style) -> String {
    if benches.is_empty() {
        return format!("{}\n", style.paint("no benches", BOLD));
    }
    let columns = [
        ("bench", Align::Left),
        ("framework", Align::Left),
        ("warm-up", Align::Right),
        ("window", Align::Right),
        ("recorded", Align::Right),
    ];
    let mut table = Table::new(&columns, 0);
    for listed in benches {
        let skipped = listed.bench.skipped;
        let paint = if skipped { DIM } else { PLAIN };
        let mut cells = vec![
            Cell::painted(printable(listed.bench.id.as_str()), paint),
            Cell::painted(framework(&listed.bench), paint),
        ];
        cells.extend(figures(listed).into_iter().map(|figure| Cell::painted(figure, paint)));
        table.row(cells);
    }
    let skipped = benches.iter().filter(|listed| listed.bench.skipped).count();
    let total = match benches.len() {
        1 => "1 bench".to_owned(),
        count => format!("{count} benches"),
    };
    let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    format!("{}\n{}\n", table.render(style), style.paint(&format!("{total}{skipped}"), BOLD))
}

/// The list as JSON: `schema_version` and `benches`.
///
/// # Errors
/// None that these types can cause.
pub fn list_json(benches: &[ListedBench]) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct List<'a> {
        schema_version: u32,
        benches: &'a [ListedBench],
    }
    let list = List { schema_version: LIST_SCHEMA_VERSION, benches };
    serde_json::to_string_pretty(&list).map(|text| text + "\n")
}

pub(crate) fn framework(bench: &DiscoveredBench) -> String {
    printable(format!("{} {}", bench.framework, bench.framework_version).trim_end())
}

/// Warm-up, window and recorded seconds.
pub(crate) fn figures(listed: &ListedBench) -> [String; 3] {
    if listed.bench.skipped {
        return ["skipped".to_owned(), String::new(), String::new()];
    }
    let ops = |select: fn(&OpBudget) -> u64| {
        listed.budget.as_ref().map_or_else(|| UNKNOWN.to_owned(), |budget| whole(select(budget)))
    };
    [
        ops(|budget| budget.warmup_ops),
        ops(|budget| budget.window_ops),
        listed.seconds.map_or_else(|| UNKNOWN.to_owned(), seconds),
    ]
}
