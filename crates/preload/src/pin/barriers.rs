//! Overrides of barriers: libc's wait inside of libc, so with the gate on they are barriers of our
//! own, in the same place.
//!
//! Invariants:
//! - A barrier is ours from its initialisation on if the gate is on then and it is one for the threads
//!   of this process; [`OURS`] in its last bytes, which libc's does not use, tells.
//! - Nobody touches a barrier after it has left it: its last thread out lets `destroy` go on.

use super::gate;
use super::wait::Wait;
use super::{Pin, real};
use crate::system::{address, call};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use libc::{c_int, c_uint, pthread_barrier_t, pthread_barrierattr_t};

/// Tells a barrier of ours.
const OURS: u64 = 0x7469_6572_6761_7465;

/// A barrier of ours.
#[repr(C)]
struct Barrier {
    /// How many threads have come, and in the upper half how often all had.
    state: AtomicU64,
    /// How many threads are to come.
    count: AtomicU32,
    /// Threads that have not left yet.
    inside: AtomicU32,
    unused: u64,
    kind: AtomicU64,
}

const _: () = assert!(
    size_of::<Barrier>() <= size_of::<pthread_barrier_t>()
        && align_of::<Barrier>() <= align_of::<pthread_barrier_t>()
);

/// # Safety
/// The barrier is valid.
unsafe fn place<'a>(barrier: *mut pthread_barrier_t) -> &'a Barrier {
    // SAFETY: ours is not larger, and has no other alignment; all its fields may have any content.
    unsafe { &*barrier.cast::<Barrier>() }
}

/// # Safety
/// The barrier is valid.
unsafe fn ours<'a>(barrier: *mut pthread_barrier_t) -> Option<&'a Barrier> {
    // SAFETY: the caller's promise.
    let ours = unsafe { place(barrier) };
    (Pin::Gate.is_on() && ours.kind.load(Relaxed) == OURS).then_some(ours)
}

impl Barrier {
    fn round(&self) -> u64 {
        self.state.load(Acquire) >> 32
    }

    /// Whether the calling thread was the last that was waited for.
    fn wait(&self) -> bool {
        self.inside.fetch_add(1, AcqRel);
        let count = u64::from(self.count.load(Relaxed));
        let step = |state: u64| {
            let is_last = (state & u64::from(u32::MAX)) + 1 >= count;
            if is_last { ((state >> 32) + 1) << 32 } else { state + 1 }
        };
        let before = self.state.fetch_update(AcqRel, Acquire, |state| Some(step(state)));
        let before = before.unwrap_or_else(|state| state);
        let is_last = step(before) >> 32 != before >> 32;
        if is_last {
            self.wake();
        } else {
            self.until(|| self.round() != before >> 32, before >> 32);
        }
        gate::note_activity();
        self.inside.fetch_sub(1, Release);
        is_last
    }

    /// Waits in the gate, or where there is none as long as the round is the same.
    fn until(&self, is_over: impl Fn() -> bool, round: u64) {
        loop {
            let role = gate::role();
            if Wait::endless().for_change(role, || is_over().then_some(())).is_some() {
                return;
            }
            self.sleep(round);
        }
    }

    /// The half of the state that changes when all have come.
    fn word(&self) -> i64 {
        let half = usize::from(cfg!(target_endian = "little"));
        address(self.state.as_ptr().cast::<u32>().wrapping_add(half))
    }

    fn sleep(&self, round: u64) {
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        let arguments = [self.word(), operation.into(), round.cast_signed(), 0, 0, 0];
        // SAFETY: the word outlives the call.
        unsafe { call(libc::SYS_futex, arguments) };
    }

    fn wake(&self) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: waking the waiters of a word changes no memory.
        unsafe {
            call(libc::SYS_futex, [self.word(), operation.into(), i32::MAX.into(), 0, 0, 0]);
        }
    }
}

/// libc's `pthread_barrier_init`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_init(
    barrier: *mut pthread_barrier_t,
    attributes: *const pthread_barrierattr_t,
    count: c_uint,
) -> c_int {
    let Some(real) = real::BARRIER_INIT.get() else { return libc::EINVAL };
    // SAFETY: the caller's arguments, here and below. libc looks whether they make sense.
    let result = unsafe { real(barrier, attributes, count) };
    if result != 0 {
        return result;
    }
    let mut shared = libc::PTHREAD_PROCESS_PRIVATE;
    if !attributes.is_null() {
        // SAFETY: the attributes are valid, and so is the place.
        unsafe { libc::pthread_barrierattr_getpshared(attributes, &raw mut shared) };
    }
    // SAFETY: libc has just made a barrier there.
    let ours = unsafe { place(barrier) };
    ours.kind.store(0, Relaxed);
    if Pin::Gate.is_on() && shared == libc::PTHREAD_PROCESS_PRIVATE {
        ours.state.store(0, Relaxed);
        ours.count.store(count, Relaxed);
        ours.inside.store(0, Relaxed);
        ours.kind.store(OURS, Release);
    }
    0
}

/// libc's `pthread_barrier_wait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the caller's barrier, here and below.
    match unsafe { ours(barrier) } {
        Some(ours) => {
            if ours.wait() {
                libc::PTHREAD_BARRIER_SERIAL_THREAD
            } else {
                0
            }
        }
        None => real::BARRIER_WAIT.get().map_or(libc::EINVAL, |real| {
            // SAFETY: the caller's barrier.
            unsafe { real(barrier) }
        }),
    }
}

/// libc's `pthread_barrier_destroy`, which waits for those that have not left yet.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the caller's barrier, here and below.
    match unsafe { ours(barrier) } {
        Some(ours) => {
            let is_empty = || (ours.inside.load(Acquire) == 0).then_some(());
            while Wait::endless().for_change(gate::role(), is_empty).is_none() {
                // SAFETY: the call has no arguments.
                unsafe { call(libc::SYS_sched_yield, [0; 6]) };
            }
            ours.kind.store(0, Relaxed);
            0
        }
        None => real::BARRIER_DESTROY.get().map_or(libc::EINVAL, |real| {
            // SAFETY: the caller's barrier.
            unsafe { real(barrier) }
        }),
    }
}
