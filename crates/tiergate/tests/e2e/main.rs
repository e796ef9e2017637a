//! End-to-end tests: the built binary on real files, one module per theme. Engines and frameworks
//! come from the repository's `tests` folder.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests and their helpers fail by panicking, and say on standard error what they skip"
)]

mod support;

mod code_cache;
mod counters;
mod counts;
mod engines;
mod environments;
mod executables;
mod formats;
mod frameworks;
mod functions;
mod gate;
mod gate_accepted;
mod gate_libraries;
mod gate_refusals;
mod gate_shards;
mod gate_templates;
mod gate_trees;
mod heaps;
mod hooks;
mod incomplete;
mod init;
mod inspections;
mod interrupts;
mod loops;
mod node_core;
mod perf;
mod pins;
mod processes;
mod refusals;
mod renames;
mod result_files;
mod settling;
mod stability;
mod suites;
mod verdicts;
mod vitest;
