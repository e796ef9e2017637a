//! What each pin is worth: the spread of equal readings with everything held, and with one thing
//! left out; and what the pins do to the counts.

use crate::pinned::{Bench, SUITE, WORKLOADS, measure, prepare, print_heading, print_row};
use crate::steps::root;
use anyhow::Result;

/// What is left out, by the words for `--engine-arg`.
const LEFT_OUT: [&str; 6] = [
    "no-pin:clock",
    "no-pin:gate",
    "no-pin:random",
    "no-pin:seed",
    "no-pin:resources",
    "no-pin:process",
];

/// What is left out on Deno only.
const LEFT_OUT_ON_DENO: &str = "no-pin:caches";

/// Prints a Markdown table for each engine: `cargo xtask leave-one-out [ENGINE…]`.
pub(crate) fn run(engines: &[String]) -> Result<()> {
    for engine in prepare(engines)? {
        let measure = |more: &[&str]| {
            let more = [&["--repeats", "6", "--jobs", "4"], more].concat();
            measure(&root().join(SUITE), &[WORKLOADS], &engine, &more)
        };
        let everything = measure(&[])?;
        let names = everything.iter().map(|bench| bench.name.as_str());
        print_heading([engine.as_str()].into_iter().chain(names));
        print_row("everything held", everything.iter().map(Bench::cell));
        let is_deno = engine.starts_with("deno");
        for left_out in LEFT_OUT.into_iter().chain(is_deno.then_some(LEFT_OUT_ON_DENO)) {
            let benches = measure(&["--engine-arg", left_out])?;
            print_row(left_out, benches.iter().map(Bench::cell));
        }
        let nothing = measure(&["--profile", "default"])?;
        print_row("profile `default`", nothing.iter().map(Bench::cell));
        let distortion = everything.iter().zip(&nothing).map(|(exact, default)| {
            let change = 100.0 * (exact.per_op / default.per_op - 1.0);
            let change = if change.abs() < 0.5 { "0".to_owned() } else { format!("{change:+.0}") };
            format!("{change} % (±{:.0} %)", 50.0 * default.spread)
        });
        print_row("`exact` against `default`", distortion);
    }
    Ok(())
}
