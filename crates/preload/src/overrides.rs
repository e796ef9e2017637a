//! The two libc functions that JavaScript can reach without allocating and that engines do not
//! call by themselves: `getppid` (`process.ppid`) is a mark, `kill(0, 0)` (`process.kill(0, 0)`)
//! arms.

use crate::section;
use libc::{c_int, c_long, pid_t};

/// libc's `getppid`, and a mark.
#[unsafe(no_mangle)]
extern "C" fn getppid() -> pid_t {
    section::mark();
    // SAFETY: the call has no arguments and can't fail.
    let parent = unsafe { libc::syscall(libc::SYS_getppid) };
    pid_t::try_from(parent).unwrap_or(0)
}

/// libc's `kill`; the call that does nothing, `kill(0, 0)`, arms.
#[unsafe(no_mangle)]
extern "C" fn kill(process: pid_t, signal: c_int) -> c_int {
    if process == 0 && signal == 0 {
        section::arm();
    }
    // SAFETY: the kernel checks both arguments; `syscall` sets errno as `kill` does.
    let result: c_long = unsafe { libc::syscall(libc::SYS_kill, process, signal) };
    c_int::try_from(result).unwrap_or(-1)
}
