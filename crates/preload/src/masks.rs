//! The functions that block signals. A write to code that the counter has translated faults, in
//! whatever thread, and the kernel ends a process whose thread faults with the fault's signal
//! blocked: so that signal stays unblocked in all threads of a process that the counter measures.

use crate::plan::{self, Instrument};
use crate::system::{address, call, checked_int};
use core::ptr;
use libc::{c_int, c_long, sigset_t};

/// The bytes of a mask as the kernel knows it; libc's type is larger.
const MASK_BYTES: c_long = 8;

const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// What libc uses itself, to cancel threads and to change all threads' users, and lets nobody block.
const LIBC_OWN: u64 = bit(32) | bit(33);

fn kept_unblocked() -> u64 {
    let counted = plan::get().is_some_and(|plan| plan.instrument == Instrument::Counter);
    LIBC_OWN | if counted { bit(libc::SIGSEGV) } else { 0 }
}

/// # Safety
/// Both pointers must be null or point to masks.
unsafe fn change(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_long {
    // SAFETY: the caller's mask; its first word is the kernel's.
    let asked = (!new.is_null()).then(|| unsafe { new.cast::<u64>().read() });
    let mask = asked.map(|mask| match how {
        libc::SIG_UNBLOCK => mask,
        _ => mask & !kept_unblocked(),
    });
    let given = mask.as_ref().map_or(ptr::null(), ptr::from_ref);
    let arguments = [how.into(), address(given), address(old), MASK_BYTES, 0, 0];
    // SAFETY: both are null or as large as said.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) }
}

/// libc's `sigprocmask`.
#[unsafe(no_mangle)]
unsafe extern "C" fn sigprocmask(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    // SAFETY: the promise of the caller.
    checked_int(unsafe { change(how, new, old) })
}

/// libc's `pthread_sigmask`, which returns the error.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const sigset_t,
    old: *mut sigset_t,
) -> c_int {
    // SAFETY: the promise of the caller.
    let result = unsafe { change(how, new, old) };
    c_int::try_from(-result).unwrap_or(0)
}
