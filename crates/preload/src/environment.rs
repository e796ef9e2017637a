//! The launcher's variables.

use core::ffi::CStr;

/// The value of a variable. To be called only while the dynamic loader initialises libraries: the
/// value lies in the environment, which the engine may change later.
pub(crate) fn variable(name: &str) -> Option<&'static CStr> {
    let mut terminated = [0_u8; 64];
    terminated.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
    // SAFETY: `terminated` ends in a zero, because names are shorter than it; the environment is
    // not changed while the loader initialises libraries, and the result is copied before it is.
    unsafe {
        let value = libc::getenv(terminated.as_ptr().cast());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}
