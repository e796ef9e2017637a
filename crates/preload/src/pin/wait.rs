//! One wait of a thread: how long it may take, and what the clock says afterwards.

use super::{Pin, clock, is_main};
use crate::system::{self, call};
use libc::{c_int, c_long, timespec};

/// A wait that has just begun.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    is_main: bool,
    /// How long it may take by the caller's clock; `None` is without end.
    length: Option<u64>,
}

/// The part of a wait that one call to the kernel is to take.
#[derive(Clone, Copy)]
pub(super) struct Slice(Option<u64>);

impl Wait {
    pub(super) fn endless() -> Self {
        Self { is_main: is_main(), length: None }
    }

    pub(super) fn lasting(nanoseconds: u64) -> Self {
        Self { length: Some(nanoseconds), ..Self::endless() }
    }

    /// A wait until an absolute time, on whichever clock it is.
    pub(super) fn until(deadline: u64) -> Self {
        let wait = Self::endless();
        let left = clock::since_start(deadline).saturating_sub(clock::now(wait.is_main));
        Self { length: Some(left), ..wait }
    }

    /// A relative time of libc's; null is without end.
    ///
    /// # Safety
    /// The time is null or valid.
    pub(super) unsafe fn of(time: *const timespec) -> Self {
        // SAFETY: the caller's promise.
        match unsafe { time.as_ref() } {
            None => Self::endless(),
            // A bad time comes out as zero here and does not reach the kernel, which would refuse
            // it; no engine passes one.
            Some(time) => Self::lasting(clock::nanoseconds(time).unwrap_or(0)),
        }
    }

    /// A sleep under the virtual clock; `None` when there is no such clock or the time is bad.
    ///
    /// # Safety
    /// The time is null or valid.
    pub(super) unsafe fn sleeping(absolute: bool, time: *const timespec) -> Option<Self> {
        // SAFETY: the caller's promise.
        let time = clock::nanoseconds(unsafe { time.as_ref() }?)?;
        Pin::Clock.is_on().then(|| if absolute { Self::until(time) } else { Self::lasting(time) })
    }

    /// Waits by a call that returns 0 when its time has run out.
    pub(super) fn for_events(self, mut wait: impl FnMut(Slice) -> c_int) -> c_int {
        let deadline = self.deadline();
        let result = wait(Slice(self.length));
        if result == 0 {
            self.ran_out(deadline);
        }
        result
    }

    /// Sleeps; returns 0 or an error, with the time that was left in `left`.
    pub(super) fn asleep(self, left: *mut timespec) -> c_int {
        let deadline = self.deadline();
        let time = clock::timespec(self.length.unwrap_or(u64::MAX));
        let mut rest = timespec { tv_sec: 0, tv_nsec: 0 };
        let place = |time: *const timespec| time.expose_provenance().cast_signed() as c_long;
        let arguments =
            [libc::CLOCK_MONOTONIC.into(), 0, place(&raw const time), place(&raw mut rest), 0, 0];
        // SAFETY: both times are valid places.
        let result = unsafe { call(libc::SYS_clock_nanosleep, arguments) };
        if result == 0 {
            self.ran_out(deadline);
        } else if !left.is_null() {
            // SAFETY: the caller's place is null or valid.
            unsafe { left.write(rest) };
        }
        c_int::try_from(-result).unwrap_or(libc::EINVAL)
    }

    /// Waits by one of libc's functions that take an absolute real monotonic time and return an
    /// error number.
    pub(super) fn until_real(self, wait: impl FnOnce(&timespec) -> c_int) -> c_int {
        let deadline = self.deadline();
        let end = system::real_monotonic().saturating_add(self.length.unwrap_or(u64::MAX));
        let result = wait(&clock::timespec(end));
        if result == libc::ETIMEDOUT {
            self.ran_out(deadline);
        }
        result
    }

    /// The moment of its end by the virtual clock.
    fn deadline(self) -> Option<u64> {
        let length = self.length.filter(|_| Pin::Clock.is_on())?;
        Some(clock::now(self.is_main).saturating_add(length))
    }

    fn ran_out(self, deadline: Option<u64>) {
        if let Some(deadline) = deadline {
            clock::wait_ended(self.is_main, deadline);
        }
    }
}

impl Slice {
    /// In milliseconds, rounded up, as libc's functions do; -1 is without end.
    pub(super) fn milliseconds(self) -> c_int {
        match self.0 {
            Some(nanoseconds) => {
                c_int::try_from(nanoseconds.div_ceil(1_000_000)).unwrap_or(c_int::MAX)
            }
            None => -1,
        }
    }

    /// `None` is without end.
    pub(super) fn timespec(self) -> Option<timespec> {
        self.0.map(clock::timespec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_never_shorter_than_asked_for() {
        assert_eq!(Slice(None).milliseconds(), -1);
        assert_eq!(Slice(Some(0)).milliseconds(), 0);
        assert_eq!(Slice(Some(1)).milliseconds(), 1);
        assert_eq!(Slice(Some(u64::MAX)).milliseconds(), c_int::MAX);
        assert!(Slice(None).timespec().is_none());
    }
}
