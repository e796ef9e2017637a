//! The main job on a real example: two versions of a small library, one of them slower.

use crate::steps::{self, command, must_run, root};
use anyhow::{Result, bail};

fn run_tiergate(arguments: &[&str]) -> Result<Option<i32>> {
    let binary = root().join("target/release/tiergate");
    Ok(steps::run(&mut command(&binary.to_string_lossy(), arguments))?.code())
}

pub(crate) fn run() -> Result<()> {
    must_run(&mut command("cargo", &["build", "--release", "--package", "tiergate"]))?;

    let measured = run_tiergate(&["run", "examples/text/base", "--save", "target/base.json"])?;
    if measured != Some(0) {
        bail!("the base could not be measured");
    }
    let measured = run_tiergate(&["run", "examples/text/head", "--save", "target/head.json"])?;
    if measured != Some(0) {
        bail!("the head could not be measured");
    }
    let compared = run_tiergate(&["compare", "target/base.json", "target/head.json"])?;
    if compared != Some(1) {
        bail!("the comparison should have found the planted regression (exit code 1)");
    }
    eprintln!(
        "\nExit code 1: `count words` is about 5 % slower in examples/text/head, as planted; \
         nothing else changed."
    );
    Ok(())
}
