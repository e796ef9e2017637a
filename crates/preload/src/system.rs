//! System calls made directly: libc's functions for them are overridden in this very library.

use libc::{c_int, c_long};

/// Makes a system call; errors come back as negative numbers.
///
/// # Safety
/// As the kernel's documentation of the call asks for.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: c_long, arguments: [c_long; 6]) -> c_long {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result;
    // SAFETY: the caller answers for the call; the kernel changes only the registers listed.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            in("r8") fifth,
            in("r9") sixth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Makes a system call; errors come back as negative numbers.
///
/// # Safety
/// As the kernel's documentation of the call asks for.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: c_long, arguments: [c_long; 6]) -> c_long {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result;
    // SAFETY: the caller answers for the call; the kernel changes only x0.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") first => result,
            in("x1") second,
            in("x2") third,
            in("x3") fourth,
            in("x4") fifth,
            in("x5") sixth,
            options(nostack),
        );
    }
    result
}

/// A result as libc's functions return it: -1 and errno for an error.
pub(crate) fn checked(result: c_long) -> c_long {
    match c_int::try_from(-result) {
        Ok(error @ 1..4096) => {
            set_errno(error);
            -1
        }
        _ => result,
    }
}

/// The same, for functions that return an `int`.
pub(crate) fn checked_int(result: c_long) -> c_int {
    c_int::try_from(checked(result)).unwrap_or(-1)
}

/// Sets the calling thread's errno.
pub(crate) fn set_errno(error: c_int) {
    // SAFETY: libc's place for the calling thread's errno is always valid.
    unsafe { libc::__errno_location().write(error) };
}

/// The calling thread's errno.
pub(crate) fn errno() -> c_int {
    // SAFETY: libc's place for the calling thread's errno is always valid.
    unsafe { libc::__errno_location().read() }
}

/// A pointer as a system call's argument.
pub(crate) fn address<T>(pointer: *const T) -> c_long {
    pointer.expose_provenance().cast_signed() as c_long
}

/// A system call's argument as a pointer.
pub(crate) fn pointer<T>(address: c_long) -> *const T {
    core::ptr::with_exposed_provenance(usize::try_from(address.cast_unsigned()).unwrap_or(0))
}

/// The real monotonic clock, in nanoseconds.
pub(crate) fn real_monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let place = address(&raw mut time);
    // SAFETY: `time` is a valid place for the result; the monotonic clock always exists.
    unsafe {
        call(libc::SYS_clock_gettime, [libc::CLOCK_MONOTONIC.into(), place, 0, 0, 0, 0]);
    }
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// The process's real number.
pub(crate) fn process_number() -> c_int {
    // SAFETY: the call has no arguments and can't fail.
    checked_int(unsafe { call(libc::SYS_getpid, [0; 6]) })
}

/// The calling thread's real number.
pub(crate) fn thread_number() -> c_int {
    // SAFETY: the call has no arguments and can't fail.
    checked_int(unsafe { call(libc::SYS_gettid, [0; 6]) })
}
