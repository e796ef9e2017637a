//! The functions of a window, for a terminal.

use tiergate_model::{BenchId, FunctionCount, SymbolEntries, WindowFunctions};
use tiergate_report::{Style, window_functions_text};

fn count(name: &str, file: &str, count: u64) -> FunctionCount {
    FunctionCount { name: name.to_owned(), file: file.to_owned(), count }
}

fn found() -> WindowFunctions {
    WindowFunctions {
        id: BenchId::from_text("a.mjs::parse"),
        window_ops: 1_000,
        instructions: 5_000_000,
        generated_instructions: 3_500_000,
        functions: vec![
            count("0x7f001230", "", 3_500_000),
            count("Builtins_ArrayPush", "node", 1_000_000),
            count("memcpy", "libc.so.6", 500_000),
        ],
        transfers: vec![
            count("Builtins_ArrayPush", "node", 12_000),
            count("memcpy", "libc.so.6", 500),
        ],
        entries: vec![
            SymbolEntries { symbol: "Builtins_ArrayPush".to_owned(), count: Some(12_500) },
            SymbolEntries { symbol: "nothing".to_owned(), count: None },
        ],
    }
}

#[test]
fn functions_transfers_and_entries_are_told_per_op() {
    insta::assert_snapshot!(window_functions_text(&found(), &Style::plain(100)), @"
    a.mjs::parse
    5,000 instructions per op over 1,000 ops, 70.0 % of them in generated code, which goes to the
    engine's 12.50 times per op

     share  instructions/op  function
    70.0 %            3,500  0x7f001230 (generated code)
    20.0 %            1,000  Builtins_ArrayPush (node)
    10.0 %            500.0  memcpy (libc.so.6)

     share  from generated code/op  function
    96.0 %                   12.00  Builtins_ArrayPush (node)
     4.0 %                    0.50  memcpy (libc.so.6)

        entries/op  function
             12.50  Builtins_ArrayPush
    no such symbol  nothing
    ");
}

#[test]
fn empty_parts_are_left_out() {
    let quiet = WindowFunctions { transfers: Vec::new(), entries: Vec::new(), ..found() };
    let text = window_functions_text(&quiet, &Style::plain(100));
    assert!(!text.contains("from generated code/op") && !text.contains("entries/op"), "{text}");
}
