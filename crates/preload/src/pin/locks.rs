//! Overrides of waits for conditions, semaphores and the end of threads. With the gate on they are where helpers park and where
//! the main thread lets them run. With the virtual clock on, an absolute end of the wait, which by
//! that clock would never come or long be over, is carried over to the real one.

use super::gate::{self, MainWait, Next, Role};
use super::wait::Wait;
use super::{Pin, clock, real};
use crate::system::{errno, set_errno};
use libc::{c_int, clockid_t, pthread_cond_t, pthread_mutex_t, pthread_t, sem_t, timespec};

/// The wait until an absolute time, where the clock is virtual.
///
/// # Safety
/// The time is null or valid.
pub(super) unsafe fn wait_until(time: *const timespec) -> Option<Wait> {
    // SAFETY: the caller's promise.
    let deadline = clock::nanoseconds(unsafe { time.as_ref() }?)?;
    Pin::Clock.is_on().then(|| Wait::until(deadline))
}

/// The wait for a condition inside the gate; `None` where there is no gate.
///
/// # Safety
/// The mutex is valid and held by the caller.
unsafe fn gated_condition(mutex: *mut pthread_mutex_t, wait: Wait) -> Option<c_int> {
    let role = gate::role();
    if matches!(role, Role::Loose) {
        return None;
    }
    // SAFETY: the caller holds the mutex.
    unsafe { libc::pthread_mutex_unlock(mutex) };
    let result = match role {
        Role::Main => main_condition(MainWait::lasting(wait.length())),
        Role::Helper(parking) if parking.park(wait.gate_deadline(), false) => libc::ETIMEDOUT,
        Role::Helper(_) | Role::Loose => 0,
    };
    // SAFETY: the caller's mutex, which this thread has just given up.
    unsafe { libc::pthread_mutex_lock(mutex) };
    Some(result)
}

fn main_condition(mut waiting: MainWait) -> c_int {
    loop {
        if waiting.let_helpers_run() {
            return 0;
        }
        match waiting.next() {
            Next::LookAgain => {}
            Next::RanOut => return libc::ETIMEDOUT,
            Next::Sleep(nanoseconds) => {
                // Returning early is a wake-up without cause: the caller looks at its condition,
                // which threads outside of the gate may have changed.
                super::wait::sleep(nanoseconds, core::ptr::null_mut());
                waiting.slept();
                return 0;
            }
        }
    }
}

/// libc's `pthread_cond_wait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_wait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        gated_condition(mutex, Wait::endless()).unwrap_or_else(|| match real::COND_WAIT.get() {
            Some(real) => real(condition, mutex),
            None => libc::EINVAL,
        })
    }
}

/// libc's `pthread_cond_timedwait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match (wait_until(time), real::COND_CLOCKWAIT.get()) {
            (Some(wait), Some(real)) => gated_condition(mutex, wait).unwrap_or_else(|| {
                wait.until_real(|time| real(condition, mutex, libc::CLOCK_MONOTONIC, time))
            }),
            _ => match real::COND_TIMEDWAIT.get() {
                Some(real) => real(condition, mutex, time),
                None => libc::EINVAL,
            },
        }
    }
}

/// libc's `pthread_cond_clockwait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    let Some(real) = real::COND_CLOCKWAIT.get() else { return libc::EINVAL };
    // SAFETY: the caller's arguments.
    unsafe {
        match wait_until(time) {
            Some(wait) => gated_condition(mutex, wait).unwrap_or_else(|| {
                wait.until_real(|time| real(condition, mutex, libc::CLOCK_MONOTONIC, time))
            }),
            None => real(condition, mutex, clock, time),
        }
    }
}

/// libc's `sem_wait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_wait(semaphore: *mut sem_t) -> c_int {
    // SAFETY: the caller's semaphore.
    unsafe {
        match (gate::role(), real::SEM_WAIT.get()) {
            (Role::Loose, Some(real)) => real(semaphore),
            (role, _) => {
                Wait::endless().for_change(role, || try_semaphore(semaphore)).unwrap_or(-1)
            }
        }
    }
}

/// # Safety
/// The semaphore is valid.
unsafe fn try_semaphore(semaphore: *mut sem_t) -> Option<c_int> {
    // SAFETY: the caller's promise.
    (unsafe { libc::sem_trywait(semaphore) } == 0).then_some(0)
}

/// libc's `sem_timedwait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, time: *const timespec) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { sem_clockwait(semaphore, libc::CLOCK_REALTIME, time) }
}

/// libc's `sem_clockwait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_clockwait(
    semaphore: *mut sem_t,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    let Some(real) = real::SEM_CLOCKWAIT.get() else {
        set_errno(libc::EINVAL);
        return -1;
    };
    // SAFETY: the caller's arguments.
    let Some(wait) = (unsafe { wait_until(time) }) else {
        // SAFETY: the caller's arguments.
        return unsafe { real(semaphore, clock, time) };
    };
    let error = match gate::role() {
        Role::Loose => wait.until_real(|time| {
            // SAFETY: the caller's semaphore.
            match unsafe { real(semaphore, libc::CLOCK_MONOTONIC, time) } {
                0 => 0,
                _ => errno(),
            }
        }),
        // SAFETY: the caller's semaphore.
        role => {
            wait.for_change(role, || {
                // SAFETY: the caller's semaphore.
                unsafe { try_semaphore(semaphore) }
            })
            .unwrap_or(libc::ETIMEDOUT)
        }
    };
    if error == 0 {
        return 0;
    }
    set_errno(error);
    -1
}

/// libc's `pthread_join`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_join(thread: pthread_t, value: *mut *mut libc::c_void) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match (gate::role(), real::PTHREAD_JOIN.get()) {
            (Role::Loose, Some(real)) => real(thread, value),
            (Role::Loose, None) => libc::EINVAL,
            (role, _) => Wait::endless()
                .for_change(role, || {
                    Some(libc::pthread_tryjoin_np(thread, value)).filter(|end| *end != libc::EBUSY)
                })
                .unwrap_or(libc::EINVAL),
        }
    }
}
