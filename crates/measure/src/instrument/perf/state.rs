//! Whether this machine has hardware counters for instructions, and may read them.

#![allow(unsafe_code, reason = "perf_event_open has no safe wrapper in libc")]

use nix::errno::Errno;
use perf_event_open_sys as sys;
use std::os::fd::{FromRawFd, OwnedFd};
use std::{fmt, fs, io};

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

/// Up to this value of `kernel.perf_event_paranoid` a process may count its own instructions in
/// user space: `Documentation/admin-guide/sysctl/kernel.rst` of the kernel.
const PARANOID_LIMIT: i64 = 2;

impl PerfState {
    /// The meaning of an error of `perf_event_open(2)`.
    pub(super) fn of_error(error: i32) -> Self {
        Self::of(&io::Error::from_raw_os_error(error), || {
            fs::read_to_string("/proc/sys/kernel/perf_event_paranoid")
                .ok()
                .map(|text| text.trim().to_owned())
        })
    }

    fn of(error: &io::Error, paranoid: impl FnOnce() -> Option<String>) -> Self {
        match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT | Errno::ENODEV | Errno::EOPNOTSUPP | Errno::ENXIO) => {
                Self::NoCounters
            }
            Some(Errno::EACCES | Errno::EPERM) => Self::Denied { paranoid: paranoid() },
            Some(Errno::ENOSYS) => Self::NoSystemCall,
            _ => Self::Unknown(error.to_string()),
        }
    }

    /// What helps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Usable => "nothing is missing",
            Self::Denied { paranoid } if !forbids(paranoid.as_deref()) => {
                "kernel.perf_event_paranoid=2 or less allows it, so a filter of system calls \
                 denies it: run the container with `--cap-add PERFMON` or `--security-opt \
                 seccomp=unconfined`, or use `--instrument counter` or `callgrind`"
            }
            Self::Denied { .. } => {
                "allow it with `sudo sysctl kernel.perf_event_paranoid=2`, or use `--instrument \
                 counter` or `callgrind`, which need no permission"
            }
            Self::NoCounters | Self::NoSystemCall | Self::Unknown(_) => {
                "use `--instrument counter` or `callgrind`, which need no hardware counters"
            }
        }
    }
}

fn forbids(paranoid: Option<&str>) -> bool {
    paranoid.and_then(|text| text.parse::<i64>().ok()).is_none_or(|value| value > PARANOID_LIMIT)
}

impl fmt::Display for PerfState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usable => formatter.write_str("this machine has hardware counters"),
            Self::NoCounters => {
                formatter.write_str("this machine has none (virtual machines often hide them)")
            }
            Self::Denied { paranoid } => write!(
                formatter,
                "no permission to use them (kernel.perf_event_paranoid is {})",
                paranoid.as_deref().unwrap_or("unknown")
            ),
            Self::NoSystemCall => formatter
                .write_str("the kernel offers no `perf_event_open`, or a container hides it"),
            Self::Unknown(error) => write!(formatter, "`perf_event_open` failed: {error}"),
        }
    }
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
    unsafe {
        let descriptor = sys::perf_event_open(&raw mut attributes, 0, -1, -1, 0);
        if descriptor >= 0 {
            drop(OwnedFd::from_raw_fd(descriptor));
            return PerfState::Usable;
        }
    }
    PerfState::of_error(Errno::last_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_and_denial_are_told_apart() {
        let state = |errno: Errno| {
            PerfState::of(&io::Error::from_raw_os_error(errno as i32), || Some("4".to_owned()))
        };
        assert_eq!(state(Errno::ENOENT), PerfState::NoCounters);
        assert_eq!(state(Errno::EOPNOTSUPP), PerfState::NoCounters);
        assert_eq!(state(Errno::EACCES), PerfState::Denied { paranoid: Some("4".to_owned()) });
        assert_eq!(state(Errno::ENOSYS), PerfState::NoSystemCall);
        assert!(matches!(state(Errno::EMFILE), PerfState::Unknown(_)));
    }

    #[test]
    fn a_denial_against_the_setting_is_a_filters() {
        let denied =
            |paranoid: Option<&str>| PerfState::Denied { paranoid: paranoid.map(str::to_owned) };
        for setting in [Some("4"), Some("3"), None] {
            assert!(denied(setting).hint().contains("sysctl"), "{setting:?}");
        }
        for setting in [Some("2"), Some("1"), Some("-1")] {
            assert!(denied(setting).hint().contains("filter"), "{setting:?}");
        }
    }
}
