//! Overrides of functions by which threads wake each other or tell what they are: the gate takes
//! note, and libc does the rest.

use super::gate::{self, MainWait, Role};
use super::real;
use crate::system::{address, call, checked, checked_int, pointer};
use core::ffi::CStr;
use libc::{c_char, c_int, c_long, c_void, pthread_cond_t, pthread_t, sem_t, size_t, ssize_t};

/// What a yield lets pass where threads run in turns: a thread that yields until something
/// happens must not stop the time.
const YIELD: u64 = 1_000;

/// libc's `pthread_cond_signal`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int {
    gate::note_activity();
    // SAFETY: the caller's condition.
    real::COND_SIGNAL.get().map_or(libc::EINVAL, |real| unsafe { real(condition) })
}

/// libc's `pthread_cond_broadcast`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int {
    gate::note_activity();
    // SAFETY: the caller's condition.
    real::COND_BROADCAST.get().map_or(libc::EINVAL, |real| unsafe { real(condition) })
}

/// libc's `sem_post`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_post(semaphore: *mut sem_t) -> c_int {
    gate::note_activity();
    // SAFETY: the caller's semaphore.
    real::SEM_POST.get().map_or(-1, |real| unsafe { real(semaphore) })
}

/// libc's `write`, by which event loops are woken too.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, length: size_t) -> ssize_t {
    gate::note_activity();
    let length = c_long::try_from(length).unwrap_or(c_long::MAX);
    let arguments = [file.into(), address(bytes), length, 0, 0, 0];
    // SAFETY: the caller's arguments, which the kernel checks.
    ssize_t::try_from(checked(unsafe { call(libc::SYS_write, arguments) })).unwrap_or(-1)
}

/// libc's `eventfd_write`.
#[unsafe(no_mangle)]
extern "C" fn eventfd_write(file: c_int, value: u64) -> c_int {
    // SAFETY: the value is as long as said.
    match unsafe { write(file, (&raw const value).cast(), size_of::<u64>()) } {
        8 => 0,
        _ => -1,
    }
}

/// libc's `socket`.
#[unsafe(no_mangle)]
extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    // The kernel itself is at the other end of a netlink socket.
    if domain != libc::AF_NETLINK {
        gate::note_connection();
    }
    // SAFETY: the kernel checks the arguments.
    checked_int(unsafe {
        call(libc::SYS_socket, [domain.into(), kind.into(), protocol.into(), 0, 0, 0])
    })
}

/// libc's `sched_yield`.
#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> c_int {
    match gate::role() {
        Role::Main => {
            MainWait::lasting(Some(0)).let_helpers_run();
        }
        Role::Helper(parking) => {
            parking.park(Some(gate::now(false) + YIELD), false);
        }
        Role::Loose => {}
    }
    // SAFETY: the call has no arguments and can't fail.
    checked_int(unsafe { call(libc::SYS_sched_yield, [0; 6]) })
}

/// libc's `pthread_setname_np`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int {
    let Some(real) = real::SETNAME.get() else { return libc::EINVAL };
    // SAFETY: the caller's arguments.
    let result = unsafe { real(thread, name) };
    // SAFETY: `pthread_self` has no preconditions; the caller's name is terminated.
    unsafe {
        if thread == libc::pthread_self() && !name.is_null() {
            gate::on_name(CStr::from_ptr(name));
        }
    }
    result
}

/// libc's `prctl`. Declared with all its arguments: those that were not passed are registers of
/// any content, which the kernel ignores.
///
/// # Safety
/// As the kernel's documentation of the call asks for.
#[unsafe(no_mangle)]
unsafe extern "C" fn prctl(
    operation: c_int,
    first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
) -> c_int {
    let arguments = [operation.into(), first, second, third, fourth, 0];
    // SAFETY: the caller's arguments.
    let result = checked_int(unsafe { call(libc::SYS_prctl, arguments) });
    if operation == libc::PR_SET_NAME && result == 0 {
        let name = pointer::<c_char>(first);
        // SAFETY: the kernel has just read the name from there.
        gate::on_name(unsafe { CStr::from_ptr(name) });
    }
    result
}
