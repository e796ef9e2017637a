//! Running programs, and saying so.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// A command in the workspace's root.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Shows and runs a command.
pub(crate) fn run(command: &mut Command) -> Result<ExitStatus> {
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let line = words.join(" ");
    eprintln!("\n$ {line}");
    command.status().with_context(|| format!("can't run `{line}`"))
}

/// Runs a command that must succeed.
pub(crate) fn must_run(command: &mut Command) -> Result<()> {
    let status = run(command)?;
    if !status.success() {
        bail!("the command above failed: {status}");
    }
    Ok(())
}

/// Whether a program is in `PATH` and answers to `--version`.
pub(crate) fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
