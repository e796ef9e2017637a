//! Installing what the demo and the tests need, and saying what is installed.

use crate::steps::{command, is_installed, must_run, root};
use anyhow::{Result, bail};
use std::fs;
use std::process::Command;

/// Installs Valgrind from the distribution's packages, where it is missing and may be installed.
pub(crate) fn valgrind() -> Result<()> {
    if is_installed("valgrind") || installed_package("valgrind")? {
        return Ok(());
    }
    bail!(
        "Valgrind is needed and missing: install it with your distribution's package manager, \
         for example `sudo apt-get install valgrind`"
    )
}

/// Installs what the tests of the HTML report need: a browser, where that is missing and may be
/// installed, and what drives it. Without a browser the tests say that they are skipped.
pub(crate) fn browser() -> Result<()> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let is_there = names.into_iter().any(is_installed)
        // Not every distribution has it under this name.
        || installed_package("chromium").unwrap_or(false);
    if !is_there {
        eprintln!(
            "Chromium is missing and can't be installed here: the tests of the HTML report will \
             be skipped; `sudo apt-get install chromium` gives you the browser"
        );
    }
    packages("tests/page", "what drives the browser in tests")
}

/// Installs one of the distribution's packages, where that is allowed.
fn installed_package(name: &str) -> Result<bool> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !is_root || !is_installed("apt-get") {
        return Ok(false);
    }
    eprintln!("installing the package `{name}`");
    must_run(&mut command("apt-get", &["update", "-qq"]))?;
    must_run(&mut command("apt-get", &["install", "-y", "-qq", name]))?;
    Ok(true)
}

/// Installs the programs that are run whole, unless that was done for this very lock file.
pub(crate) fn programs() -> Result<()> {
    packages("tests/programs", "the programs that are run whole")
}

/// Installs the packages whose own test suites are run whole.
pub(crate) fn package_suites() -> Result<()> {
    packages("tests/packages", "the packages whose test suites are run whole")
}

/// Installs the libraries of the project that is gated.
pub(crate) fn gates() -> Result<()> {
    packages("tests/gates", "the libraries of the project that is gated")
}

/// Installs what checks the workflows of CIs.
pub(crate) fn workflows() -> Result<()> {
    packages("tests/workflows", "what checks the workflows of CIs")
}

/// Installs the pinned engines and frameworks below `tests/node_modules`.
pub(crate) fn engines() -> Result<()> {
    packages("tests", "the engines and frameworks (about 1 GB)")
}

/// Installs the packages that a folder's lock file pins, unless that was done for this very file.
fn packages(folder: &str, what: &str) -> Result<()> {
    let path = root().join(folder);
    let lock = fs::read(path.join("package-lock.json"))?;
    let marker = path.join("node_modules/.tiergate-installed");
    if fs::read(&marker).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    eprintln!("installing {what}, as {folder}/package-lock.json pins them");
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    must_run(command("npm", &install).current_dir(&path))?;
    Ok(fs::write(marker, lock)?)
}
