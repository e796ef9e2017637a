//! Overrides of C11's threads. In libc they are the same objects as POSIX's, behind names of their own
//! whose functions call each other inside of libc, where no override sees it: here they call ours.

use super::{Pin, real};
use crate::system::errno;
use core::ffi::c_void;
use core::ptr;
use libc::{c_int, pthread_cond_t, pthread_mutex_t, pthread_t, timespec};

// The values of glibc's enumeration.
const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

fn status(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ENOMEM => NO_MEMORY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

unsafe extern "C" {
    fn pthread_create(
        thread: *mut pthread_t,
        attributes: *const libc::pthread_attr_t,
        start: *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
}

/// libc's `thrd_create`. A POSIX thread differs only in the type of its result, whose lower half is
/// the `int` that the function returns in the same register.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_create(
    thread: *mut pthread_t,
    start: *mut c_void,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match real::THRD_CREATE.get() {
            Some(real) if !Pin::Gate.is_on() => real(thread, start, argument),
            _ => status(pthread_create(thread, ptr::null(), start, argument)),
        }
    }
}

/// libc's `thrd_join`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_join(thread: pthread_t, result: *mut c_int) -> c_int {
    let mut value = ptr::null_mut();
    // SAFETY: the caller's arguments; the place for the result is null or valid.
    unsafe {
        let error = libc::pthread_join(thread, &raw mut value);
        if error == 0 && !result.is_null() {
            let [first, second, third, fourth, ..] = value.addr().to_le_bytes();
            result.write(c_int::from_le_bytes([first, second, third, fourth]));
        }
        status(error)
    }
}

/// libc's `thrd_sleep`: 0, -1 where a signal ends it, or another negative number.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the caller's arguments.
    match unsafe { libc::nanosleep(time, left) } {
        0 => 0,
        _ if errno() == libc::EINTR => -1,
        _ => -2,
    }
}

/// libc's `thrd_yield`.
#[unsafe(no_mangle)]
extern "C" fn thrd_yield() {
    // SAFETY: the call has no arguments.
    unsafe { libc::sched_yield() };
}

macro_rules! alike {
    ($($name:ident => $posix:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            /// libc's function of that name.
            ///
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
                // SAFETY: the caller's arguments; C11's objects are POSIX's.
                status(unsafe { libc::$posix($($argument),*) })
            }
        )*
    };
}

alike! {
    mtx_lock => pthread_mutex_lock(mutex: *mut pthread_mutex_t);
    mtx_timedlock => pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, time: *const timespec);
    mtx_unlock => pthread_mutex_unlock(mutex: *mut pthread_mutex_t);
    cnd_wait => pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t);
    cnd_timedwait => pthread_cond_timedwait(
        condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, time: *const timespec
    );
    cnd_signal => pthread_cond_signal(condition: *mut pthread_cond_t);
    cnd_broadcast => pthread_cond_broadcast(condition: *mut pthread_cond_t);
}
