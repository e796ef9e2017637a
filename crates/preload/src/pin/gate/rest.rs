//! Threads that wait where the gate can't see them run as they like, but the main thread waits for
//! them: before it looks for events, and in a window, where the counter sees its system calls, after
//! each by which it may have woken one. What they hand over is then there all at once, and not at any
//! time in between.

use super::helper::stage;
use super::{ESCAPED, helpers, patience};
use crate::system::{self, call};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// How long their rest is waited for: a thread that spins never rests.
const LONGEST: u64 = 2_000_000_000;

/// After so many times without success it is not waited for any more.
const TRIALS: u32 = 3;

/// So often must all of them be found at rest, one time after the other: one that was may have been
/// woken by one that was looked at later.
const LOOKS: u32 = 2;

static FAILURES: AtomicU32 = AtomicU32::new(0);

/// Waits until all threads outside of the gate sleep.
pub(in super::super) fn await_rest() {
    if FAILURES.load(Relaxed) >= TRIALS {
        return;
    }
    let mut at_rest = 0;
    let mut began = None;
    while at_rest < LOOKS {
        if all_sleep() {
            at_rest += 1;
            continue;
        }
        at_rest = 0;
        let now = system::real_monotonic();
        if now.saturating_sub(*began.get_or_insert(now)) > LONGEST {
            ESCAPED.fetch_add(1, Relaxed);
            FAILURES.fetch_add(1, Relaxed);
            return;
        }
        // SAFETY: the call takes no arguments.
        unsafe { call(libc::SYS_sched_yield, [0; 6]) };
    }
}

fn all_sleep() -> bool {
    helpers()
        .iter()
        .filter(|helper| helper.stage.load(Acquire) == stage::LOOSE)
        .map(|helper| helper.thread.load(Relaxed))
        // Without a number it has not begun yet.
        .all(|thread| thread != 0 && !patience::is_runnable(thread))
}
