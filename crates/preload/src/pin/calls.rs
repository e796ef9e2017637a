//! Override of `syscall`, by which engines reach calls that libc has no function for. What it can
//! ask for that is pinned elsewhere is answered here alike.

use super::wait::Wait;
use super::{Pin, clock, times};
use crate::system::{call, checked};
use libc::{c_int, c_long, timespec};

/// libc's `syscall`. Declared with all six arguments: on the architectures supported, more
/// arguments than were passed are registers of any content, which the kernel ignores.
///
/// # Safety
/// As the kernel's documentation of the call asks for.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
    fifth: c_long,
    sixth: c_long,
) -> c_long {
    let arguments = [first, second, third, fourth, fifth, sixth];
    // SAFETY: the caller's arguments, here and below.
    unsafe {
        if Pin::Clock.is_on() {
            match number {
                libc::SYS_clock_gettime => {
                    return times::clock_gettime(first as c_int, pointer(second).cast_mut()).into();
                }
                libc::SYS_futex => return futex(arguments),
                _ => {}
            }
        }
        checked(call(number, arguments))
    }
}

fn pointer(address: c_long) -> *const timespec {
    core::ptr::with_exposed_provenance(address.cast_unsigned() as usize)
}

/// A futex call whose timeout, if it has one, is by the virtual clock.
///
/// # Safety
/// As the kernel asks for.
unsafe fn futex(arguments: [c_long; 6]) -> c_long {
    let [word, operation, value, timeout, second_word, last] = arguments;
    let command = operation as c_int & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    let absolute = command == libc::FUTEX_WAIT_BITSET;
    let waits = absolute || command == libc::FUTEX_WAIT;
    // SAFETY: a waiting command's fourth argument is null or a valid time.
    let wait = unsafe { pointer(timeout).as_ref() }
        .filter(|_| waits)
        .and_then(clock::nanoseconds)
        .map(|time| if absolute { Wait::until(time) } else { Wait::lasting(time) });
    let Some(wait) = wait else {
        // SAFETY: the caller's arguments.
        return checked(unsafe { call(libc::SYS_futex, arguments) });
    };
    let error = wait.until_real(|time| {
        // With a bit set the time is absolute and, without the other flag, monotonic.
        let operation = libc::FUTEX_WAIT_BITSET | (operation as c_int & libc::FUTEX_PRIVATE_FLAG);
        let mask = if absolute { last } else { libc::FUTEX_BITSET_MATCH_ANY.into() };
        let time = core::ptr::from_ref(time).expose_provenance().cast_signed() as c_long;
        let arguments = [word, operation.into(), value, time, second_word, mask];
        // SAFETY: the caller's arguments, with a valid time.
        c_int::try_from(-unsafe { call(libc::SYS_futex, arguments) }).unwrap_or(libc::EINVAL)
    });
    checked(c_long::from(-error))
}
