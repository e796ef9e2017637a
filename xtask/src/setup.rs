//! Installing what the demo and the tests need, and saying what is installed.

use crate::steps::{command, is_installed, must_run, root};
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs Valgrind from the distribution's packages, where it is missing and may be installed.
pub(crate) fn valgrind() -> Result<()> {
    if is_installed("valgrind") {
        return Ok(());
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root || !is_installed("apt-get") {
        bail!(
            "Valgrind is needed and missing: install it with your distribution's package manager, \
             for example `sudo apt-get install valgrind`"
        );
    }
    eprintln!("Valgrind is missing; installing the package `valgrind`");
    must_run(&mut command("apt-get", &["update", "-qq"]))?;
    must_run(&mut command("apt-get", &["install", "-y", "-qq", "valgrind"]))
}

/// Installs the pinned engines and frameworks below `tests/node_modules`, unless that was done for
/// this very lock file.
pub(crate) fn engines() -> Result<()> {
    let tests = root().join("tests");
    let lock = fs::read(tests.join("package-lock.json"))?;
    let marker = tests.join("node_modules/.tiergate-installed");
    if fs::read(&marker).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    eprintln!(
        "installing the engines and frameworks that {} pins (about 1 GB)",
        Path::new("tests/package-lock.json").display()
    );
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    must_run(command("npm", &install).current_dir(&tests))?;
    Ok(fs::write(marker, lock)?)
}
