//! The project's own commands: installations and builds.

use crate::CheckoutError;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What a failed command's log shows at most.
const SHOWN_BYTES: usize = 8_000;

/// A command of the shell in a folder of a side.
pub(crate) struct ProjectCommand<'a> {
    /// `the build` or `the installation`.
    pub(crate) what: &'static str,
    pub(crate) side: &'a str,
    pub(crate) command: &'a str,
    pub(crate) folder: &'a Path,
    /// Takes the output, which is shown only when the command fails.
    pub(crate) log: &'a Path,
    pub(crate) interrupted: &'a AtomicBool,
}

impl ProjectCommand<'_> {
    /// Runs it to its end, in a process group of its own that ends with an interruption.
    pub(crate) fn run(&self) -> Result<(), CheckoutError> {
        let log = || File::options().create(true).append(true).open(self.log);
        let _ = fs::remove_file(self.log);
        let sink = || log().map_err(CheckoutError::io("write", self.log));
        let mut child = Command::new("sh")
            .args(["-c", self.command])
            .current_dir(self.folder)
            .env("PATH", self.path())
            .stdin(Stdio::null())
            .stdout(sink()?)
            .stderr(sink()?)
            .process_group(0)
            .spawn()
            .map_err(CheckoutError::io("start", Path::new("sh")))?;
        let group = i32::try_from(child.id()).map(Pid::from_raw).ok();
        let status = loop {
            match child.try_wait().map_err(CheckoutError::io("wait for", Path::new("sh")))? {
                Some(status) => break status,
                None if self.interrupted.load(Ordering::Relaxed) => {
                    if let Some(group) = group {
                        let _ = killpg(group, Signal::SIGKILL);
                    }
                    let _ = child.wait();
                    return Err(CheckoutError::Interrupted("the project was built"));
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        if status.success() {
            return Ok(());
        }
        Err(CheckoutError::Command {
            what: self.what,
            side: self.side.to_owned(),
            command: self.command.to_owned(),
            ending: match status.code() {
                Some(code) => format!("ended with exit code {code}"),
                None => "was killed".to_owned(),
            },
        })
    }

    /// The end of what it printed.
    pub(crate) fn output(&self) -> Vec<u8> {
        let mut output = fs::read(self.log).unwrap_or_default();
        let surplus = output.len().saturating_sub(SHOWN_BYTES);
        output.drain(..surplus);
        output
    }

    /// The caller's, after the project's own programs.
    fn path(&self) -> std::ffi::OsString {
        let own = self.folder.join("node_modules").join(".bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(own).chain(std::env::split_paths(&path));
        std::env::join_paths(all).unwrap_or(path)
    }
}
