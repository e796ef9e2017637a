//! Overrides of mutexes. One that is free is taken at once; where a thread of the gate would block, it
//! waits as everywhere in the gate, and looks again when it is unlocked.

use super::gate::{self, Role};
use super::locks::wait_until;
use super::wait::Wait;
use super::{Pin, real};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use libc::{c_int, clockid_t, pthread_mutex_t, timespec};

/// A time that has passed: a wait until then looks, and finds what a longer one would find.
const PAST: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

/// Threads that wait for a mutex in the gate. Without them an unlocking is nobody's news.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// Waits in the gate for a mutex that is not free; `None` where there is no gate, or where libc can't
/// look at this kind of mutex by the monotonic clock.
///
/// # Safety
/// The mutex is valid.
unsafe fn gated(mutex: *mut pthread_mutex_t, wait: Wait) -> Option<c_int> {
    let role = gate::role();
    let look = real::MUTEX_CLOCKLOCK.get().filter(|_| !matches!(role, Role::Loose))?;
    // Unlike a try, this tells a thread that it has the mutex already, where that is asked for.
    // SAFETY: the caller's mutex, and a valid time.
    let look = || match unsafe { look(mutex, libc::CLOCK_MONOTONIC, &PAST) } {
        libc::ETIMEDOUT => None,
        result => Some(result),
    };
    WAITING.fetch_add(1, Relaxed);
    let result = wait.for_change(role, look).unwrap_or(libc::ETIMEDOUT);
    WAITING.fetch_sub(1, Relaxed);
    (result != libc::EINVAL).then_some(result)
}

/// Whether nobody has the mutex, by its first word: its place and the zero are part of what programs
/// are compiled with. Another thread may take it just then; one of the gate can't.
///
/// # Safety
/// The mutex is valid.
unsafe fn is_free(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: the caller's mutex, which any thread may change.
    unsafe { (*mutex.cast::<AtomicU32>()).load(Relaxed) == 0 }
}

/// libc's `pthread_mutex_lock`. Collectors take a free mutex so often that each instruction here
/// shows in their count.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the caller's mutex, here and below.
    unsafe {
        match real::MUTEX_LOCK.known() {
            Some(real) if is_free(mutex) => real(mutex),
            _ => lock_in_use(mutex),
        }
    }
}

/// # Safety
/// The mutex is valid.
#[cold]
#[inline(never)]
unsafe extern "C" fn lock_in_use(mutex: *mut pthread_mutex_t) -> c_int {
    // Also where a try will do: it is known from now on.
    let real = real::MUTEX_LOCK.get();
    // SAFETY: the caller's mutex, here and below.
    unsafe {
        if Pin::Gate.is_on() {
            match libc::pthread_mutex_trylock(mutex) {
                libc::EBUSY => {}
                result => return result,
            }
            if let Some(result) = gated(mutex, Wait::endless()) {
                return result;
            }
        }
        real.map_or(libc::EINVAL, |real| real(mutex))
    }
}

/// libc's `pthread_mutex_unlock`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the caller's mutex, here and below.
    unsafe {
        match real::MUTEX_UNLOCK.known() {
            Some(real) if WAITING.load(Relaxed) == 0 => real(mutex),
            _ => unlock_for_others(mutex),
        }
    }
}

/// # Safety
/// The mutex is valid.
#[cold]
#[inline(never)]
unsafe extern "C" fn unlock_for_others(mutex: *mut pthread_mutex_t) -> c_int {
    gate::note_activity();
    // SAFETY: the caller's mutex.
    real::MUTEX_UNLOCK.get().map_or(libc::EINVAL, |real| unsafe { real(mutex) })
}

/// libc's `pthread_mutex_timedlock`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_timedlock(
    mutex: *mut pthread_mutex_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { pthread_mutex_clocklock(mutex, libc::CLOCK_REALTIME, time) }
}

/// libc's `pthread_mutex_clocklock`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    let Some(real) = real::MUTEX_CLOCKLOCK.get() else { return libc::EINVAL };
    // SAFETY: the caller's arguments, here and below.
    unsafe {
        match wait_until(time) {
            Some(wait) => gated(mutex, wait).unwrap_or_else(|| {
                wait.until_real(|time| real(mutex, libc::CLOCK_MONOTONIC, time))
            }),
            None => real(mutex, clock, time),
        }
    }
}
