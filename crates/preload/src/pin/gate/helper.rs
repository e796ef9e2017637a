//! One helper thread's place in the gate, and how turns change hands.
//!
//! Invariants:
//! - Turn n is given through the words of n's parity. A wake that comes late belongs to the turn
//!   before, so it finds nobody at the other words: handing a turn over takes the same
//!   instructions whichever thread is faster.
//! - `turns` is written by the main thread only, while the helper is parked.

use crate::spent::own_time_ns;
use crate::system::{address, call};
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64};
use libc::{c_int, timespec};

/// Processor time that helpers have spent on handing turns over: it is the gate's, and nobody's work.
static PARKING_NS: AtomicU64 = AtomicU64::new(0);

/// No deadline.
pub(super) const NEVER: u64 = u64::MAX;

/// Who uses the place.
pub(super) mod stage {
    /// Nobody.
    pub(in super::super) const FREE: u32 = 0;
    /// A thread that runs as it likes; one whose name is not known yet.
    pub(in super::super) const LOOSE: u32 = 1;
    /// A thread that runs in turns.
    pub(in super::super) const GATED: u32 = 2;
}

/// A helper thread's place.
pub(super) struct Helper {
    pub(super) stage: AtomicU32,
    /// The kernel's number of the thread.
    pub(super) thread: AtomicI32,
    /// Turns given so far; the zeroth is the thread's own start.
    turns: AtomicU32,
    given: [AtomicU32; 2],
    returned: [AtomicU32; 2],
    /// Whether the last turn given has not been seen to return.
    pub(super) is_out: AtomicBool,
    /// Whether the main thread has lost patience with the turn that is out.
    pub(super) is_elsewhere: AtomicBool,
    /// When its wait runs out.
    pub(super) deadline: AtomicU64,
    /// Whether it waits for files rather than for threads.
    pub(super) waits_for_files: AtomicBool,
    /// The state of [`super::ACTIVITY`] when its last turn began.
    pub(super) seen_activity: AtomicU64,
    /// How many threads were made before it, plus one.
    pub(super) serial: AtomicU64,
    /// What the thread is to run, and with what.
    pub(super) start: AtomicPtr<c_void>,
    pub(super) argument: AtomicPtr<c_void>,
}

impl Helper {
    pub(super) const fn new() -> Self {
        Self {
            stage: AtomicU32::new(stage::FREE),
            thread: AtomicI32::new(0),
            turns: AtomicU32::new(0),
            given: [const { AtomicU32::new(0) }; 2],
            returned: [const { AtomicU32::new(0) }; 2],
            is_out: AtomicBool::new(false),
            is_elsewhere: AtomicBool::new(false),
            deadline: AtomicU64::new(NEVER),
            waits_for_files: AtomicBool::new(false),
            seen_activity: AtomicU64::new(0),
            serial: AtomicU64::new(0),
            start: AtomicPtr::new(ptr::null_mut()),
            argument: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Takes the place, if it is free.
    pub(super) fn take(&self) -> bool {
        let taken = self.stage.compare_exchange(stage::FREE, stage::LOOSE, AcqRel, Relaxed).is_ok();
        if taken {
            self.thread.store(0, Relaxed);
            self.turns.store(0, Relaxed);
            for word in self.given.iter().chain(&self.returned) {
                word.store(0, Relaxed);
            }
            self.is_elsewhere.store(false, Relaxed);
            self.seen_activity.store(0, Relaxed);
        }
        taken
    }

    /// From now on it runs in turns. The turn that the thread is in counts as given.
    pub(super) fn begin(&self) {
        self.is_out.store(true, Relaxed);
        self.stage.store(stage::GATED, Release);
    }

    pub(super) fn is_gated(&self) -> bool {
        self.stage.load(Acquire) == stage::GATED
    }

    /// The helper's side: ends its turn and waits for the next one.
    pub(super) fn park(&self, deadline: u64, waits_for_files: bool) {
        self.deadline.store(deadline, Relaxed);
        self.waits_for_files.store(waits_for_files, Relaxed);
        let before = own_time_ns();
        let turn = self.turns.load(Relaxed);
        set(&self.returned[parity(turn)]);
        let next = &self.given[parity(turn.wrapping_add(1))];
        while next.load(Acquire) == 0 {
            wait(next, None);
        }
        next.store(0, Relaxed);
        self.deadline.store(NEVER, Relaxed);
        PARKING_NS.fetch_add(own_time_ns().saturating_sub(before), Relaxed);
    }

    /// The helper's side: its thread ends.
    pub(super) fn leave(&self) {
        let turn = self.turns.load(Relaxed);
        self.stage.store(stage::FREE, Release);
        set(&self.returned[parity(turn)]);
    }

    /// The main thread's side: gives a parked helper its next turn.
    pub(super) fn give_turn(&self) {
        let turn = self.turns.load(Relaxed).wrapping_add(1);
        self.is_out.store(true, Relaxed);
        self.turns.store(turn, Relaxed);
        set(&self.given[parity(turn)]);
    }

    /// The main thread's side: waits for so long for the turn to return. The first call to the
    /// kernel is made in any case.
    pub(super) fn await_return(&self, limit: &timespec) -> bool {
        let word = &self.returned[parity(self.turns.load(Relaxed))];
        wait(word, Some(limit));
        self.has_returned()
    }

    /// Whether the turn that was out has returned.
    pub(super) fn has_returned(&self) -> bool {
        let word = &self.returned[parity(self.turns.load(Relaxed))];
        if word.load(Acquire) == 0 {
            return false;
        }
        word.store(0, Relaxed);
        self.is_out.store(false, Relaxed);
        self.is_elsewhere.store(false, Relaxed);
        true
    }
}

/// Processor time spent on handing turns over so far.
pub(crate) fn parking_ns() -> u64 {
    PARKING_NS.load(Relaxed)
}

fn parity(turn: u32) -> usize {
    usize::from(turn % 2 == 1)
}

fn set(word: &AtomicU32) {
    word.store(1, Release);
    // SAFETY: waking the waiters of a word changes no memory.
    unsafe { futex(word, libc::FUTEX_WAKE, 1, None) };
}

fn wait(word: &AtomicU32, limit: Option<&timespec>) {
    // SAFETY: the word and the time outlive the call.
    unsafe { futex(word, libc::FUTEX_WAIT, 0, limit) };
}

/// # Safety
/// As the kernel's documentation asks for.
unsafe fn futex(word: &AtomicU32, operation: c_int, value: u32, limit: Option<&timespec>) {
    let limit = limit.map_or(0, |limit| address(ptr::from_ref(limit)));
    let operation = operation | libc::FUTEX_PRIVATE_FLAG;
    let arguments = [address(word.as_ptr()), operation.into(), value.into(), limit, 0, 0];
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_futex, arguments) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_helper_runs_only_in_its_turns() {
        let helper = Arc::new(Helper::new());
        assert!(helper.take() && !helper.take());
        helper.begin();
        let steps = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::spawn({
            let (helper, steps) = (Arc::clone(&helper), Arc::clone(&steps));
            move || {
                for _ in 0..1000 {
                    helper.park(NEVER, false);
                    steps.fetch_add(1, Relaxed);
                }
                helper.leave();
            }
        });
        let second = timespec { tv_sec: 10, tv_nsec: 0 };
        for expected in 0..1000 {
            assert!(helper.await_return(&second));
            assert_eq!(steps.load(Relaxed), expected);
            helper.give_turn();
        }
        assert!(helper.await_return(&second));
        thread.join().unwrap();
        assert_eq!(steps.load(Relaxed), 1000);
        assert!(!helper.is_gated() && helper.take());
    }
}
