//! The process's own number, constant: engines and programs keep it in strings and print it, so its
//! digits take room in the heap and cost instructions.
//!
//! Other processes know this one by its real number, and the kernel does: where the constant one
//! comes back to send a signal, the real one takes its place.

use super::{Pin, is_main};
use crate::system::{call, checked_int, process_number};
use libc::{c_int, c_long, pid_t};

/// The kernel's limit for such numbers, so it is never another process's.
const NUMBER: pid_t = 4_194_304;

/// What a thread that asks for its own number is told, where that is not the kernel's answer.
pub(super) fn thread_number() -> Option<pid_t> {
    // The main thread's is the process's.
    (Pin::Process.is_on() && is_main()).then_some(NUMBER)
}

/// What the process is told to be its number, where that is not the kernel's answer.
pub(super) fn number() -> Option<pid_t> {
    Pin::Process.is_on().then_some(NUMBER)
}

/// The number that the kernel knows: of the process, or with a minus of its group, which the
/// launcher has made it the head of.
pub(crate) fn real_number(number: pid_t) -> pid_t {
    if !Pin::Process.is_on() || number.checked_abs() != Some(NUMBER) {
        return number;
    }
    number.signum() * process_number()
}

/// libc's `getpid`.
#[unsafe(no_mangle)]
extern "C" fn getpid() -> pid_t {
    number().unwrap_or_else(process_number)
}

/// libc's `gettid`.
#[unsafe(no_mangle)]
extern "C" fn gettid() -> pid_t {
    thread_number().unwrap_or_else(crate::system::thread_number)
}

/// libc's `tgkill`.
#[unsafe(no_mangle)]
extern "C" fn tgkill(process: pid_t, thread: pid_t, signal: c_int) -> c_int {
    let arguments = [process, thread].map(|one| c_long::from(real_number(one)));
    // SAFETY: the kernel checks the arguments.
    checked_int(unsafe {
        call(libc::SYS_tgkill, [arguments[0], arguments[1], signal.into(), 0, 0, 0])
    })
}
