//! Whether this machine has hardware counters for instructions, and may read them.

#![allow(unsafe_code, reason = "perf_event_open has no safe wrapper in libc")]

use perf_event_open_sys as sys;
use std::os::fd::{FromRawFd, OwnedFd};
use std::{fs, io};

/// What the kernel says of its hardware counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PerfState {
    /// Instructions of this process can be counted.
    Usable,
    /// The processor, or the virtual machine, has none.
    NoCounters,
    /// There may be counters, but this process may not use them.
    Denied {
        /// The content of `/proc/sys/kernel/perf_event_paranoid`, where it can be read.
        paranoid: Option<String>,
    },
    /// The kernel does not know the call, or a filter hides it.
    NoSystemCall,
    /// Anything else.
    Unknown(String),
}

/// Tries to open a counter of user-space instructions for this thread.
pub fn perf_state() -> PerfState {
    let mut attributes = sys::bindings::perf_event_attr {
        type_: sys::bindings::PERF_TYPE_HARDWARE,
        size: u32::try_from(size_of::<sys::bindings::perf_event_attr>()).unwrap_or(0),
        config: u64::from(sys::bindings::PERF_COUNT_HW_INSTRUCTIONS),
        ..Default::default()
    };
    attributes.set_disabled(1);
    attributes.set_exclude_kernel(1);
    attributes.set_exclude_hv(1);
    // SAFETY: the attributes are valid and of the size they state; a descriptor that comes back
    // is owned by nobody else.
    let result = unsafe {
        let descriptor = sys::perf_event_open(&raw mut attributes, 0, -1, -1, 0);
        if descriptor >= 0 {
            drop(OwnedFd::from_raw_fd(descriptor));
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    };
    match result {
        Ok(()) => PerfState::Usable,
        Err(error) => state_of(&error, || {
            fs::read_to_string("/proc/sys/kernel/perf_event_paranoid")
                .ok()
                .map(|text| text.trim().to_owned())
        }),
    }
}

/// The meaning of each error: `perf_event_open(2)`.
fn state_of(error: &io::Error, paranoid: impl FnOnce() -> Option<String>) -> PerfState {
    use nix::errno::Errno;
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT | Errno::ENODEV | Errno::EOPNOTSUPP | Errno::ENXIO) => {
            PerfState::NoCounters
        }
        Some(Errno::EACCES | Errno::EPERM) => PerfState::Denied { paranoid: paranoid() },
        Some(Errno::ENOSYS) => PerfState::NoSystemCall,
        _ => PerfState::Unknown(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::errno::Errno;

    #[test]
    fn absence_and_denial_are_told_apart() {
        let state = |errno: Errno| {
            state_of(&io::Error::from_raw_os_error(errno as i32), || Some("4".to_owned()))
        };
        assert_eq!(state(Errno::ENOENT), PerfState::NoCounters);
        assert_eq!(state(Errno::EOPNOTSUPP), PerfState::NoCounters);
        assert_eq!(state(Errno::EACCES), PerfState::Denied { paranoid: Some("4".to_owned()) });
        assert_eq!(state(Errno::ENOSYS), PerfState::NoSystemCall);
        assert!(matches!(state(Errno::EMFILE), PerfState::Unknown(_)));
    }
}
