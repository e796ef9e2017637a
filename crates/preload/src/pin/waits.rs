//! Overrides of the functions that wait for events, for a given time at most.
//!
//! A wait that runs out moves the clock to its end; one that an event ends leaves the clock alone.

use super::wait::Wait;
use super::{Pin, clock};
use crate::system::{address, call, checked_int};
use libc::{
    c_int, c_long, clockid_t, epoll_event, fd_set, nfds_t, pollfd, sigset_t, timespec, timeval,
};

const NANOSECONDS_PER_MILLISECOND: u64 = 1_000_000;
/// The size of the kernel's signal sets, which is not libc's.
const SIGNAL_SET_SIZE: c_long = 8;

/// A wait of so many milliseconds; negative ones are without end.
fn milliseconds(timeout: c_int) -> Wait {
    match u64::try_from(timeout) {
        Ok(timeout) => Wait::lasting(timeout * NANOSECONDS_PER_MILLISECOND),
        Err(_) => Wait::endless(),
    }
}

/// libc's `epoll_wait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: c_int,
) -> c_int {
    // SAFETY: the same arguments without a signal mask.
    unsafe { epoll_pwait(epoll, events, capacity, timeout, core::ptr::null()) }
}

/// libc's `epoll_pwait`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn epoll_pwait(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: c_int,
    mask: *const sigset_t,
) -> c_int {
    milliseconds(timeout).for_events(|slice| {
        let arguments = [
            epoll.into(),
            address(events),
            capacity.into(),
            slice.milliseconds().into(),
            address(mask),
            SIGNAL_SET_SIZE,
        ];
        // SAFETY: the kernel checks the arguments; the caller vouches for the events' place.
        checked_int(unsafe { call(libc::SYS_epoll_pwait, arguments) })
    })
}

/// libc's `epoll_pwait2`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn epoll_pwait2(
    epoll: c_int,
    events: *mut epoll_event,
    capacity: c_int,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's time is null or valid.
    unsafe { Wait::of(timeout) }.for_events(|slice| {
        let time = slice.timespec();
        let arguments = [
            epoll.into(),
            address(events),
            capacity.into(),
            time.as_ref().map_or(0, |time| address(time)),
            address(mask),
            SIGNAL_SET_SIZE,
        ];
        // SAFETY: the kernel checks the arguments; the caller vouches for the events' place.
        checked_int(unsafe { call(libc::SYS_epoll_pwait2, arguments) })
    })
}

/// libc's `poll`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn poll(files: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { poll_for(files, count, milliseconds(timeout), core::ptr::null()) }
}

/// libc's `ppoll`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn ppoll(
    files: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's arguments; its time is null or valid.
    unsafe { poll_for(files, count, Wait::of(timeout), mask) }
}

/// # Safety
/// As libc's `ppoll`.
unsafe fn poll_for(files: *mut pollfd, count: nfds_t, wait: Wait, mask: *const sigset_t) -> c_int {
    wait.for_events(|slice| {
        let time = slice.timespec();
        let arguments = [
            address(files),
            count.cast_signed(),
            time.as_ref().map_or(0, |time| address(time)),
            address(mask),
            SIGNAL_SET_SIZE,
            0,
        ];
        // SAFETY: the kernel checks the arguments; the caller vouches for the files' place.
        checked_int(unsafe { call(libc::SYS_ppoll, arguments) })
    })
}

/// The three sets of `select`, which the kernel overwrites at each try.
struct Sets {
    places: [*mut fd_set; 3],
    asked: [Option<fd_set>; 3],
}

impl Sets {
    /// # Safety
    /// Each place is null or valid.
    unsafe fn of(places: [*mut fd_set; 3]) -> Self {
        // SAFETY: the caller's places are null or valid.
        let asked = places.map(|place| unsafe { place.as_ref().copied() });
        Self { places, asked }
    }

    fn restore(&self) {
        for (place, asked) in self.places.iter().zip(self.asked) {
            if let Some(asked) = asked {
                // SAFETY: a place whose content was read is valid.
                unsafe { place.write(asked) };
            }
        }
    }
}

/// libc's `select`. What is left of the timeout is not written back: no program can rely on it.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn select(
    count: c_int,
    readable: *mut fd_set,
    writable: *mut fd_set,
    exceptional: *mut fd_set,
    timeout: *mut timeval,
) -> c_int {
    // SAFETY: the caller's time is null or valid.
    let timeout = unsafe { timeout.as_ref() }
        .map(|time| timespec { tv_sec: time.tv_sec, tv_nsec: time.tv_usec * 1_000 });
    let timeout = timeout.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: the caller's arguments.
    unsafe { pselect(count, readable, writable, exceptional, timeout, core::ptr::null()) }
}

/// libc's `pselect`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pselect(
    count: c_int,
    readable: *mut fd_set,
    writable: *mut fd_set,
    exceptional: *mut fd_set,
    timeout: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    // SAFETY: the caller's sets are null or valid.
    let sets = unsafe { Sets::of([readable, writable, exceptional]) };
    // The kernel takes the mask as a pair of its address and its size.
    let mask = [address(mask), SIGNAL_SET_SIZE];
    // SAFETY: the caller's time is null or valid.
    unsafe { Wait::of(timeout) }.for_events(|slice| {
        sets.restore();
        let time = slice.timespec();
        let arguments = [
            count.into(),
            address(readable),
            address(writable),
            address(exceptional),
            time.as_ref().map_or(0, |time| address(time)),
            address(mask.as_ptr()),
        ];
        // SAFETY: the kernel checks the arguments; the caller vouches for the sets.
        checked_int(unsafe { call(libc::SYS_pselect6, arguments) })
    })
}

/// libc's `nanosleep`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the caller's arguments.
    let error = unsafe { clock_nanosleep(libc::CLOCK_MONOTONIC, 0, time, left) };
    if error == 0 {
        return 0;
    }
    crate::system::set_errno(error);
    -1
}

/// libc's `clock_nanosleep`, which returns its error.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock_id: clockid_t,
    flags: c_int,
    time: *const timespec,
    left: *mut timespec,
) -> c_int {
    // SAFETY: the caller's time is null or valid.
    let length = unsafe { time.as_ref() }.and_then(clock::nanoseconds);
    let is_absolute = flags & libc::TIMER_ABSTIME != 0;
    match length {
        Some(deadline) if is_absolute && Pin::Clock.is_on() => Wait::until(deadline).asleep(left),
        Some(length) if !is_absolute && Pin::any() => Wait::lasting(length).asleep(left),
        _ => {
            let arguments = [clock_id.into(), flags.into(), address(time), address(left), 0, 0];
            // SAFETY: the kernel checks the arguments.
            let result = unsafe { call(libc::SYS_clock_nanosleep, arguments) };
            c_int::try_from(-result).unwrap_or(libc::EINVAL)
        }
    }
}

/// libc's `usleep`.
#[unsafe(no_mangle)]
extern "C" fn usleep(microseconds: libc::c_uint) -> c_int {
    let time = timespec {
        tv_sec: (microseconds / 1_000_000).into(),
        tv_nsec: (microseconds % 1_000_000 * 1_000).into(),
    };
    // SAFETY: the time is valid.
    unsafe { nanosleep(&raw const time, core::ptr::null_mut()) }
}

/// libc's `sleep`, which returns the seconds that are left.
#[unsafe(no_mangle)]
extern "C" fn sleep(seconds: libc::c_uint) -> libc::c_uint {
    let mut time = timespec { tv_sec: seconds.into(), tv_nsec: 0 };
    // SAFETY: the time is valid, and may be overwritten by what is left.
    match unsafe { nanosleep(&raw const time, &raw mut time) } {
        0 => 0,
        _ => libc::c_uint::try_from(time.tv_sec).unwrap_or(seconds),
    }
}
