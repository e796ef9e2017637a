//! What the library holds constant, so that two processes with the same program do the same.
//!
//! Invariants:
//! - Each override does what libc's function does while its pin is off, which it is in every
//!   process whose launcher did not ask for it.
//! - Pins are read from the environment once, before the engine's `main`, and never change, except
//!   that a forked child loses them: its program is another one.
//! - Nothing here allocates or takes a lock of libc's.

mod barriers;
mod c11;
mod calls;
mod clock;
mod files;
mod gate;
mod inputs;
mod locks;
mod mutexes;
mod process;
mod random;
mod real;
mod resources;
mod shared_locks;
mod signs;
mod times;
mod wait;
mod waits;

pub(crate) use gate::parking_ns;
pub(crate) use process::real_number;

use crate::environment::variable;
use crate::report::Line;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use tiergate_protocol::{environment, pin, report};

/// One kind of constancy.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Pin {
    Clock = 1,
    Gate = 2,
    Random = 4,
    Resources = 8,
    Process = 16,
}

/// The pins that are on, as bits.
static ON: AtomicU32 = AtomicU32::new(0);

impl Pin {
    fn is_on(self) -> bool {
        ON.load(Relaxed) & self as u32 != 0
    }

    /// Whether anything is pinned.
    fn any() -> bool {
        ON.load(Relaxed) != 0
    }

    /// Makes ready what the pin needs. `None` when it is not known or can't work here.
    fn prepare(text: &str) -> Option<Self> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match name {
            pin::CLOCK => real::COND_CLOCKWAIT.get().map(|_| Self::Clock),
            pin::GATE => gate::prepare(value.as_bytes()).then_some(Self::Gate),
            pin::RANDOM => Some(Self::Random),
            pin::RESOURCES => Some(Self::Resources),
            pin::PROCESS => Some(Self::Process),
            _ => None,
        }
    }
}

/// The launcher's report line about the pins: those that are on, and how often a thread ran outside
/// of the gate's order.
pub(crate) fn report() -> Option<Line> {
    if !Pin::any() {
        return None;
    }
    let mut line = Line::new(report::PINNED).text(" ").number(gate::escaped());
    for (name, one) in [
        (pin::CLOCK, Pin::Clock),
        (pin::GATE, Pin::Gate),
        (pin::RANDOM, Pin::Random),
        (pin::RESOURCES, Pin::Resources),
        (pin::PROCESS, Pin::Process),
    ] {
        if one.is_on() {
            line = line.text(" ").text(name);
        }
    }
    Some(line)
}

/// `pthread_self` of the main thread; 0 while the pins are off.
static MAIN_THREAD: AtomicU64 = AtomicU64::new(0);

fn is_main() -> bool {
    // SAFETY: `pthread_self` has no preconditions.
    MAIN_THREAD.load(Relaxed) == unsafe { libc::pthread_self() }
}

/// What lets the threads outside of the gate come to rest, where there are some by design.
pub(crate) fn rest_of_others() -> Option<fn()> {
    (Pin::Gate.is_on() && gate::has_names()).then_some(gate::await_rest)
}

extern "C" fn read_pins() {
    let names = variable(environment::PINS).and_then(|names| names.to_str().ok()).unwrap_or("");
    let on = names.split(',').filter_map(Pin::prepare).fold(0, |on, pin| on | pin as u32);
    if on != 0 {
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(forget_pins)) };
    }
    // SAFETY: `pthread_self` has no preconditions.
    MAIN_THREAD.store(unsafe { libc::pthread_self() }, Relaxed);
    ON.store(on, Relaxed);
}

/// Runs in a forked child.
unsafe extern "C" fn forget_pins() {
    ON.store(0, Relaxed);
}

/// The dynamic loader runs what this section lists after libc is initialised and before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static READ_PINS: extern "C" fn() = read_pins;
