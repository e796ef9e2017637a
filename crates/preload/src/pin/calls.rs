//! Override of `syscall`, by which engines reach calls that libc has no function for. What it can
//! ask for that is pinned elsewhere is answered here alike.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the kernel itself takes the lower half of a register for an `int`"
)]

use super::gate::{self, Role};
use super::wait::Wait;
use super::{Pin, clock, process, times};
use crate::system::{address, call, checked, pointer};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::SeqCst;
use libc::{c_int, c_long, pid_t, timespec};

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
        match number {
            libc::SYS_clock_gettime if Pin::Clock.is_on() => {
                times::clock_gettime(first as c_int, pointer::<timespec>(second).cast_mut()).into()
            }
            libc::SYS_getrandom if Pin::Random.is_on() => {
                let length = usize::try_from(second).unwrap_or(0);
                super::random::random(pointer::<u8>(first).cast_mut().cast(), length, third as u32)
                    as c_long
            }
            libc::SYS_futex if Pin::any() => futex(arguments),
            libc::SYS_getpid if let Some(number) = process::number() => number.into(),
            libc::SYS_gettid if let Some(number) = process::thread_number() => number.into(),
            libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill | libc::SYS_pidfd_open => {
                checked(call(number, with_real_numbers(number, arguments)))
            }
            _ => checked(call(number, arguments)),
        }
    }
}

/// The arguments of a call that is about a process, or about a thread of it.
fn with_real_numbers(call: c_long, arguments: [c_long; 6]) -> [c_long; 6] {
    let [first, second, ..] = arguments;
    let real = |number: c_long| c_long::from(process::real_number(number as pid_t));
    let second = if call == libc::SYS_tgkill { real(second) } else { second };
    let mut changed = arguments;
    changed[..2].copy_from_slice(&[real(first), second]);
    changed
}

/// A futex call. Its timeout, if it has one, is by the virtual clock; in the gate its wait is one
/// of those in which helpers park.
///
/// # Safety
/// As the kernel asks for.
unsafe fn futex(arguments: [c_long; 6]) -> c_long {
    let [word, operation, value, timeout, second_word, last] = arguments;
    let command = operation as c_int & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    let is_absolute = command == libc::FUTEX_WAIT_BITSET;
    if !is_absolute && command != libc::FUTEX_WAIT {
        gate::note_activity();
        // SAFETY: the caller's arguments.
        return checked(unsafe { call(libc::SYS_futex, arguments) });
    }
    // SAFETY: a waiting command's fourth argument is null or a valid time.
    let length = unsafe { pointer::<timespec>(timeout).as_ref() }.and_then(clock::nanoseconds);
    let wait = match length {
        None => Wait::endless(),
        Some(deadline) if is_absolute => Wait::until(deadline),
        Some(length) => Wait::lasting(length),
    };
    let role = gate::role();
    if !matches!(role, Role::Loose) && (Pin::Clock.is_on() || !is_absolute) {
        let word = pointer::<AtomicU32>(word);
        // SAFETY: the caller's word, which it may change from any thread.
        return gated_futex(wait, role, unsafe { &*word }, value as u32);
    }
    if length.is_none() || !Pin::Clock.is_on() {
        // SAFETY: the caller's arguments.
        return checked(unsafe { call(libc::SYS_futex, arguments) });
    }
    let error = wait.until_real(|time| {
        // With a bit set the time is absolute and, without the other flag, monotonic.
        let operation = libc::FUTEX_WAIT_BITSET | (operation as c_int & libc::FUTEX_PRIVATE_FLAG);
        let mask = if is_absolute { last } else { libc::FUTEX_BITSET_MATCH_ANY.into() };
        let time = address(core::ptr::from_ref(time));
        let arguments = [word, operation.into(), value, time, second_word, mask];
        // SAFETY: the caller's arguments, with a valid time.
        c_int::try_from(-unsafe { call(libc::SYS_futex, arguments) }).unwrap_or(libc::EINVAL)
    });
    checked(c_long::from(-error))
}

fn gated_futex(wait: Wait, role: Role, word: &AtomicU32, value: u32) -> c_long {
    if word.load(SeqCst) != value {
        return checked(-c_long::from(libc::EAGAIN));
    }
    let mut parked = false;
    // A wake-up without a change of the word counts too: after one park a helper looks for itself.
    let changed = wait.for_change(role, || {
        let woken = word.load(SeqCst) != value || (parked && matches!(role, Role::Helper(_)));
        parked = true;
        woken.then_some(0)
    });
    changed.unwrap_or_else(|| checked(-c_long::from(libc::ETIMEDOUT)))
}
