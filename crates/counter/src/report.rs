//! What a window's measurement yields.

use crate::sys;
use crate::transfers::Transfer;
use crate::translate::Translator;
use core::sync::atomic::Ordering::Relaxed;
use std::fmt;

/// Why a count doesn't cover the whole window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// The program ended in the window.
    Exited,
    /// The program replaced itself by another in the window.
    Executed,
    /// A fault that the program doesn't handle.
    Crashed,
    /// Control went to code that can't be translated; its address.
    ForeignCode(u64),
    /// A handler that began before the window returned in it.
    SignalReturn,
    /// The program set a segment base.
    SegmentBase,
    /// More signals came at once than could be kept.
    SignalsLost,
    /// A handler was changed by another thread.
    HandlersChanged,
    /// The mark was reached outside of the counter: a handler jumped out, or a fibre took the thread away.
    Escaped,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited => f.write_str("the process ended inside the window"),
            Self::Executed => f.write_str("the process replaced itself inside the window"),
            Self::Crashed => f.write_str("the process crashed inside the window"),
            Self::ForeignCode(address) => {
                write!(f, "the code at {address:#x} can't be translated")
            }
            Self::SignalReturn => {
                f.write_str("a signal handler from before the window returned inside it")
            }
            Self::SegmentBase => {
                f.write_str("the program changed a segment base inside the window")
            }
            Self::SignalsLost => f.write_str("more signals arrived at once than can be kept"),
            Self::HandlersChanged => {
                f.write_str("another thread changed a signal's handler inside the window")
            }
            Self::Escaped => {
                f.write_str("the thread left the counter, by a jump out of a signal handler")
            }
        }
    }
}

/// One block's share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockCount {
    /// Its addresses: `[start, end)`.
    pub start: u64,
    /// See `start`.
    pub end: u64,
    /// Instructions in it.
    pub instructions: u32,
    /// How often it was entered.
    pub executions: u64,
}

/// Where the instructions of a window were.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// With `Options::profile`: executions of every block; the rows add up to the total, and an address can be in several.
    pub blocks: Vec<BlockCount>,
    /// With `Options::transfers`: how control went from generated code to that of files.
    pub transfers: Vec<Transfer>,
}

/// Everything that was observed between the first and the last mark.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observations {
    /// Instructions from each mark to the next.
    pub counts: Vec<u64>,
    /// Set when `counts` is not the whole truth.
    pub incomplete: Option<Incomplete>,
    /// Writes to code by the measured thread and by others.
    pub code_writes: u64,
    /// Of those, by others.
    pub foreign_code_writes: u64,
    /// Pages or ranges whose translations were discarded, and how many blocks that were.
    pub invalidations: u64,
    /// See `invalidations`.
    pub discarded_blocks: u64,
    /// Mappings of code that the program changed.
    pub code_mappings_changed: u64,
    /// System calls by number, those with a count only.
    pub system_calls: Vec<(u32, u64)>,
    /// System calls made twice, as the first attempt met guarded memory.
    pub system_calls_repeated: u64,
    /// Signals handed to the program's handlers. The handlers' instructions are not counted.
    pub signals: u64,
    /// Faults that the program handles itself, likewise.
    pub faults: u64,
    /// Threads that the measured thread started.
    pub threads_started: u64,
    /// Processes that it started.
    pub children_started: u64,
    /// Instructions with a repeat prefix; each counts once, however often it repeats.
    pub repeated_instructions: u64,
    /// Loads of the stack pointer that led to another stack.
    pub stack_switches: u64,
    /// Blocks translated, bytes of translations, and visits to the dispatcher.
    pub blocks: u64,
    /// See `blocks`.
    pub translation_bytes: u64,
    /// See `blocks`.
    pub dispatches: u64,
    /// Times that everything was discarded.
    pub flushes: u64,
    /// Single steps taken to hand a signal on or to let code write to itself.
    pub steps: u64,
    /// Times that the list of mappings was read.
    pub mapping_reads: u64,
    /// Executions of blocks, and of those whose counter is incremented with care for the flags, which is slower; 0 where
    /// only the total is kept.
    pub block_executions: u64,
    /// See `block_executions`.
    pub careful_executions: u64,
    /// Nanoseconds from the mark to the first translated instruction.
    pub attach_nanos: u64,
    /// Nanoseconds spent in the dispatcher, mostly on translating.
    pub dispatch_nanos: u64,
}

impl Observations {
    /// Instructions between the first and the last mark.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

const SYSCALLS: usize = 512;

/// Counts kept while the window is open.
pub(crate) struct Tally {
    pub(crate) dispatches: u64,
    pub(crate) write_faults: u64,
    pub(crate) invalidations: u64,
    pub(crate) discarded_blocks: u64,
    pub(crate) code_mappings_changed: u64,
    pub(crate) syscalls_repeated: u64,
    pub(crate) signals: u64,
    pub(crate) faults: u64,
    pub(crate) steps: u64,
    pub(crate) threads_started: u64,
    pub(crate) children_started: u64,
    pub(crate) stack_switches: u64,
    pub(crate) flushes: u64,
    /// In ticks of the time-stamp counter.
    pub(crate) dispatch_ticks: u64,
    pub(crate) attach_nanos: u64,
    /// The clock and the time-stamp counter when the window opened.
    opened: (u64, u64),
    syscalls: [u64; SYSCALLS],
}

impl Tally {
    pub(crate) const fn new() -> Self {
        Self {
            dispatches: 0,
            write_faults: 0,
            invalidations: 0,
            discarded_blocks: 0,
            code_mappings_changed: 0,
            syscalls_repeated: 0,
            signals: 0,
            faults: 0,
            steps: 0,
            threads_started: 0,
            children_started: 0,
            stack_switches: 0,
            flushes: 0,
            dispatch_ticks: 0,
            attach_nanos: 0,
            opened: (0, 0),
            syscalls: [0; SYSCALLS],
        }
    }

    /// The window is open; opening it began at this time of the clock.
    pub(crate) fn attached(&mut self, begun: u64) {
        self.opened = (sys::now(), sys::ticks());
        self.attach_nanos = self.opened.0 - begun;
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time is needed to a few digits only"
    )]
    fn dispatch_nanos(&self) -> u64 {
        let (nanos, ticks) = self.opened;
        let nanos_per_tick =
            (sys::now() - nanos) as f64 / sys::ticks().wrapping_sub(ticks).max(1) as f64;
        (self.dispatch_ticks as f64 * nanos_per_tick) as u64
    }

    pub(crate) fn count_syscall(&mut self, number: i64) {
        if let Some(count) = usize::try_from(number).ok().and_then(|n| self.syscalls.get_mut(n)) {
            *count += 1;
        }
    }
}

impl Translator {
    pub(crate) fn observations(&self) -> Observations {
        let t = &self.tally;
        let calls = t.syscalls.iter().zip(0u32..).filter(|(n, _)| **n > 0);
        let foreign = crate::guard::GUARD.foreign_writes.load(Relaxed);
        Observations {
            counts: Vec::new(),
            incomplete: None,
            code_writes: t.write_faults + foreign,
            foreign_code_writes: foreign,
            invalidations: t.invalidations,
            discarded_blocks: t.discarded_blocks,
            code_mappings_changed: t.code_mappings_changed,
            system_calls: calls.map(|(n, number)| (number, *n)).collect(),
            system_calls_repeated: t.syscalls_repeated,
            signals: t.signals,
            faults: t.faults,
            threads_started: t.threads_started,
            children_started: t.children_started,
            repeated_instructions: self.repeated_instructions(),
            stack_switches: t.stack_switches,
            blocks: self.counts.blocks_gone + self.cache.blocks.len() as u64,
            translation_bytes: self.cache.bytes_used(),
            dispatches: t.dispatches,
            flushes: t.flushes,
            steps: t.steps,
            mapping_reads: self.space.reads,
            block_executions: self.rows().map(|(_, n)| n).sum(),
            careful_executions: self.rows().filter(|(b, _)| b.keeps_flags).map(|(_, n)| n).sum(),
            attach_nanos: t.attach_nanos,
            dispatch_nanos: t.dispatch_nanos(),
        }
    }
}
