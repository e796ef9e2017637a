//! What a gate costs, beside counting the same benches with callgrind.

use super::change::Change;
use super::project::{Project, cpu_seconds_of_children};
use crate::setup;
use crate::steps::root;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Repeats of each side under callgrind.
const REPEATS: &str = "5";

/// Gates a change of the README with the counter, and runs the suite once for either side with
/// callgrind, with the same ops.
pub(super) fn run(project: &Project, binary: &Path, filter: &[String]) -> Result<()> {
    setup::valgrind()?;
    Change::Readme.apply(&project.folder, 0)?;
    let gated =
        project.gate(binary, &[filter, &["--instrument".into(), "counter".into()]].concat())?;
    let (start, cpu) = (Instant::now(), cpu_seconds_of_children()?);
    let status = Command::new(binary)
        .args(["run", "--instrument", "callgrind", "--repeats", REPEATS, "--jobs", "2"])
        .args(filter)
        .current_dir(&project.folder)
        .env("TIERGATE_ENGINES", root().join("tests"))
        .stdout(Stdio::null())
        .status()
        .context("can't run tiergate")?;
    if !matches!(status.code(), Some(0 | 3)) {
        bail!("the suite could not be run with callgrind: {status}");
    }
    // Base costs what head does.
    let seconds = 2.0 * start.elapsed().as_secs_f64();
    let cpu_seconds = 2.0 * (cpu_seconds_of_children()? - cpu);
    println!(
        "\n| {} benches, base and head | seconds | CPU seconds | readings |",
        gated.rows.len()
    );
    println!("|---|--:|--:|--:|");
    println!(
        "| gate with the counter | {:.0} | {:.0} | {} taken, {} saved |",
        gated.seconds, gated.cpu_seconds, gated.spent, gated.saved
    );
    let readings = 2 * 5 * gated.rows.len();
    println!(
        "| callgrind, {REPEATS} repeats a side | {seconds:.0} | {cpu_seconds:.0} | {readings} taken |"
    );
    println!("\ncallgrind takes {:.0} times the CPU", cpu_seconds / gated.cpu_seconds);
    Ok(())
}
