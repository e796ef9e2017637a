//! Which files the process asks for, noted in a file: the launcher wants to know what a bench
//! loads. Only processes that are not measured do so.

use crate::environment::variable;
use crate::system::{address, call};
use core::ffi::CStr;
use core::sync::atomic::{AtomicI32, Ordering::Relaxed};
use libc::{c_char, c_int, c_long};
use tiergate_protocol::{environment, opened};

/// The descriptor of the notes; -1 while nothing is noted.
static NOTES: AtomicI32 = AtomicI32::new(-1);

/// Far from those that programs expect to get.
const DESCRIPTOR: c_long = 700;

/// Notes a path, whether or not a file is there.
///
/// # Safety
/// The path is null or terminated.
pub(crate) unsafe fn note(folder: c_int, path: *const c_char) {
    let notes = NOTES.load(Relaxed);
    if notes < 0 || path.is_null() {
        return;
    }
    // SAFETY: the caller's path is terminated.
    let path = unsafe { CStr::from_ptr(path) };
    let known = folder == libc::AT_FDCWD || path.to_bytes().starts_with(b"/");
    let text = if known { path } else { opened::UNKNOWN };
    // The end is a zero, which no path holds. One call, so that threads don't mix their notes.
    let bytes = text.to_bytes_with_nul();
    let length = c_long::try_from(bytes.len()).unwrap_or(0);
    let arguments = [notes.into(), address(bytes.as_ptr()), length, 0, 0, 0];
    // SAFETY: the bytes are valid for as long.
    unsafe { call(libc::SYS_write, arguments) };
}

extern "C" fn open_notes() {
    let Some(path) = variable(environment::OPENED) else { return };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
    let arguments = [libc::AT_FDCWD.into(), address(path.as_ptr()), flags.into(), 0o600, 0, 0];
    // SAFETY: the path is terminated; the kernel checks the descriptors.
    unsafe {
        let file = call(libc::SYS_openat, arguments);
        if file >= 0 {
            let command = libc::F_DUPFD_CLOEXEC.into();
            let kept = call(libc::SYS_fcntl, [file, command, DESCRIPTOR, 0, 0, 0]);
            call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
            NOTES.store(c_int::try_from(kept).unwrap_or(-1), Relaxed);
        }
    }
}

/// The dynamic loader runs what this section lists after libc is initialised and before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static OPEN_NOTES: extern "C" fn() = open_notes;
