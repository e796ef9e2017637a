//! Overrides of waits for other threads that end at an absolute time. By the virtual clock that
//! time would never come, or long be over: it is carried over to the real one.

use super::wait::Wait;
use super::{Pin, clock, real};
use libc::{c_int, clockid_t, pthread_cond_t, pthread_mutex_t, sem_t, timespec};

/// The deadline, where the clock is virtual and libc can wait by a clock of choice.
///
/// # Safety
/// The time is null or valid.
unsafe fn wait_until(time: *const timespec) -> Option<Wait> {
    // SAFETY: the caller's promise.
    let deadline = clock::nanoseconds(unsafe { time.as_ref() }?)?;
    Pin::Clock.is_on().then(|| Wait::until(deadline))
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
    match unsafe { wait_until(time) }.zip(real::COND_CLOCKWAIT.get()) {
        Some((wait, real)) => wait.until_real(|time| {
            // SAFETY: the caller's condition and mutex.
            unsafe { real(condition, mutex, libc::CLOCK_MONOTONIC, time) }
        }),
        None => match real::COND_TIMEDWAIT.get() {
            // SAFETY: the caller's arguments.
            Some(real) => unsafe { real(condition, mutex, time) },
            None => libc::EINVAL,
        },
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
    match unsafe { wait_until(time) } {
        Some(wait) => wait.until_real(|time| {
            // SAFETY: the caller's condition and mutex.
            unsafe { real(condition, mutex, libc::CLOCK_MONOTONIC, time) }
        }),
        // SAFETY: the caller's arguments.
        None => unsafe { real(condition, mutex, clock, time) },
    }
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
        crate::system::set_errno(libc::EINVAL);
        return -1;
    };
    // SAFETY: the caller's arguments.
    let Some(wait) = (unsafe { wait_until(time) }) else {
        // SAFETY: the caller's arguments.
        return unsafe { real(semaphore, clock, time) };
    };
    let error = wait.until_real(|time| {
        // SAFETY: the caller's semaphore.
        match unsafe { real(semaphore, libc::CLOCK_MONOTONIC, time) } {
            0 => 0,
            _ => crate::system::errno(),
        }
    });
    if error == 0 {
        return 0;
    }
    crate::system::set_errno(error);
    -1
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
    // SAFETY: the caller's arguments.
    match unsafe { wait_until(time) } {
        Some(wait) => wait.until_real(|time| {
            // SAFETY: the caller's mutex.
            unsafe { real(mutex, libc::CLOCK_MONOTONIC, time) }
        }),
        // SAFETY: the caller's arguments.
        None => unsafe { real(mutex, clock, time) },
    }
}
