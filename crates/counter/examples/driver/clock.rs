//! Clocks: the true ones, and the interposed one that advances with each reading.

use crate::{setting, system_call};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

static VIRTUAL: AtomicI32 = AtomicI32::new(0);
static VIRTUAL_NOW: AtomicU64 = AtomicU64::new(1_000_000_000_000);
/// Nanoseconds per reading.
const STEP: u64 = 1000;
/// The real-time clock's distance from the monotonic one, in seconds.
const EPOCH: u64 = 1_700_000_000;

/// Nanoseconds of the kernel's clock.
pub(crate) fn real_time(clock: i32) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes `time`.
    unsafe { system_call(libc::SYS_clock_gettime, [clock as u64, &raw mut time as u64, 0, 0]) };
    (Duration::from_secs(time.tv_sec as u64) + Duration::from_nanos(time.tv_nsec as u64)).as_nanos()
        as u64
}

fn is_virtual() -> bool {
    if VIRTUAL.load(Relaxed) == 0 {
        let on = setting(c"TIERGATE_DRIVER_CLOCK").as_deref() == Some("virtual");
        VIRTUAL.store(if on { 2 } else { 1 }, Relaxed);
    }
    VIRTUAL.load(Relaxed) == 2 && crate::is_main_thread()
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn clock_gettime(clock: i32, time: *mut libc::timespec) -> i32 {
    if !is_virtual() {
        let arguments = [clock as u64, time as u64, 0, 0];
        // SAFETY: the program's own call.
        return unsafe { system_call(libc::SYS_clock_gettime, arguments) } as i32;
    }
    let now = VIRTUAL_NOW.fetch_add(STEP, Relaxed);
    let epoch = if clock == libc::CLOCK_REALTIME { EPOCH } else { 0 };
    // SAFETY: the caller's structure.
    unsafe {
        (*time).tv_sec = (now / 1_000_000_000 + epoch) as i64;
        (*time).tv_nsec = (now % 1_000_000_000) as i64;
    }
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn gettimeofday(
    time: *mut libc::timeval,
    _zone: *mut libc::c_void,
) -> i32 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both structures are valid.
    unsafe {
        let result = clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        (*time).tv_sec = now.tv_sec;
        (*time).tv_usec = now.tv_nsec / 1000;
        result
    }
}
