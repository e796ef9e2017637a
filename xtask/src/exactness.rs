//! Whether equal readings are equal: ten of each workload, four at a time.

use crate::pinned::{
    Bench, SUITE, TYPESCRIPT, WORKLOADS, measure, prepare, print_heading, print_row,
};
use crate::steps::root;
use anyhow::Result;

/// Prints a Markdown table with a row for each engine: `cargo xtask exactness [ENGINE…]`.
pub(crate) fn run(engines: &[String]) -> Result<()> {
    for (index, engine) in prepare(engines)?.iter().enumerate() {
        let files = [WORKLOADS, TYPESCRIPT];
        let more = ["--repeats", "10", "--jobs", "4"];
        let benches = measure(&root().join(SUITE), &files, engine, &more)?;
        if index == 0 {
            let names = benches.iter().map(|bench| bench.name.as_str());
            print_heading(["engine"].into_iter().chain(names));
        }
        print_row(engine, benches.iter().map(Bench::cell));
    }
    Ok(())
}
