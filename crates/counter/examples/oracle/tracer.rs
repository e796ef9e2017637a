//! Follows a process to the copy that it makes for a tracer, and steps through that.

use crate::oracle::Counts;
use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// First argument of the driver's forks: of the copy that makes the others, and of the one to step through.
const SOURCE: u64 = 0x7469_6572_6761_7465;
const STEPPED: u64 = SOURCE + 1;

/// The end of the window, and code that isn't the program's.
struct Window {
    gate: u64,
    own: std::ops::Range<u64>,
}

/// Runs the command to its end; the executions of each address in its window.
pub(crate) fn step_through_window(mut command: Command) -> io::Result<Counts> {
    // SAFETY: only a system call between fork and exec.
    unsafe { command.pre_exec(|| Ok(ptrace::traceme()?)) };
    let child = command.spawn()?;
    let main = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    waitpid(main, None)?;
    ptrace::setoptions(main, Options::PTRACE_O_TRACEFORK | Options::PTRACE_O_EXITKILL)?;
    ptrace::cont(main, None)?;
    let mut counts = None;
    // Copies that have stopped at their start before their makers told of them.
    let mut early = HashSet::new();
    let mut known = HashSet::from([main]);
    loop {
        match waitpid(None, Some(WaitPidFlag::__WALL))? {
            WaitStatus::PtraceEvent(maker, _, event)
                if event == Event::PTRACE_EVENT_FORK as i32 =>
            {
                let copy = i32::try_from(ptrace::getevent(maker)?).map_err(io::Error::other)?;
                let copy = Pid::from_raw(copy);
                if !early.remove(&copy) {
                    waitpid(copy, Some(WaitPidFlag::__WALL))?;
                }
                let r = ptrace::getregs(maker)?;
                match r.rdi {
                    STEPPED => {
                        let window = Window { gate: r.rsi, own: r.rdx..r.r10 };
                        counts = Some(step(copy, &window)?);
                        ptrace::kill(copy)?;
                    }
                    SOURCE => {
                        known.insert(copy);
                        ptrace::cont(copy, None)?;
                    }
                    _ => ptrace::detach(copy, None)?,
                }
                ptrace::cont(maker, None)?;
            }
            WaitStatus::Stopped(pid, Signal::SIGSTOP) if !known.contains(&pid) => {
                early.insert(pid);
            }
            WaitStatus::Stopped(pid, signal) => ptrace::cont(pid, signal)?,
            WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, _, _) if pid == main => break,
            _ => {}
        }
    }
    counts.ok_or_else(|| io::Error::other("the window was not reached"))
}

/// Steps from the copy's start to the end of the window.
fn step(pid: Pid, window: &Window) -> io::Result<Counts> {
    let mut counts = Counts::new();
    let mut last = 0;
    let mut repeating = HashMap::<u64, bool>::new();
    let mut signal = None;
    loop {
        let pc = ptrace::getregs(pid)?.rip;
        if pc == window.gate {
            return Ok(counts);
        }
        let again = pc == last && *repeating.entry(pc).or_insert_with(|| repeats(pid, pc));
        if !window.own.contains(&pc) && !again {
            *counts.entry(pc).or_default() += 1;
        }
        last = pc;
        ptrace::step(pid, signal.take())?;
        match waitpid(pid, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, other) => signal = Some(other),
            other => {
                return Err(io::Error::other(format!("the window ended early: {other:?}")));
            }
        }
    }
}

/// Whether a string instruction with a repeat prefix is at `pc`.
fn repeats(pid: Pid, pc: u64) -> bool {
    let Ok(word) = ptrace::read(pid, pc as ptrace::AddressType) else {
        return false;
    };
    let mut repeat = false;
    for byte in word.to_le_bytes() {
        match byte {
            0xf2 | 0xf3 => repeat = true,
            0x66 | 0x67 | 0x2e | 0x3e | 0x64 | 0x40..=0x4f => {}
            0xa4..=0xa7 | 0xaa..=0xaf => return repeat,
            _ => return false,
        }
    }
    false
}
