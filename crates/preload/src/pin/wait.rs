//! One wait of a thread: how long it may take, and what the clock says afterwards.

use super::gate::{self, MainWait, Next, Parking, Role};
use super::{Pin, clock, is_main};
use crate::system::{self, address, call};
use libc::{c_int, timespec};

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

    /// A wait until an absolute time, on whichever virtual clock it is.
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

    /// Waits by a call that returns 0 when its time has run out.
    pub(super) fn for_events(self, mut wait: impl FnMut(Slice) -> c_int) -> c_int {
        match gate::role() {
            Role::Main => self.for_events_as_main(wait),
            Role::Helper(parking) => self.for_events_as_helper(parking, wait),
            Role::Loose => {
                let deadline = self.virtual_deadline();
                let result = wait(Slice(self.length));
                if result == 0 {
                    self.ran_out(deadline);
                }
                result
            }
        }
    }

    fn for_events_as_main(self, mut wait: impl FnMut(Slice) -> c_int) -> c_int {
        let mut waiting = MainWait::lasting(self.length);
        loop {
            waiting.let_helpers_run();
            let found = wait(Slice(Some(0)));
            if found != 0 || self.length == Some(0) {
                return found;
            }
            match waiting.next() {
                Next::LookAgain => {}
                Next::RanOut => return 0,
                Next::Sleep(nanoseconds) => {
                    let found = wait(Slice(Some(nanoseconds)));
                    waiting.slept();
                    if found != 0 {
                        return found;
                    }
                }
            }
        }
    }

    fn for_events_as_helper(self, parking: Parking, mut wait: impl FnMut(Slice) -> c_int) -> c_int {
        let until = self.gate_deadline();
        loop {
            let found = wait(Slice(Some(0)));
            if found != 0 || self.length == Some(0) {
                return found;
            }
            if parking.park(until, true) {
                return wait(Slice(Some(0)));
            }
        }
    }

    /// Sleeps; returns 0 or an error, with the time that was left in `left`.
    pub(super) fn asleep(self, left: *mut timespec) -> c_int {
        match gate::role() {
            Role::Main => {
                let mut waiting = MainWait::lasting(self.length);
                loop {
                    waiting.let_helpers_run();
                    match waiting.next() {
                        Next::LookAgain => {}
                        Next::RanOut => return 0,
                        Next::Sleep(nanoseconds) => {
                            sleep(nanoseconds, core::ptr::null_mut());
                            waiting.slept();
                        }
                    }
                }
            }
            Role::Helper(parking) => {
                let until = self.gate_deadline();
                while !parking.park(until, false) {}
                0
            }
            Role::Loose => {
                let deadline = self.virtual_deadline();
                let error = sleep(self.length.unwrap_or(u64::MAX), left);
                if error == 0 {
                    self.ran_out(deadline);
                }
                error
            }
        }
    }

    /// Waits by something that others change, looked at by `look`. Returns `None` when the time has
    /// run out.
    pub(super) fn for_change<T>(
        self,
        role: Role,
        mut look: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        match role {
            Role::Main => {
                let mut waiting = MainWait::lasting(self.length);
                loop {
                    waiting.let_helpers_run();
                    if let Some(found) = look() {
                        return Some(found);
                    }
                    match waiting.next() {
                        Next::LookAgain => {}
                        Next::RanOut => return look(),
                        Next::Sleep(nanoseconds) => {
                            sleep(nanoseconds, core::ptr::null_mut());
                            waiting.slept();
                        }
                    }
                }
            }
            Role::Helper(parking) => {
                let until = self.gate_deadline();
                loop {
                    if let Some(found) = look() {
                        return Some(found);
                    }
                    if parking.park(until, false) {
                        return look();
                    }
                }
            }
            Role::Loose => look(),
        }
    }

    /// Waits by one of libc's functions that take an absolute real monotonic time and return an
    /// error number.
    pub(super) fn until_real(self, wait: impl FnOnce(&timespec) -> c_int) -> c_int {
        let deadline = self.virtual_deadline();
        let end = system::real_monotonic().saturating_add(self.length.unwrap_or(u64::MAX));
        let result = wait(&clock::timespec(end));
        if result == libc::ETIMEDOUT {
            self.ran_out(deadline);
        }
        result
    }

    /// The moment of its end by the virtual clock.
    fn virtual_deadline(self) -> Option<u64> {
        let length = self.length.filter(|_| Pin::Clock.is_on())?;
        Some(clock::now(self.is_main).saturating_add(length))
    }

    /// How long it may take; `None` is without end.
    pub(super) fn length(self) -> Option<u64> {
        self.length
    }

    /// The moment of its end by the gate's time.
    pub(super) fn gate_deadline(self) -> Option<u64> {
        self.length.map(|length| gate::now(self.is_main).saturating_add(length))
    }

    fn ran_out(self, deadline: Option<u64>) {
        if let Some(deadline) = deadline {
            clock::wait_ended(self.is_main, deadline);
        }
    }
}

/// Really sleeps; returns 0 or an error.
pub(super) fn sleep(nanoseconds: u64, left: *mut timespec) -> c_int {
    let time = clock::timespec(nanoseconds);
    let arguments =
        [libc::CLOCK_MONOTONIC.into(), 0, address(&raw const time), address(left), 0, 0];
    // SAFETY: the time is valid; the place for what is left is null or valid.
    let result = unsafe { call(libc::SYS_clock_nanosleep, arguments) };
    c_int::try_from(-result).unwrap_or(libc::EINVAL)
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
