//! Overrides of the functions that open files: random devices are remembered, and a few of the
//! kernel's figures have constant contents.

use super::random::{self, noted};
use super::real::{FileOpen, Next};
use super::{Pin, resources};
use crate::opened;
use crate::system::{address, call};
use core::ffi::CStr;
use libc::{c_char, c_int, mode_t};

/// What a path means here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    RandomDevice,
    /// What the process uses of the memory.
    OwnPages,
    /// What the machine has left of it.
    Memory,
    Other,
}

impl Meaning {
    /// A file with constant content in place of the kernel's; `None` where that one is to be opened.
    fn figures(self) -> Option<c_int> {
        match self {
            Self::OwnPages => resources::pages(),
            Self::Memory => resources::memory(),
            Self::RandomDevice | Self::Other => None,
        }
    }
}

/// # Safety
/// The path is null or terminated.
unsafe fn meaning(path: *const c_char) -> Meaning {
    if path.is_null() || !Pin::any() {
        return Meaning::Other;
    }
    // SAFETY: the caller's path is terminated.
    match unsafe { CStr::from_ptr(path) }.to_bytes() {
        b"/dev/urandom" | b"/dev/random" => Meaning::RandomDevice,
        b"/proc/self/statm" => Meaning::OwnPages,
        b"/proc/meminfo" => Meaning::Memory,
        _ => Meaning::Other,
    }
}

/// # Safety
/// As libc's `openat`.
unsafe fn open_file(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's path.
    let meaning = unsafe {
        opened::note(folder, path);
        meaning(path)
    };
    if let Some(file) = meaning.figures() {
        return file;
    }
    let arguments = [folder.into(), address(path), flags.into(), mode.into(), 0, 0];
    // SAFETY: the kernel checks the arguments.
    let result = unsafe { call(libc::SYS_openat, arguments) };
    noted(result, meaning == Meaning::RandomDevice)
}

/// Opens a stream on what the path means.
///
/// # Safety
/// As libc's `fopen`, of which `next` is one.
pub(super) unsafe fn open_stream(
    path: *const c_char,
    mode: *const c_char,
    next: &Next<FileOpen>,
) -> *mut libc::FILE {
    let Some(real) = next.get() else { return core::ptr::null_mut() };
    // SAFETY: the caller's arguments.
    unsafe {
        opened::note(libc::AT_FDCWD, path);
        let content = match meaning(path) {
            // A stream reads by calls inside of libc.
            Meaning::RandomDevice => random::as_file(),
            meaning => meaning.figures(),
        };
        match content {
            Some(file) => libc::fdopen(file, mode),
            None => real(path, mode),
        }
    }
}

// libc's four functions take the mode only where a file may be created; elsewhere the register has
// any content, which the kernel ignores.
macro_rules! opens {
    ($($name:ident($($folder:ident)?);)*) => {
        $(
            /// libc's function of that name.
            ///
            /// # Safety
            /// As libc's.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(
                $($folder: c_int,)?
                path: *const c_char,
                flags: c_int,
                mode: mode_t,
            ) -> c_int {
                #[allow(unused_variables, reason = "those with a folder have another of that name")]
                let here = libc::AT_FDCWD;
                // SAFETY: the caller's arguments.
                unsafe { open_file(opens!(@ here $($folder)?), path, flags, mode) }
            }
        )*
    };
    (@ $here:ident) => { $here };
    (@ $here:ident $folder:ident) => { $folder };
}

opens! {
    open();
    open64();
    openat(folder);
    openat64(folder);
}
