//! The virtual clock: time is a function of how often it was read and of what was waited for.
//!
//! Invariants:
//! - A reading by the main thread advances the clock by one step, so time never stands still in a
//!   loop that waits for it, and the n-th reading is the same in every run.
//! - Other threads read without moving the main thread's clock: each is ahead of it by its own
//!   steps. What they read never goes back.
//! - Real and monotonic time differ by a constant.

use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SECOND: u64 = 1_000_000_000;

/// What one reading takes: about as long as the work between two readings of an engine.
const STEP: u64 = 1_000;

/// Monotonic time at the process's start: zero would look like "not set".
const MONOTONIC_START: u64 = 1_000 * SECOND;

/// Real time at the process's start: 2026-01-01T00:00:00Z.
const REAL_START: u64 = 1_767_225_600 * SECOND;

/// A deadline before it is one of monotonic time, a later one is one of real time: neither clock
/// comes near it.
const BETWEEN: u64 = REAL_START / 2;

/// A clock whose time has two parts, because processor time stands still in a wait.
pub(super) struct VirtualClock {
    read: AtomicU64,
    waited: AtomicU64,
}

/// The process's clock.
pub(super) static CLOCK: VirtualClock = VirtualClock::new();

std::thread_local! {
    /// How far a helper thread's time has come; it never falls behind the main thread's.
    static HELPER_TIME: Cell<u64> = const { Cell::new(0) };
}

impl VirtualClock {
    const fn new() -> Self {
        Self { read: AtomicU64::new(0), waited: AtomicU64::new(0) }
    }

    /// Nanoseconds since the start, without a reading's step.
    pub(super) fn now(&self) -> u64 {
        self.read.load(Relaxed) + self.waited.load(Relaxed)
    }

    /// The main thread's reading.
    fn read(&self) -> u64 {
        // Only the main thread writes, so this needs no atomic addition.
        self.read.store(self.read.load(Relaxed) + STEP, Relaxed);
        self.now()
    }

    /// Moves the time to `then`, if it has not passed yet.
    pub(super) fn advance_to(&self, then: u64) {
        let ahead = then.saturating_sub(self.now());
        self.waited.fetch_add(ahead, Relaxed);
    }

    fn processor_time(&self) -> u64 {
        self.read.store(self.read.load(Relaxed) + STEP, Relaxed);
        self.read.load(Relaxed)
    }
}

/// The time since the start as the calling thread reads it.
pub(super) fn read(is_main: bool) -> u64 {
    if is_main {
        return CLOCK.read();
    }
    HELPER_TIME.with(|own| {
        let time = own.get().max(CLOCK.now()) + STEP;
        own.set(time);
        time
    })
}

/// What the calling thread has used of a processor.
pub(super) fn processor_time(is_main: bool) -> u64 {
    if is_main { CLOCK.processor_time() } else { read(is_main) }
}

/// The main thread's time, without a reading's step.
pub(super) fn shared_now() -> u64 {
    CLOCK.now()
}

/// The calling thread's time, without a reading's step.
pub(super) fn now(is_main: bool) -> u64 {
    let shared = CLOCK.now();
    if is_main { shared } else { HELPER_TIME.with(|own| own.get().max(shared)) }
}

/// A wait of the calling thread has run out.
pub(super) fn wait_ended(is_main: bool, deadline: u64) {
    if is_main {
        CLOCK.advance_to(deadline);
    } else {
        HELPER_TIME.with(|own| own.set(own.get().max(deadline)));
    }
}

/// The value of one of the system's clocks in nanoseconds; `None` for clocks that are not pinned.
pub(super) fn value(clock: libc::clockid_t, is_main: bool) -> Option<u64> {
    match clock {
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => Some(MONOTONIC_START + read(is_main)),
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            Some(REAL_START + read(is_main))
        }
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => {
            Some(processor_time(is_main))
        }
        _ => None,
    }
}

/// Nanoseconds since the start of an absolute deadline on either clock.
pub(super) fn since_start(deadline: u64) -> u64 {
    let start = if deadline < BETWEEN { MONOTONIC_START } else { REAL_START };
    deadline.saturating_sub(start)
}

/// Nanoseconds of a valid time; invalid ones are the kernel's to refuse.
pub(super) fn nanoseconds(time: &libc::timespec) -> Option<u64> {
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let rest = u64::try_from(time.tv_nsec).ok().filter(|rest| *rest < SECOND)?;
    Some(seconds.saturating_mul(SECOND).saturating_add(rest))
}

/// The same time in libc's form.
pub(super) fn timespec(nanoseconds: u64) -> libc::timespec {
    let part = |value| i64::try_from(value).unwrap_or(i64::MAX);
    libc::timespec { tv_sec: part(nanoseconds / SECOND), tv_nsec: part(nanoseconds % SECOND) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_is_later_by_one_step() {
        let clock = VirtualClock::new();
        assert_eq!([clock.read(), clock.read(), clock.read()], [STEP, 2 * STEP, 3 * STEP]);
        assert_eq!(clock.now(), 3 * STEP);
    }

    #[test]
    fn a_wait_moves_time_forward_only_and_costs_no_processor_time() {
        let clock = VirtualClock::new();
        clock.read();
        clock.advance_to(5 * SECOND);
        assert_eq!(clock.now(), 5 * SECOND);
        clock.advance_to(SECOND);
        assert_eq!(clock.now(), 5 * SECOND);
        assert_eq!(clock.processor_time(), 2 * STEP);
    }

    #[test]
    fn helpers_are_never_behind_and_never_go_back() {
        let first = read(false);
        assert_eq!(read(false), first + STEP);
        wait_ended(false, first + SECOND);
        assert_eq!(read(false), first + SECOND + STEP);
        wait_ended(false, first);
        assert_eq!(now(false), first + SECOND + STEP);
    }

    #[test]
    fn deadlines_of_both_clocks_mean_the_same_moment() {
        assert_eq!(since_start(MONOTONIC_START + 7), 7);
        assert_eq!(since_start(REAL_START + 7), 7);
        assert_eq!(since_start(3), 0);
    }

    #[test]
    fn times_are_converted_without_loss_and_bad_ones_refused() {
        let nanos = 12 * SECOND + 34;
        assert_eq!(nanoseconds(&timespec(nanos)), Some(nanos));
        let bad = |tv_sec, tv_nsec| nanoseconds(&libc::timespec { tv_sec, tv_nsec });
        assert_eq!([bad(-1, 0), bad(0, -1), bad(0, 1_000_000_000)], [None; 3]);
    }
}
