//! A wait of the main thread: the time in which the others run.

use super::helper::{Helper, NEVER};
use super::{ACTIVITY, has_names, helpers, now, outside, patience, rest};
use crate::pin::{Pin, clock};
use crate::system;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Rounds after which the main thread looks for events although the helpers still wake each other.
const LARGEST_ROUNDS: u32 = 1_000;
/// Every so many times all helpers get a turn, in case a wake-up went by unseen.
const UNASKED: u32 = 32;
/// How long a real wait takes at most before the helpers are looked at again: at first, and after
/// so many doublings while nothing happens.
const SLICE: u64 = 1_000_000;
const DOUBLINGS: u32 = 5;
/// How long nothing must have come by the channel before time passes.
const CHANNEL_PATIENCE: u64 = 1_000_000_000;

/// How often the helpers were let run; only the main thread counts.
static STEPS: AtomicU32 = AtomicU32::new(0);

/// Real waits since something happened last; only the main thread counts.
static QUIET: AtomicU32 = AtomicU32::new(0);

/// A wait of the main thread that has begun.
pub(in super::super) struct MainWait {
    /// When it runs out.
    deadline: u64,
    /// When the present real sleep began, by the real clock.
    sleep_began: u64,
    /// How long it has waited for the channel only, by the real clock. Time stands still meanwhile:
    /// how long an answer takes is no affair of this program's.
    channel_waited: u64,
    waits_for_channel: bool,
}

/// What the main thread is to do when nothing has come although the helpers have run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Next {
    /// Let the helpers run again: time has passed for them.
    LookAgain,
    /// Its time has run out.
    RanOut,
    /// Really wait for so many nanoseconds at most, then call [`MainWait::slept`].
    Sleep(u64),
}

impl MainWait {
    /// A wait of so many nanoseconds; `None` is without end.
    pub(in super::super) fn lasting(length: Option<u64>) -> Self {
        let deadline = length.map_or(NEVER, |length| now(true).saturating_add(length));
        Self { deadline, sleep_began: 0, channel_waited: 0, waits_for_channel: false }
    }

    /// Lets the helpers run until none of them has anything to do. Returns whether one of them did
    /// something that may end a wait.
    pub(in super::super) fn let_helpers_run(&mut self) -> bool {
        let steps = STEPS.load(Relaxed).wrapping_add(1);
        STEPS.store(steps, Relaxed);
        let mut everyone = steps.is_multiple_of(UNASKED);
        let first = ACTIVITY.load(Relaxed);
        if has_names() {
            rest::await_rest();
        }
        for _ in 0..LARGEST_ROUNDS {
            let before = ACTIVITY.load(Relaxed);
            for helper in helpers() {
                give_turn_if(helper, everyone);
            }
            everyone = false;
            if ACTIVITY.load(Relaxed) == before {
                break;
            }
        }
        let happened = ACTIVITY.load(Relaxed) != first;
        if happened {
            QUIET.store(0, Relaxed);
        }
        happened
    }

    /// Lets time pass: at once where all threads wait for nothing else.
    pub(in super::super) fn next(&mut self) -> Next {
        let next = helpers()
            .iter()
            .filter(|helper| helper.is_gated())
            .map(|helper| helper.deadline.load(Relaxed))
            .fold(self.deadline, u64::min);
        let left = next.saturating_sub(now(true));
        let is_alone = Pin::Clock.is_on() && nothing_else_can_happen();
        self.waits_for_channel =
            is_alone && self.channel_waited < CHANNEL_PATIENCE && outside::may_send();
        if left > 0 && (!is_alone || next == NEVER || self.waits_for_channel) {
            self.sleep_began = system::real_monotonic();
            let quiet = QUIET.load(Relaxed).min(DOUBLINGS);
            QUIET.store(quiet + 1, Relaxed);
            return Next::Sleep(left.min(SLICE << quiet));
        }
        if left > 0 {
            clock::CLOCK.advance_to(next);
        }
        if now(true) >= self.deadline { Next::RanOut } else { Next::LookAgain }
    }

    /// The real sleep is over: the virtual clock follows.
    pub(in super::super) fn slept(&mut self) {
        let slept = system::real_monotonic().saturating_sub(self.sleep_began);
        if self.waits_for_channel {
            self.channel_waited += slept;
        } else if Pin::Clock.is_on() {
            clock::CLOCK.advance_to(clock::shared_now().saturating_add(slept).min(self.deadline));
        }
    }
}

fn nothing_else_can_happen() -> bool {
    let is_out = |helper: &Helper| helper.is_gated() && helper.is_out.load(Relaxed);
    !helpers().iter().any(is_out) && !outside::can_act()
}

/// Gives a helper its turn if something may have happened to what it waits for.
fn give_turn_if(helper: &Helper, unasked: bool) {
    if !helper.is_gated() {
        return;
    }
    if helper.is_out.load(Relaxed) {
        patience::await_return(helper);
        if helper.is_out.load(Relaxed) || !helper.is_gated() {
            return;
        }
    }
    let activity = ACTIVITY.load(Relaxed);
    let asked = helper.seen_activity.load(Relaxed) != activity
        || helper.waits_for_files.load(Relaxed)
        || helper.deadline.load(Relaxed) <= now(true);
    if asked || unasked {
        helper.seen_activity.store(activity, Relaxed);
        helper.give_turn();
        patience::await_return(helper);
    }
}
