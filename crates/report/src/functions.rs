//! Which functions a bench's window went through, for a terminal.

use crate::number::{per_op, whole};
use crate::style::{BOLD, CAUTION, DIM, Style};
use crate::table::{Align, Cell, Table, note_text};
use crate::text::printable;
use tiergate_model::{FunctionCount, Percent, WindowFunctions};

/// Rows of each table.
const MOST_ROWS: usize = 20;

/// The instructions of an op by function, what generated code calls, and the entries asked for.
pub fn window_functions_text(found: &WindowFunctions, style: &Style) -> String {
    let mut text = format!("{}\n", style.paint(&printable(found.id.as_str()), BOLD));
    let said = format!(
        "{} instructions per op over {} ops, {} of them in generated code, which goes to the engine's {} times per op",
        per_op(found.per_op(found.instructions)),
        whole(found.window_ops),
        share(found.generated_instructions, found.instructions),
        per_op(found.per_op(found.all_transfers())),
    );
    text.push_str(&note_text(&said, 0, DIM, style));
    text.push('\n');
    text.push_str(&table(found, "instructions/op", &found.functions, found.instructions, style));
    if !found.transfers.is_empty() {
        text.push('\n');
        let all = found.all_transfers();
        let named = "from generated code/op";
        text.push_str(&table(found, named, &found.transfers, all, style));
    }
    if !found.entries.is_empty() {
        text.push('\n');
        let mut table = Table::new(&[("entries/op", Align::Right), ("function", Align::Left)], 1);
        for entry in &found.entries {
            let (figure, paint) = match entry.count {
                Some(count) => (per_op(found.per_op(count)), DIM),
                None => ("no such symbol".to_owned(), CAUTION),
            };
            table.row(vec![Cell::painted(figure, paint), Cell::plain(printable(&entry.symbol))]);
        }
        text.push_str(&table.render(style));
    }
    text
}

fn table(
    found: &WindowFunctions,
    column: &str,
    rows: &[FunctionCount],
    all: u64,
    style: &Style,
) -> String {
    let columns = [("share", Align::Right), (column, Align::Right), ("function", Align::Left)];
    let mut table = Table::new(&columns, 2);
    for one in rows.iter().take(MOST_ROWS) {
        table.row(vec![
            Cell::plain(share(one.count, all)),
            Cell::plain(per_op(found.per_op(one.count))),
            Cell::plain(name(one)),
        ]);
    }
    let mut text = table.render(style);
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    if left_out > 0 {
        text.push_str(&note_text(&format!("and {left_out} more"), 0, DIM, style));
    }
    text
}

#[allow(clippy::cast_precision_loss, reason = "figures for people, of counts below 2^53")]
fn share(part: u64, all: u64) -> String {
    format!("{:.1}", Percent(part as f64 / all.max(1) as f64))
}

fn name(function: &FunctionCount) -> String {
    let file = if function.file.is_empty() { "generated code" } else { &function.file };
    printable(&format!("{} ({file})", function.name))
}
