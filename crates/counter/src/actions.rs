//! What the program has asked to happen on each signal.
//!
//! Invariant: while a window is open, the kernel knows this crate's handler for every signal that the program handles, and
//! for the three that the counter itself needs; the program's own action is kept here and given back at the end. The
//! table is written by the measured thread only and read by handlers in all threads.
#![allow(clippy::cast_sign_loss, reason = "signal numbers are small and positive")]

use crate::sys::{self, SigAction};
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

/// Signals are numbered from 1 to below this.
pub(crate) const SIGNAL_END: i32 = 65;
const SIGNALS: usize = SIGNAL_END as usize;

/// Signals that must never be blocked in the measured thread: guarded pages fault, steps trap, writers kick.
pub(crate) fn needed(kick: i32) -> u64 {
    bit(libc::SIGSEGV) | bit(libc::SIGTRAP) | if kick > 0 { bit(kick) } else { 0 }
}

pub(crate) const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

struct Entry {
    handler: AtomicU64,
    flags: AtomicU64,
    restorer: AtomicU64,
    mask: AtomicU64,
}

pub(crate) struct Actions {
    entries: [Entry; SIGNALS],
}

pub(crate) static ACTIONS: Actions = Actions {
    entries: [const {
        Entry {
            handler: AtomicU64::new(0),
            flags: AtomicU64::new(0),
            restorer: AtomicU64::new(0),
            mask: AtomicU64::new(0),
        }
    }; SIGNALS],
};

const SA_RESTORER: u64 = 0x0400_0000;

impl Actions {
    pub(crate) fn get(&self, signal: i32) -> SigAction {
        let e = &self.entries[signal as usize];
        SigAction {
            handler: e.handler.load(Acquire),
            flags: e.flags.load(Acquire),
            restorer: e.restorer.load(Acquire),
            mask: e.mask.load(Acquire),
        }
    }

    pub(crate) fn set(&self, signal: i32, action: &SigAction) {
        let e = &self.entries[signal as usize];
        e.flags.store(action.flags, Release);
        e.restorer.store(action.restorer, Release);
        e.mask.store(action.mask, Release);
        e.handler.store(action.handler, Release);
    }

    /// Takes over all actions; returns the signal to kick the measured thread with, one the program doesn't use.
    pub(crate) fn take_over(&self, handler: u64, restorer: u64) -> Option<i32> {
        let mut kick = None;
        for signal in 1..SIGNAL_END {
            if let Some(action) = sys::sig_action(signal, None) {
                // Left from an earlier window: the program's own is here already.
                if action.handler != handler {
                    self.set(signal, &action);
                }
                if action.handler == SIG_DFL && signal >= FIRST_FREE_SIGNAL {
                    kick = Some(signal);
                }
            }
        }
        let kick = kick?;
        for signal in 1..SIGNAL_END {
            let action = self.get(signal);
            if is_handler(&action) || needed(kick) & bit(signal) != 0 {
                sys::sig_action(signal, Some(&ours(signal, kick, &action, handler, restorer)));
            }
        }
        Some(kick)
    }

    /// Gives all actions back but that of `SIGSEGV`, for faults still on their way. Returns false when somebody has
    /// changed an action behind the counter's back.
    pub(crate) fn give_back(&self, handler: u64, kick: i32) -> bool {
        let mut intact = true;
        for signal in 1..SIGNAL_END {
            let action = self.get(signal);
            let Some(current) = sys::sig_action(signal, None) else {
                continue;
            };
            if !is_handler(&action) && needed(kick) & bit(signal) == 0 {
                intact &= !is_handler(&current);
                continue;
            }
            if current.handler != handler {
                intact = false;
            } else if signal != libc::SIGSEGV {
                sys::sig_action(signal, Some(&action));
            }
        }
        intact
    }
}

pub(crate) const SIG_DFL: u64 = 0;
/// Real-time signals from here on are free for programs; libc uses those before.
const FIRST_FREE_SIGNAL: i32 = 36;

pub(crate) fn is_handler(action: &SigAction) -> bool {
    action.handler > 1
}

/// The action that the kernel is to have in place of `program`'s.
pub(crate) fn ours(
    signal: i32,
    kick: i32,
    program: &SigAction,
    handler: u64,
    restorer: u64,
) -> SigAction {
    let kept =
        (libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NOCLDSTOP | libc::SA_NOCLDWAIT) as u64;
    let own = (libc::SA_SIGINFO) as u64 | SA_RESTORER;
    let flags = if needed(kick) & bit(signal) != 0 {
        (libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART) as u64
    } else {
        program.flags & kept
    };
    SigAction {
        handler,
        flags: flags | own,
        restorer,
        // The handler is not to be interrupted, except by the faults and steps it may cause itself.
        mask: !(bit(libc::SIGSEGV)
            | bit(libc::SIGTRAP)
            | bit(libc::SIGBUS)
            | bit(libc::SIGILL)
            | bit(libc::SIGFPE)),
    }
}
