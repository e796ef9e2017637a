//! All tests, as CI runs them.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::Result;
use std::process::Command;

pub(crate) fn run() -> Result<()> {
    setup::valgrind()?;
    setup::engines()?;
    setup::gates()?;
    setup::workflows()?;
    setup::browser()?;
    must_run(&mut command("cargo", &["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    must_run(&mut command("cargo", &lints))?;
    if has_target(AARCH64) {
        check_aarch64()?;
    }
    must_run(
        command("cargo", &["test", "--workspace", "--no-fail-fast"])
            .env("TIERGATE_ENGINES", root().join("tests")),
    )?;
    // Drives every pinned engine itself; this one only runs the test runner.
    let node = root().join("tests/node_modules/node-24/bin/node");
    must_run(
        command(&node.to_string_lossy(), &["--test", "test/*.test.mjs"])
            .current_dir(root().join("harness")),
    )
}

const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// Type-checks the whole workspace for aarch64, where `perf`, `callgrind` and `wall` are to work.
pub(crate) fn check_aarch64() -> Result<()> {
    if !has_target(AARCH64) {
        must_run(&mut command("rustup", &["target", "add", AARCH64]))?;
    }
    let check = ["check", "--workspace", "--all-targets", "--target", AARCH64];
    // One dependency has C code for that processor, which only a cross compiler could check.
    must_run(command("cargo", &check).env("CARGO_FEATURE_NO_NEON", "1"))
}

fn has_target(name: &str) -> bool {
    let output = Command::new("rustup").args(["target", "list", "--installed"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).lines().any(|l| l == name))
}

pub(crate) fn write_schema() -> Result<()> {
    let test = ["test", "--package", "tiergate-store", "--test", "schema"];
    must_run(command("cargo", &test).env("TIERGATE_UPDATE_SCHEMA", "1"))
}
