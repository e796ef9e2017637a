//! Running a program whose behaviour is not known yet: bounded in time and in output.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What is kept of each stream; a program that prints for ever must not fill the memory.
const KEPT_BYTES: usize = 64 * 1024;

/// How long to wait before looking again whether the program has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A program to run once.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    /// The whole environment: nothing is inherited.
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) directory: &'a Path,
    pub(crate) limit: Duration,
}

/// How a program ended and the beginnings of what it printed.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why there is no output.
pub(crate) enum RunError {
    /// It could not be started, or not be watched.
    Io(io::Error),
    /// It did not end in time, and was killed.
    TimedOut,
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<nix::Error> for RunError {
    fn from(error: nix::Error) -> Self {
        Self::Io(error.into())
    }
}

impl Output {
    /// How it ended, in words that follow "it".
    pub(crate) fn ending(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exited with code {code}"),
            (None, Some(number)) => match Signal::try_from(number) {
                Ok(signal) => format!("was killed by {signal}"),
                Err(_) => format!("was killed by signal {number}"),
            },
            (None, None) => "ended in an unknown way".to_owned(),
        }
    }
}

/// Runs the program to its end, or to its limit. Its process group is gone on return.
pub(crate) fn run(run: &Run<'_>) -> Result<Output, RunError> {
    let mut child = Command::new(run.program)
        .args(&run.arguments)
        .env_clear()
        .envs(run.variables.iter().map(|(name, value)| (name, value)))
        .current_dir(run.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let watched = watch(&mut child, Instant::now() + run.limit);
    // Before the child is reaped: until then its number, which is also the group's, is not reused.
    end_group(&child);
    let status = child.wait()?;
    let (stdout, stderr) = watched?;
    Ok(Output { status, stdout, stderr })
}

fn end_group(child: &Child) {
    if let Ok(group) = group_of(child) {
        // An error means that nobody is left in the group.
        let _ = killpg(group, Signal::SIGKILL);
    }
}

fn group_of(child: &Child) -> Result<Pid, RunError> {
    let number = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok(Pid::from_raw(number))
}

/// Collects both streams until the child has ended; what descendants print later is not awaited.
fn watch(child: &mut Child, deadline: Instant) -> Result<(String, String), RunError> {
    let pid = group_of(child)?;
    let mut streams = [
        Stream::new(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Pipe>)),
        Stream::new(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Pipe>)),
    ];
    loop {
        let ended = has_ended(pid)?;
        let wait = if ended { Duration::ZERO } else { LOOK_AGAIN };
        let read = read_ready(&mut streams, wait)?;
        if ended && !read {
            let [stdout, stderr] = streams;
            return Ok((stdout.text(), stderr.text()));
        }
        if Instant::now() >= deadline {
            return Err(RunError::TimedOut);
        }
    }
}

/// Whether the child has ended, without reaping it.
fn has_ended(pid: Pid) -> Result<bool, RunError> {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    Ok(!matches!(waitid(Id::Pid(pid), flags)?, WaitStatus::StillAlive))
}

trait Pipe: Read + AsFd {}
impl<T: Read + AsFd> Pipe for T {}

struct Stream {
    pipe: Option<Box<dyn Pipe>>,
    kept: Vec<u8>,
}

impl Stream {
    fn new(pipe: Option<Box<dyn Pipe>>) -> Self {
        Self { pipe, kept: Vec::new() }
    }

    fn text(self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

/// Waits for either stream and reads once from each that is ready; whether there was something.
fn read_ready(streams: &mut [Stream; 2], wait: Duration) -> Result<bool, RunError> {
    let timeout = PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO);
    let open: Vec<usize> = (0..streams.len()).filter(|at| streams[*at].pipe.is_some()).collect();
    if open.is_empty() {
        thread::sleep(wait);
        return Ok(false);
    }
    let ready: Vec<bool> = {
        let mut polled: Vec<PollFd<'_>> = streams
            .iter()
            .filter_map(|stream| stream.pipe.as_ref())
            .map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN))
            .collect();
        match poll(&mut polled, timeout) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        polled.iter().map(|one| one.any().unwrap_or(false)).collect()
    };
    let mut read = false;
    for (at, _) in open.into_iter().zip(ready).filter(|(_, ready)| *ready) {
        read |= streams[at].read_once()?;
    }
    Ok(read)
}

impl Stream {
    fn read_once(&mut self) -> Result<bool, RunError> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        let mut buffer = [0; 16 * 1024];
        let count = match pipe.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            result => result?,
        };
        let room = KEPT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&buffer[..count.min(room)]);
        if count == 0 {
            self.pipe = None;
        }
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Output, RunError> {
        run(&Run {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            variables: Vec::new(),
            directory: Path::new("/"),
            limit,
        })
    }

    fn ended(script: &str) -> Output {
        shell(script, Duration::from_secs(10)).ok().unwrap()
    }

    #[test]
    fn output_and_ending_are_collected() {
        let output = ended("echo out; echo err >&2; exit 3");
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\n", "err\n"));
        assert_eq!(output.ending(), "exited with code 3");
        assert_eq!(ended("kill -SEGV $$").ending(), "was killed by SIGSEGV");
    }

    #[test]
    fn a_program_that_never_ends_is_killed_with_its_children() {
        let begin = Instant::now();
        let result = shell("sleep 60 & sleep 60", Duration::from_millis(200));
        assert!(matches!(result, Err(RunError::TimedOut)));
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_child_left_behind_with_the_pipes_does_not_delay_the_answer() {
        let begin = Instant::now();
        assert_eq!(ended("sleep 60 & echo done").stdout, "done\n");
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn endless_output_is_cut_and_bounded() {
        let result = shell("while :; do echo yyyyyyyyyyyyyyyy; done", Duration::from_millis(300));
        assert!(matches!(result, Err(RunError::TimedOut)));
        let output = ended("head -c 1000000 /dev/zero | tr '\\0' x");
        assert_eq!(output.stdout.len(), KEPT_BYTES);
    }

    #[test]
    fn nothing_is_inherited() {
        assert!(!ended("export -p").stdout.contains("HOME="));
    }
}
