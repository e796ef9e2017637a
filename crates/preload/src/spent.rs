//! Processor time between two moments: the calling thread's own, and what others spent meanwhile.
//!
//! Work that an op gives to a worker, a pool or a child is in no count of the measured thread; the
//! kernel's accounts tell of it whatever the instrument is. What helper threads spend on handing turns
//! over in the thread gate is nobody's work.

use crate::family;
use crate::pin::parking_ns;
use crate::report::Line;
use crate::system::{address, call};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use libc::{c_long, clockid_t};

/// At the section's first mark.
static PARKING_NS: AtomicU64 = AtomicU64::new(0);
static OWN_NS: AtomicU64 = AtomicU64::new(0);
static PROCESS_NS: AtomicU64 = AtomicU64::new(0);
static CHILDREN_NS: AtomicU64 = AtomicU64::new(0);

/// Remembers what was spent until now.
pub(crate) fn begin() {
    // What it takes to look at the children is none of the thread's own.
    CHILDREN_NS.store(children_ns(), Relaxed);
    PARKING_NS.store(parking_ns(), Relaxed);
    OWN_NS.store(own_time_ns(), Relaxed);
    PROCESS_NS.store(clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID), Relaxed);
}

/// Adds to a line what was spent since the beginning.
pub(crate) fn end(line: Line) -> Line {
    // The process first: what the thread spends between the two readings is then none of others'.
    let process = clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(PROCESS_NS.load(Relaxed));
    let own = own_time_ns().saturating_sub(OWN_NS.load(Relaxed));
    let parking = parking_ns().saturating_sub(PARKING_NS.load(Relaxed));
    let children = children_ns().saturating_sub(CHILDREN_NS.load(Relaxed));
    line.text(" own ")
        .number(own)
        .text(" threads ")
        .number(process.saturating_sub(own).saturating_sub(parking))
        .text(" children ")
        .number(children)
}

/// Processor time of the calling thread.
pub(crate) fn own_time_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

pub(crate) fn clock_ns(clock: clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let place = address(&raw mut time);
    // SAFETY: `time` is a valid place for the result; without the clock it stays zero.
    unsafe { call(libc::SYS_clock_gettime, [clock.into(), place, 0, 0, 0, 0]) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Of children that were waited for, and of those that run: a child that ends meanwhile goes from
/// one account to the other.
fn children_ns() -> u64 {
    // SAFETY: all zeroes is a valid value of this plain structure.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    let place = address(&raw mut usage);
    // SAFETY: `usage` is a valid place for the result.
    unsafe { call(libc::SYS_getrusage, [c_long::from(libc::RUSAGE_CHILDREN), place, 0, 0, 0, 0]) };
    let ns = |time: libc::timeval| {
        time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1_000
    };
    ns(usage.ru_utime) + ns(usage.ru_stime) + family::running_ns()
}
