//! The two libc functions that JavaScript can reach without allocating and that engines do not
//! call by themselves: `getppid` (`process.ppid`) is a mark, `kill(0, 0)` (`process.kill(0, 0)`)
//! arms.

use crate::system::{call, checked_int};
use crate::{pin, section};
use libc::{c_int, pid_t};
#[cfg(target_arch = "x86_64")]
use tiergate_counter::Onward;

// libc's `getppid`, and a mark after which the caller may go on under the counter.
#[cfg(target_arch = "x86_64")]
tiergate_counter::marked_function!(
    #[unsafe(no_mangle)]
    getppid => on_getppid
);

#[cfg(target_arch = "x86_64")]
extern "C" fn on_getppid(_: u64, _: u64) -> Onward {
    let translated = section::mark();
    let parent = u64::from(parent().unsigned_abs());
    if translated { Onward::translated(parent) } else { Onward::native(parent) }
}

/// libc's `getppid`, and a mark.
#[cfg(not(target_arch = "x86_64"))]
#[unsafe(no_mangle)]
extern "C" fn getppid() -> pid_t {
    section::mark();
    parent()
}

fn parent() -> pid_t {
    // SAFETY: the call has no arguments and can't fail.
    checked_int(unsafe { call(libc::SYS_getppid, [0; 6]) })
}

/// libc's `kill`; the call that does nothing, `kill(0, 0)`, arms.
#[unsafe(no_mangle)]
extern "C" fn kill(process: pid_t, signal: c_int) -> c_int {
    if process == 0 && signal == 0 {
        section::arm();
    }
    let arguments = [pin::real_number(process).into(), signal.into(), 0, 0, 0, 0];
    // SAFETY: the kernel checks both arguments.
    checked_int(unsafe { call(libc::SYS_kill, arguments) })
}
