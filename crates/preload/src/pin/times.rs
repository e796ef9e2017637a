//! Overrides of the functions that read a clock.

use super::{Pin, clock, is_main, real};
use crate::system::{address, call, checked, checked_int};
use core::ptr;
use libc::{c_int, clock_t, clockid_t, time_t, timespec, timeval};

const NANOSECONDS_PER_TICK: u64 = 10_000_000;

fn virtual_value(id: clockid_t) -> Option<u64> {
    if Pin::Clock.is_on() { clock::value(id, is_main()) } else { None }
}

/// libc's `clock_gettime`.
///
/// # Safety
/// As libc's: `time` is null or valid.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn clock_gettime(id: clockid_t, time: *mut timespec) -> c_int {
    match virtual_value(id) {
        Some(value) if !time.is_null() => {
            // SAFETY: the caller's pointer is valid where it is not null.
            unsafe { time.write(clock::timespec(value)) };
            0
        }
        // libc's own needs no system call for most clocks; before it is found, one does.
        _ => match real::CLOCK_GETTIME.get() {
            // SAFETY: the caller's arguments.
            Some(real) => unsafe { real(id, time) },
            // SAFETY: the kernel checks both arguments.
            None => checked_int(unsafe {
                call(libc::SYS_clock_gettime, [id.into(), address(time), 0, 0, 0, 0])
            }),
        },
    }
}

/// libc's `gettimeofday`.
///
/// # Safety
/// As libc's: both are null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut libc::c_void) -> c_int {
    match virtual_value(libc::CLOCK_REALTIME) {
        Some(value) if !time.is_null() && zone.is_null() => {
            let value = clock::timespec(value);
            let value = timeval { tv_sec: value.tv_sec, tv_usec: value.tv_nsec / 1_000 };
            // SAFETY: the caller's pointer is valid where it is not null.
            unsafe { time.write(value) };
            0
        }
        _ => match real::GETTIMEOFDAY.get() {
            // SAFETY: the caller's arguments.
            Some(real) => unsafe { real(time, zone) },
            // SAFETY: the kernel checks both arguments.
            None => checked_int(unsafe {
                call(libc::SYS_gettimeofday, [address(time), address(zone), 0, 0, 0, 0])
            }),
        },
    }
}

/// libc's `time`.
///
/// # Safety
/// As libc's: `place` is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn time(place: *mut time_t) -> time_t {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    if !place.is_null() {
        // SAFETY: the caller's pointer is valid where it is not null.
        unsafe { place.write(now.tv_sec) };
    }
    now.tv_sec
}

/// libc's `timespec_get`, for the only base that there is, `TIME_UTC`.
///
/// # Safety
/// As libc's: `time` is valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
    const TIME_UTC: c_int = 1;
    // SAFETY: the caller's pointer is valid.
    if base == TIME_UTC && unsafe { clock_gettime(libc::CLOCK_REALTIME, time) } == 0 {
        return base;
    }
    0
}

/// libc's `clock`.
#[unsafe(no_mangle)]
extern "C" fn clock() -> clock_t {
    let mut used = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `used` is a valid place.
    unsafe { clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut used) };
    used.tv_sec * 1_000_000 + used.tv_nsec / 1_000
}

/// libc's `times`.
///
/// # Safety
/// As libc's: `used` is null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn times(used: *mut libc::tms) -> clock_t {
    let ticks = |value: Option<u64>| {
        value.and_then(|value| clock_t::try_from(value / NANOSECONDS_PER_TICK).ok())
    };
    let Some(now) = ticks(virtual_value(libc::CLOCK_MONOTONIC)) else {
        // SAFETY: the kernel checks the argument.
        return checked(unsafe { call(libc::SYS_times, [address(used), 0, 0, 0, 0, 0]) });
    };
    let user = ticks(virtual_value(libc::CLOCK_PROCESS_CPUTIME_ID)).unwrap_or(0);
    if let Some(used) = ptr::NonNull::new(used) {
        let value = libc::tms { tms_utime: user, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 };
        // SAFETY: the caller's pointer is valid where it is not null.
        unsafe { used.write(value) };
    }
    now
}
