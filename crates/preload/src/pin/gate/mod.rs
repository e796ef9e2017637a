//! The thread gate: helper threads run only while the main thread waits, one at a time, in the
//! order in which they were made. What they take off the main thread, and what they hand to it, is
//! then the same in every run.
//!
//! A helper is parked inside the functions that wait (conditions, semaphores, epoll and its kin,
//! sleeps, joins); it takes the end of its park for a wake-up without cause, which all of them
//! allow, and looks again for what it waits for. When all helpers are parked and nothing more
//! comes of it, time passes: the virtual clock moves to the first deadline of any thread.
//!
//! Invariants:
//! - At most one gated helper runs, and only inside [`MainWait::let_helpers_run`].
//! - A helper that does not come back to a wait of ours (it blocks in the kernel, or runs for
//!   longer than anyone waits) is left to run as it likes until it does; such turns are counted.
//! - The clock moves to a deadline only while every helper is parked and no other process or
//!   machine can send something; otherwise waits take real time.

mod helper;
mod main_wait;
mod outside;
mod patience;
mod rest;
mod threads;

pub(crate) use helper::parking_ns;
pub(super) use main_wait::{MainWait, Next};
pub(super) use outside::note_connection;
pub(super) use rest::await_rest;
pub(super) use threads::{has_names, on_name, prepare};

use super::{Pin, clock, is_main};
use crate::system;
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use helper::Helper;

/// Places for helper threads. A thread that finds none runs as it likes.
const PLACES: usize = 128;

static HELPERS: [Helper; PLACES] = [const { Helper::new() }; PLACES];

/// The highest place that was ever in use, plus one.
static USED: AtomicU32 = AtomicU32::new(0);

/// Counts what may end another thread's wait.
static ACTIVITY: AtomicU64 = AtomicU64::new(1);

/// Threads created so far, plus one.
static CREATED: AtomicU64 = AtomicU64::new(1);

/// Turns that did not return in time, and threads that found no place.
static ESCAPED: AtomicU64 = AtomicU64::new(0);

std::thread_local! {
    /// The calling thread's place plus one; 0 for none.
    static PLACE: Cell<usize> = const { Cell::new(0) };
}

/// Which part the calling thread plays.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// It runs while it likes and lets the others run while it waits.
    Main,
    /// It runs in turns.
    Helper(Parking),
    /// The gate is not on, or not for this thread.
    Loose,
}

/// A gated helper's right to park.
#[derive(Clone, Copy)]
pub(super) struct Parking(&'static Helper);

/// The calling thread's part.
pub(super) fn role() -> Role {
    if !Pin::Gate.is_on() {
        return Role::Loose;
    }
    if is_main() {
        return Role::Main;
    }
    match HELPERS.get(PLACE.get().wrapping_sub(1)) {
        Some(helper) if helper.is_gated() => Role::Helper(Parking(helper)),
        _ => Role::Loose,
    }
}

impl Parking {
    /// Lets the other threads run. Returns whether the wait that lasts `until` then, by the
    /// virtual clock, has run out.
    pub(super) fn park(self, until: Option<u64>, waits_for_files: bool) -> bool {
        self.0.park(until.unwrap_or(helper::NEVER), waits_for_files);
        let ran_out = until.is_some_and(|until| now(true) >= until);
        if let (true, Some(until)) = (ran_out && Pin::Clock.is_on(), until) {
            clock::wait_ended(false, until);
        }
        ran_out
    }
}

/// The time by which the gate's deadlines are: the virtual one, or without it the real one.
pub(super) fn now(is_main: bool) -> u64 {
    if Pin::Clock.is_on() { clock::now(is_main) } else { system::real_monotonic() }
}

/// Notes that a thread did something that may end another one's wait.
pub(super) fn note_activity() {
    if Pin::Gate.is_on() {
        ACTIVITY.fetch_add(1, Relaxed);
    }
}

/// Which thread the calling one is, from 1: by creation where threads are known, else by the order
/// in which they ask.
pub(super) fn serial() -> u64 {
    match HELPERS.get(PLACE.get().wrapping_sub(1)) {
        Some(helper) => helper.serial.load(Relaxed),
        None => CREATED.fetch_add(1, Relaxed),
    }
}

/// How often a thread ran outside of the order, so far.
pub(super) fn escaped() -> u64 {
    ESCAPED.load(Relaxed)
}

fn helpers() -> &'static [Helper] {
    HELPERS.get(..USED.load(Relaxed) as usize).unwrap_or(&HELPERS)
}
