//! Chores of the repository: set-up, demo, tests.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "chores say what they do to the person who runs them"
)]

mod bench_counter;
mod demo;
mod exactness;
mod gates;
mod isolation;
mod leave_one_out;
mod oracle;
mod phases;
mod pinned;
mod same_runs;
mod setup;
mod steps;
mod test;
mod whole_programs;
mod windows;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask COMMAND

  demo     measure the two versions of examples/text and compare them
  test     format, lints, unit, property, snapshot and end-to-end tests
  bench-counter [--rounds N] [--callgrind] [ENGINE…] [WORKLOAD…]
           what the counter costs, as Markdown: the same windows natively and counted
  oracle [ENGINE…] [WORKLOAD…]
           compare the counter with single-stepping, address by address; `c` is a program in C
  whole-programs [ENGINE…]
           run programs under the counter from first line to last, and compare with native
  package-suites [ENGINE…] [PACKAGE…]
           run the test suites that packages publish likewise
  stress [--times N] [ENGINE…]
           the same with a program of everything that is hard, in every setting
  check-aarch64
           type-check everything for aarch64
  setup    install what demo and test need: Valgrind, the pinned engines and frameworks, Chromium
  gates [--times N] [--filter GLOB] [--cost] [CHANGE…]
           gate changes of a project with real libraries that do nothing, and planted ones, as
           Markdown; or what a gate costs beside callgrind
  isolation
           what a process of its own costs a bench, natively and under callgrind, as Markdown
  leave-one-out [ENGINE…]
           what each pin is worth: spreads with one of them left out, and what all of them do to
           the counts, as Markdown
  exactness [ENGINE…]
           whether equal readings are equal: ten of each workload, four at a time, as Markdown
  same-runs [--times N] [--load N] [ENGINE…]
           whether ten runs of examples/cache say the same, beside so many busy threads, as
           Markdown
  phases [ENGINE…]
           how far the collector's phase moves an op that allocates, as Markdown
  schema   write the JSON schema of the result file anew";

fn arguments() -> Vec<String> {
    std::env::args().skip(2).collect()
}

fn main() -> Result<()> {
    let command = std::env::args().nth(1);
    match command.as_deref() {
        Some("demo") => demo::run(),
        Some("isolation") => isolation::run(),
        Some("leave-one-out") => leave_one_out::run(&arguments()),
        Some("exactness") => exactness::run(&arguments()),
        Some("same-runs") => same_runs::run(&arguments()),
        Some("phases") => phases::run(&arguments()),
        Some("test") => test::run(),
        Some("gates") => gates::run(&arguments()),
        Some("bench-counter") => bench_counter::run(&arguments()),
        Some("whole-programs") => whole_programs::run(&arguments()),
        Some("package-suites") => whole_programs::package_suites(&arguments()),
        Some("stress") => whole_programs::stress(&arguments()),
        Some("oracle") => oracle::run(&arguments()),
        Some("check-aarch64") => test::check_aarch64(),
        Some("setup") => {
            setup::valgrind()?;
            setup::engines()?;
            setup::gates()?;
            setup::workflows()?;
            setup::browser()
        }
        Some("schema") => test::write_schema(),
        None | Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => bail!("unknown command `{other}`\n\n{HELP}"),
    }
}
