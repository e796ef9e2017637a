//! Overrides of read–write locks. A lock that is free is taken as libc takes it; where a thread of
//! the gate would block, it waits as everywhere in the gate, and looks again when it is unlocked.

use super::gate::{self, Role};
use super::locks::wait_until;
use super::real::{self, LockUntil, Next};
use super::wait::Wait;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use libc::{c_int, clockid_t, pthread_rwlock_t, timespec};

/// A time that has passed: a wait until then looks, and finds what a longer one would find.
const PAST: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

/// Threads that wait for a lock in the gate. Without them an unlocking is nobody's news.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// Waits in the gate by libc's function with a time; `None` where there is no gate.
///
/// # Safety
/// The lock is valid.
unsafe fn gated(
    lock: *mut pthread_rwlock_t,
    wait: impl FnOnce() -> Wait,
    until: &Next<LockUntil>,
) -> Option<c_int> {
    let role = gate::role();
    let until = until.get().filter(|_| !matches!(role, Role::Loose))?;
    // SAFETY: the caller's lock, and a valid time.
    let look = || match unsafe { until(lock, libc::CLOCK_MONOTONIC, &PAST) } {
        libc::ETIMEDOUT => None,
        result => Some(result),
    };
    if let Some(result) = look() {
        return Some(result);
    }
    WAITING.fetch_add(1, Relaxed);
    let result = wait().for_change(role, look).unwrap_or(libc::ETIMEDOUT);
    WAITING.fetch_sub(1, Relaxed);
    Some(result)
}

/// Waits until a time, which can be one of the virtual clock.
///
/// # Safety
/// The lock is valid; the time is null or valid.
unsafe fn lock_until(
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    time: *const timespec,
    until: &Next<LockUntil>,
) -> c_int {
    let Some(real) = until.get() else { return libc::EINVAL };
    // SAFETY: the caller's arguments, here and below.
    unsafe {
        match wait_until(time) {
            Some(wait) => gated(lock, || wait, until)
                .unwrap_or_else(|| wait.until_real(|time| real(lock, libc::CLOCK_MONOTONIC, time))),
            None => real(lock, clock, time),
        }
    }
}

macro_rules! locks {
    ($($lock:ident, $timed:ident, $clocked:ident: $real:ident, $until:ident;)*) => {
        $(
            /// libc's function of that name.
            ///
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $lock(lock: *mut pthread_rwlock_t) -> c_int {
                let real = || real::$real.get().map_or(libc::EINVAL, |real| {
                    // SAFETY: the caller's lock.
                    unsafe { real(lock) }
                });
                // SAFETY: the caller's lock.
                unsafe { gated(lock, Wait::endless, &real::$until) }.unwrap_or_else(real)
            }

            /// libc's function of that name.
            ///
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $timed(
                lock: *mut pthread_rwlock_t,
                time: *const timespec,
            ) -> c_int {
                // SAFETY: the caller's arguments.
                unsafe { lock_until(lock, libc::CLOCK_REALTIME, time, &real::$until) }
            }

            /// libc's function of that name.
            ///
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $clocked(
                lock: *mut pthread_rwlock_t,
                clock: clockid_t,
                time: *const timespec,
            ) -> c_int {
                // SAFETY: the caller's arguments.
                unsafe { lock_until(lock, clock, time, &real::$until) }
            }
        )*
    };
}

locks! {
    pthread_rwlock_rdlock, pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock:
        READ_LOCK, READ_LOCK_UNTIL;
    pthread_rwlock_wrlock, pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock:
        WRITE_LOCK, WRITE_LOCK_UNTIL;
}

/// libc's `pthread_rwlock_unlock`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int {
    if WAITING.load(Relaxed) != 0 {
        gate::note_activity();
    }
    // SAFETY: the caller's lock.
    real::UNLOCK.get().map_or(libc::EINVAL, |real| unsafe { real(lock) })
}
