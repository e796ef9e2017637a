//! All tests, as CI runs them.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::{Context, Result};
use std::env;

pub(crate) fn run() -> Result<()> {
    setup::valgrind()?;
    setup::engines()?;
    must_run(&mut command("cargo", &["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    must_run(&mut command("cargo", &lints))?;
    must_run(
        command("cargo", &["test", "--workspace"]).env("TIERGATE_ENGINES", root().join("tests")),
    )?;
    // Node's test runner finds `*.test.*` files; the suite drives every pinned engine itself.
    let node = root().join("tests/node_modules/node-24/bin/node");
    let harness = ["--test", "harness/test/"];
    let path = env::var("PATH").context("PATH is not set")?;
    must_run(command(&node.to_string_lossy(), &harness).env("PATH", path))
}

pub(crate) fn write_schema() -> Result<()> {
    let test = ["test", "--package", "tiergate-store", "--test", "schema"];
    must_run(command("cargo", &test).env("TIERGATE_UPDATE_SCHEMA", "1"))
}
