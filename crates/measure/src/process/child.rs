//! One engine process from start to certain end.

#![allow(unsafe_code, reason = "the child asks the kernel to end it with its parent, after fork")]

use super::activity::Activity;
use super::growth::Growth;
use super::output::{Drain, OutputSink};
use super::{Alias, orphans, pin, seed};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What to start.
#[derive(Debug, Clone)]
pub struct EngineCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// All of its environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// Its working directory.
    pub directory: PathBuf,
    /// Whether the kernel's random bytes for the program itself are replaced by constant ones.
    pub fixed_seed: bool,
    /// Whether its addresses are randomised, though they are not for others.
    pub random_addresses: bool,
    /// Where it sees all files a second time; its working directory is there then.
    pub alias: Option<Alias>,
}

/// Limits and listeners of one process.
#[derive(Clone)]
pub struct ProcessLimits<'a> {
    /// How long it may take.
    pub timeout: Duration,
    /// How long it may do nothing; `None` is for ever.
    pub idle: Option<Duration>,
    /// Where its own output goes; `None` keeps only the end of it.
    pub output: Option<OutputSink>,
    /// When it becomes true, the process is ended at once.
    pub interrupted: &'a AtomicBool,
    /// Files of which it is noted when they grow.
    pub watched: Vec<PathBuf>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with an exit code.
    Exited(i32),
    /// By a signal of its own making or of others.
    Signalled(i32),
    /// By this process, because its time was up.
    TimedOut,
    /// By this process, because it had done nothing for the time allowed.
    Stuck,
    /// By this process, because the run was interrupted.
    Interrupted,
}

/// A process that has ended.
#[derive(Debug, Clone)]
pub struct ProcessOutcome {
    /// How it ended.
    pub ending: Ending,
    /// Wall-clock seconds from start to end.
    pub seconds: f64,
    /// Whether the kernel's random bytes for it were replaced.
    pub fixed_seed: bool,
    /// The watched files' growth, in their order.
    pub growths: Vec<Growth>,
    /// The end of what it printed.
    pub output_tail: String,
}

/// A process that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("can't start `{program}`: {source}")]
pub struct SpawnError {
    program: String,
    source: io::Error,
}

/// How long a killed process's pipes may stay open.
const PIPE_GRACE: Duration = Duration::from_millis(500);

/// Starts the process, waits for its end or for the limit, and ends all that it left behind.
///
/// # Errors
/// When it can't be started.
pub fn run(
    command: &EngineCommand,
    limits: &ProcessLimits<'_>,
) -> Result<ProcessOutcome, SpawnError> {
    let fixed_seed = command.fixed_seed && seed::can_be_fixed();
    let random_addresses = command.random_addresses;
    let alias = command.alias.as_ref().map(|alias| alias.prepare(&command.directory));
    let fail = |source| SpawnError { program: command.program.display().to_string(), source };
    let alias = alias.transpose().map_err(fail)?;
    let mut prepared = Command::new(&command.program);
    prepared
        .args(&command.arguments)
        .env_clear()
        .envs(&command.environment)
        .current_dir(&command.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    // SAFETY: between fork and exec the closure makes system calls only, and touches no memory that
    // another thread could have left locked.
    unsafe {
        prepared.pre_exec(move || {
            // Orphans stay with their engine while it lives: they are nobody else's to end.
            nix::sys::prctl::set_child_subreaper(true)?;
            nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
            if let Some(alias) = &alias {
                alias.enter()?;
            }
            if random_addresses {
                pin::randomise_own_addresses()?;
            }
            if fixed_seed { seed::ask_to_be_held() } else { Ok(()) }
        });
    }

    let start = Instant::now();
    let mut child = orphans::register(|| prepared.spawn()).map_err(fail)?;
    if fixed_seed && let Err(error) = seed::fix_and_release(child.id()) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(fail(error));
    }
    let mut drain = Drain::new();
    if let Some(pipe) = child.stdout.take() {
        drain.add(pipe, limits.output.clone());
    }
    if let Some(pipe) = child.stderr.take() {
        drain.add(pipe, limits.output.clone());
    }

    let mut activity = Activity::new(child.id());
    let mut growths: Vec<Growth> = limits.watched.iter().cloned().map(Growth::of).collect();
    let ending = loop {
        growths.iter_mut().for_each(|growth| growth.look(start.elapsed()));
        match child.try_wait() {
            Ok(Some(status)) => break Ending::of(status),
            Ok(None) => {}
            Err(source) => return Err(fail(source)),
        }
        let elapsed = start.elapsed();
        let stop = if limits.interrupted.load(Ordering::Relaxed) {
            Some(Ending::Interrupted)
        } else if elapsed > limits.timeout {
            Some(Ending::TimedOut)
        } else if limits.idle.is_some_and(|idle| activity.idle_time(elapsed) > idle) {
            Some(Ending::Stuck)
        } else {
            None
        };
        if let Some(ending) = stop {
            let _ = child.kill();
            let _ = child.wait();
            break ending;
        }
        // Fine steps for the many short processes, coarse ones so that long ones are left alone.
        let step = if elapsed < Duration::from_millis(200) { 1 } else { 5 };
        thread::sleep(Duration::from_millis(step));
    };
    let seconds = start.elapsed().as_secs_f64();
    growths.iter_mut().for_each(|growth| growth.look(start.elapsed()));
    orphans::end(child.id());
    let output_tail = drain.finish(PIPE_GRACE);
    Ok(ProcessOutcome { ending, seconds, output_tail, growths, fixed_seed })
}

impl Ending {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or(0)),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(formatter, "ended with exit code {code}"),
            Self::Signalled(number) => match nix::sys::signal::Signal::try_from(*number) {
                Ok(signal) => write!(formatter, "was killed by {signal}"),
                Err(_) => write!(formatter, "was killed by signal {number}"),
            },
            Self::Stuck => formatter.write_str("was stopped because it did nothing any more"),
            Self::TimedOut => formatter.write_str("was stopped at its time limit"),
            Self::Interrupted => formatter.write_str("was interrupted"),
        }
    }
}
