//! The counter proved at work: a known loop, counted and single-stepped. A counter that is off by
//! one instruction, or that this machine's settings break, is found before it is believed.

#![allow(unsafe_code, reason = "a loop of known instructions, and a child that asks to be traced")]

use super::Counter;
use crate::Fault;
use crate::harness::Harness;
use crate::instrument::{Instrument, Perf};
use crate::marks::MarkReport;
use nix::sys::ptrace;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::{env, io};
use tiergate_protocol::{environment, shape};

/// The hidden argument with which this binary runs the loop instead of its command line.
pub const LOOP_ARGUMENT: &str = "__counted-loop";

/// Rounds of the two loops that are compared. The difference between them cancels what happens
/// around a loop.
const ROUNDS: [u64; 2] = [1_000, 3_000];

/// The same for hardware counters, which also count an instruction for some interrupts.
const ROUNDS_HARDWARE: [u64; 2] = [1_000_000, 3_000_000];
/// How far they may be off: far more than any that works, far less than one that does not.
const TOLERANCE_HARDWARE: u64 = 100;

/// Instructions of one round: a decrement and a jump.
const INSTRUCTIONS_PER_ROUND: u64 = 2;

/// The counter does not count what it should.
#[derive(Debug, thiserror::Error)]
pub enum SelfCheckError {
    /// The loop could not be run.
    #[error("the loop could not be run: {0}")]
    Run(#[from] io::Error),
    /// The counter gave no count.
    #[error("no count of the loop: {0}")]
    NoCount(String),
    /// The kernel's counter is off.
    #[error("a loop of {expected} instructions is counted as {counted}")]
    Off {
        /// By construction.
        expected: u64,
        /// By the hardware counter.
        counted: u64,
    },
    /// The counts differ.
    #[error(
        "the loop has {expected} instructions, single-stepping shows {stepped}, the counter says {counted}"
    )]
    Differs {
        /// By construction.
        expected: u64,
        /// By the processor's trap flag.
        stepped: u64,
        /// By the counter.
        counted: u64,
    },
}

/// Runs a loop between two marks; for the process that is started with [`LOOP_ARGUMENT`].
pub fn counted_loop(rounds: u64) {
    // The linker resolves `getppid` and `kill` to the preloaded library where that is in use.
    let _ = nix::sys::signal::kill(Pid::from_raw(0), None);
    let _ = nix::unistd::getppid();
    // SAFETY: the loop changes one register and the flags.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds.max(1) => _, options(nostack));
    }
    // SAFETY: likewise.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!("2: dec {0}", "jnz 2b", inout(reg) rounds.max(1) => _, options(nostack));
    }
    let _ = nix::unistd::getppid();
}

/// Counts the loop only: whether the counter works in a process that this one starts.
///
/// # Errors
/// When it does not, or counts wrongly.
pub fn counts_known_loop(counter: &Counter, harness: &Harness) -> Result<(), SelfCheckError> {
    let program = env::current_exe()?;
    let counted = counted(&program, harness, counter, ROUNDS)?;
    let expected = expected(ROUNDS);
    if counted == expected {
        Ok(())
    } else {
        Err(SelfCheckError::Differs { expected, stepped: expected, counted })
    }
}

/// Counts the loop with the processor's counter: whether that works in a process that this one
/// starts, and is a counter and not a pretence of one. The number of instructions that was checked.
///
/// # Errors
/// When it does not, or counts wrongly.
pub fn perf_counts_known_loop(perf: &Perf, harness: &Harness) -> Result<u64, SelfCheckError> {
    let program = env::current_exe()?;
    let counted = counted(&program, harness, perf, ROUNDS_HARDWARE)?;
    let expected = expected(ROUNDS_HARDWARE);
    if counted.abs_diff(expected) <= expected / TOLERANCE_HARDWARE {
        Ok(expected)
    } else {
        Err(SelfCheckError::Off { expected, counted })
    }
}

fn expected([few, many]: [u64; 2]) -> u64 {
    (many - few) * INSTRUCTIONS_PER_ROUND
}

fn counted(
    program: &Path,
    harness: &Harness,
    instrument: &dyn Instrument,
    [few, many]: [u64; 2],
) -> Result<u64, SelfCheckError> {
    let many = count(program, harness, instrument, many)?;
    Ok(many.wrapping_sub(count(program, harness, instrument, few)?))
}

/// Counts and single-steps the loop, and compares both with what it is made of. The number of
/// instructions that was checked.
///
/// # Errors
/// When they differ, or there is no count.
pub fn self_check(counter: &Counter, harness: &Harness) -> Result<u64, SelfCheckError> {
    let program = env::current_exe()?;
    let [few, many] = ROUNDS;
    let counted = counted(&program, harness, counter, ROUNDS)?;
    let stepped = step(&program, many)?.wrapping_sub(step(&program, few)?);
    let expected = expected(ROUNDS);
    if counted == expected && stepped == expected {
        Ok(expected)
    } else {
        Err(SelfCheckError::Differs { expected, stepped, counted })
    }
}

fn command(program: &Path, rounds: u64) -> Command {
    let mut command = Command::new(program);
    command.arg(LOOP_ARGUMENT).arg(rounds.to_string()).env_clear();
    command
}

fn count(
    program: &Path,
    harness: &Harness,
    instrument: &dyn Instrument,
    rounds: u64,
) -> Result<u64, SelfCheckError> {
    let no_count = |reason: String| SelfCheckError::NoCount(reason);
    let preload = harness.preload.as_ref().ok_or_else(|| no_count("no library".to_owned()))?;
    let scratch = tempfile::tempdir()?;
    let report = scratch.path().join("marks");
    let status = command(program, rounds)
        .env("LD_PRELOAD", preload)
        .env(environment::REPORT, &report)
        .env(environment::INSTRUMENT, instrument.preload_name())
        .env(environment::SHAPE, shape::SPAN)
        .env(environment::MARKS, "2")
        .env(environment::SECTIONS, "1")
        .status()?;
    if !status.success() {
        return Err(no_count(status.to_string()));
    }
    let in_words = |fault: Fault| match fault {
        Fault::Instrument { fault, .. } => no_count(fault),
        other => no_count(other.to_string()),
    };
    let report = MarkReport::read(&report).map_err(in_words)?;
    let counts = instrument.section_counts(scratch.path(), &report).map_err(in_words)?;
    counts.first().copied().ok_or_else(|| no_count("the window was not closed".to_owned()))
}

/// Instructions between the first and the second `getppid` of the child, marks included.
fn step(program: &Path, rounds: u64) -> Result<u64, SelfCheckError> {
    let mut command = command(program, rounds);
    // SAFETY: between fork and exec the closure makes one system call.
    unsafe { command.pre_exec(|| ptrace::traceme().map_err(io::Error::from)) };
    let child = command.spawn()?;
    let child = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    // The stop after exec.
    waitpid(child, None).map_err(io::Error::from)?;
    let mut calls = 0;
    while calls < 2 {
        // A system call stops twice: before and after it.
        ptrace::syscall(child, None).map_err(io::Error::from)?;
        stopped(child)?;
        if is_getppid(child)? {
            calls += 1;
        }
    }
    let mut steps = 0;
    loop {
        ptrace::step(child, None).map_err(io::Error::from)?;
        stopped(child)?;
        steps += 1;
        if is_about_to_call(child)? {
            break;
        }
    }
    let _ = ptrace::kill(child);
    let _ = waitpid(child, None);
    Ok(steps)
}

fn stopped(child: Pid) -> io::Result<()> {
    match waitpid(child, None)? {
        WaitStatus::Stopped(..) => Ok(()),
        other => Err(io::Error::other(format!("the traced loop ended: {other:?}"))),
    }
}

#[cfg(target_arch = "x86_64")]
fn is_getppid(child: Pid) -> io::Result<bool> {
    const GETPPID: u64 = 110;
    Ok(ptrace::getregs(child)?.orig_rax == GETPPID)
}

/// Whether the next instruction is a system call.
#[cfg(target_arch = "x86_64")]
fn is_about_to_call(child: Pid) -> io::Result<bool> {
    const SYSCALL: i64 = 0x050f;
    let at = ptrace::getregs(child)?.rip;
    let code = ptrace::read(child, at as ptrace::AddressType)?;
    Ok(code & 0xffff == SYSCALL)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_getppid(_child: Pid) -> io::Result<bool> {
    Err(io::Error::other("the counter is for x86-64"))
}

#[cfg(not(target_arch = "x86_64"))]
fn is_about_to_call(_child: Pid) -> io::Result<bool> {
    Err(io::Error::other("the counter is for x86-64"))
}
