//! The functions that change mappings. The counter sees the measured thread's own system calls, but
//! not those of other threads, which may change the code that it has translated.

use crate::plan::{self, Instrument};
use crate::system::{address, call, checked, checked_int, pointer};
use crate::{counter, section};
use core::ffi::c_void;
use libc::{c_int, c_long, off_t, size_t};

/// Tells the counter of a change that another thread than the measured one has made.
fn changed(start: c_long, length: size_t, protection: c_int) {
    if plan::get().is_some_and(|plan| plan.instrument == Instrument::Counter)
        && !section::is_armed_thread()
    {
        let may_be_code = protection & libc::PROT_EXEC != 0;
        counter::mapping_changed(start.cast_unsigned(), length as u64, may_be_code);
    }
}

/// libc's `mmap`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    place: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    let arguments = [
        address(place),
        length.cast_signed() as c_long,
        protection.into(),
        flags.into(),
        file.into(),
        offset,
    ];
    // SAFETY: the caller answers for the mapping that it takes the place of.
    let result = unsafe { call(libc::SYS_mmap, arguments) };
    if checked(result) != -1 {
        changed(result, length, protection);
    }
    pointer::<c_void>(checked(result)).cast_mut()
}

/// libc's `mmap64`, which is the same where offsets have 64 bits.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    place: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the promise of the caller.
    unsafe { mmap(place, length, protection, flags, file, offset) }
}

/// libc's `munmap`.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(place: *mut c_void, length: size_t) -> c_int {
    let arguments = [address(place), length.cast_signed() as c_long, 0, 0, 0, 0];
    // SAFETY: the caller answers for what it unmaps.
    let result = unsafe { call(libc::SYS_munmap, arguments) };
    if result == 0 {
        changed(address(place), length, 0);
    }
    checked_int(result)
}

/// libc's `mprotect`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mprotect(place: *mut c_void, length: size_t, protection: c_int) -> c_int {
    let arguments = [address(place), length.cast_signed() as c_long, protection.into(), 0, 0, 0];
    // SAFETY: the caller answers for what it protects.
    let result = unsafe { call(libc::SYS_mprotect, arguments) };
    // A call that fails may have changed the first of several mappings.
    changed(address(place), length, protection);
    checked_int(result)
}

/// libc's `pkey_mprotect`, which without a key is `mprotect`.
#[unsafe(no_mangle)]
unsafe extern "C" fn pkey_mprotect(
    place: *mut c_void,
    length: size_t,
    protection: c_int,
    key: c_int,
) -> c_int {
    if key == -1 {
        // SAFETY: the promise of the caller.
        return unsafe { mprotect(place, length, protection) };
    }
    let arguments =
        [address(place), length.cast_signed() as c_long, protection.into(), key.into(), 0, 0];
    // SAFETY: the caller answers for what it protects.
    let result = unsafe { call(libc::SYS_pkey_mprotect, arguments) };
    changed(address(place), length, protection);
    checked_int(result)
}

/// libc's `mremap`; its last argument is looked at by the kernel only where `flags` say that it is
/// there.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    place: *mut c_void,
    old_length: size_t,
    new_length: size_t,
    flags: c_int,
    new_place: *mut c_void,
) -> *mut c_void {
    let arguments = [
        address(place),
        old_length.cast_signed() as c_long,
        new_length.cast_signed() as c_long,
        flags.into(),
        address(new_place),
        0,
    ];
    // SAFETY: the caller answers for what it moves and what that takes the place of.
    let result = unsafe { call(libc::SYS_mremap, arguments) };
    if checked(result) != -1 {
        changed(address(place), old_length, 0);
        changed(result, new_length, libc::PROT_EXEC);
    }
    pointer::<c_void>(checked(result)).cast_mut()
}
