//! All tests, as CI runs them.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    setup::valgrind()?;
    setup::engines()?;
    setup::browser()?;
    must_run(&mut command("cargo", &["fmt", "--all", "--check"]))?;
    let lints = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    must_run(&mut command("cargo", &lints))?;
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

pub(crate) fn write_schema() -> Result<()> {
    let test = ["test", "--package", "tiergate-store", "--test", "schema"];
    must_run(command("cargo", &test).env("TIERGATE_UPDATE_SCHEMA", "1"))
}
