//! Opening and closing a window.
//!
//! Invariants: one window at a time in a process. Opening, marking and closing happen natively, in a gate that the
//! measured thread called; so the translator is idle then. The translator lies in memory of its own, reached by a pointer
//! that is set while the window is open.
//!
//! No change of a mapping by another thread is missed while a window opens. Such a thread changes the mapping, then adds to
//! `MAPPINGS_CHANGED`, then looks whether there is a translator. `open` adds to the same number before it reads the mappings
//! and again when the translator is there for others and knows how to take notes; all additions are in one order. One before
//! the first of `open`'s comes from a change that the reading sees. One between the two makes `open` read once more, after
//! the change. One behind the second finds everything that `open` did before it, so it leaves a note; and the measured
//! thread looks for notes before it runs the first translation.
#![allow(unsafe_code, reason = "the translator is reached from signal handlers and assembly")]

use crate::actions::{self, ACTIONS};
use crate::entry;
use crate::guard::GUARD;
use crate::report::{Incomplete, Observations, Profile};
use crate::signals;
use crate::sys;
use crate::transfers::Transfers;
use crate::translate::Translator;
use core::ops::Range;
use core::sync::atomic::{
    AtomicPtr, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};
use std::fmt;

const MAX_GATES: usize = 8;
const MAX_RANGES: usize = 4;

/// How to count.
#[derive(Clone, Debug)]
pub struct Options {
    /// Functions that are to run natively: at least the one that calls `Counter::mark` and `Counter::close`.
    pub(crate) gates: [u64; MAX_GATES],
    /// Code whose instructions are not the program's.
    pub(crate) uncounted: [Range<u64>; MAX_RANGES],
    /// An address in code whose mapping becomes one of `uncounted`.
    pub(crate) uncounted_around: u64,
    pub(crate) shadow_returns: bool,
    pub(crate) max_blocks: usize,
    pub(crate) profile: bool,
    pub(crate) accumulator: bool,
    pub(crate) transfers: bool,
    pub(crate) on_exit: Option<fn(&Observations)>,
    /// Called after each system call that may have woken another thread.
    pub(crate) after_wake: Option<fn()>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            gates: [0; MAX_GATES],
            uncounted: [const { 0..0 }; MAX_RANGES],
            uncounted_around: 0,
            shadow_returns: true,
            max_blocks: usize::MAX,
            profile: false,
            accumulator: true,
            transfers: false,
            on_exit: None,
            after_wake: None,
        }
    }
}

impl Options {
    /// Adds a function that is left to run natively, by the address that the program calls; eight at most.
    #[must_use]
    pub fn gate(mut self, address: u64) -> Self {
        if let Some(free) = self.gates.iter_mut().find(|g| **g == 0) {
            *free = address;
        }
        self
    }

    /// Adds addresses of code that is translated but not counted; four ranges at most.
    #[must_use]
    pub fn uncounted(mut self, range: Range<u64>) -> Self {
        if let Some(free) = self.uncounted.iter_mut().find(|r| r.is_empty()) {
            *free = range;
        }
        self
    }

    /// Adds the mapping of code that holds an address, such as that of the counter's own library.
    #[must_use]
    pub fn uncounted_around(mut self, address: u64) -> Self {
        self.uncounted_around = address;
        self
    }

    /// What to call, natively, after each system call of the thread by which it may have woken another one.
    #[must_use]
    pub fn after_wake(mut self, call: fn()) -> Self {
        self.after_wake = Some(call);
        self
    }

    /// Whether returns may use a shadow of the stack (the default); otherwise they go through the jump table.
    #[must_use]
    pub fn shadow_returns(mut self, on: bool) -> Self {
        self.shadow_returns = on;
        self
    }

    /// Blocks to keep translated at most (by default as many as fit, about a million); beyond that all are discarded.
    #[must_use]
    pub fn max_blocks(mut self, blocks: usize) -> Self {
        self.max_blocks = blocks;
        self
    }

    /// Whether to count how often each block runs; by default only the total is kept, which is cheaper where the processor has
    /// AVX-512.
    #[must_use]
    pub fn profile(mut self, on: bool) -> Self {
        self.profile = on;
        self
    }

    /// Whether a vector register may count (the default), where the processor has it and no profile is wanted; otherwise
    /// there is a counter in memory for each block.
    #[must_use]
    pub fn accumulator(mut self, on: bool) -> Self {
        self.accumulator = on;
        self
    }

    /// Whether to count how often control goes from generated code to that of files (by default not): each time costs a
    /// visit to the dispatcher.
    #[must_use]
    pub fn transfers(mut self, on: bool) -> Self {
        self.transfers = on;
        self
    }

    /// What to do with the observations so far when the program ends or replaces itself inside the window. Called on the
    /// counter's stack at an arbitrary moment of the program: it may make system calls, but not use libc.
    #[must_use]
    pub fn on_exit(mut self, f: fn(&Observations)) -> Self {
        self.on_exit = Some(f);
        self
    }
}

/// Why this process or machine can't be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The processor can't save its vector registers in the compact form.
    NoXsavec,
    /// The program uses the gs segment itself.
    SegmentInUse,
    /// The processor keeps return addresses of its own for this thread, and would find translated returns missing.
    HardwareShadowStack,
    /// All real-time signals have handlers.
    NoFreeSignal,
    /// Memory, or a gap in the address space, is lacking.
    NoMemory,
    /// A window is open already.
    AlreadyOpen,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoXsavec => "the processor has no `xsavec`",
            Self::SegmentInUse => "the program uses the gs segment",
            Self::HardwareShadowStack => "the thread has a hardware shadow stack",
            Self::NoFreeSignal => "no real-time signal is free",
            Self::NoMemory => "no memory or no gap in the address space for the translator",
            Self::AlreadyOpen => "a window is open already",
        })
    }
}

impl std::error::Error for Refusal {}

/// Changes of mappings by any thread that tells of them, and openings of windows; see the head of the module.
static MAPPINGS_CHANGED: AtomicU64 = AtomicU64::new(0);
static TRANSLATOR: AtomicPtr<Translator> = AtomicPtr::new(core::ptr::null_mut());
/// A reason why the count is incomplete: the first that came up. 0 is none; see `give_up`.
static GAVE_UP: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// The translator of the open window.
///
/// # Safety
/// Only for the measured thread, in the dispatcher, in a gate, or in a signal handler that keeps to what `signals` says.
pub(crate) unsafe fn translator() -> Option<&'static mut Translator> {
    // SAFETY: set and cleared by `open` and `close` on the measured thread.
    unsafe { TRANSLATOR.load(SeqCst).as_mut() }
}

const REASONS: [fn(u64) -> Incomplete; 9] = [
    |_| Incomplete::Exited,
    |_| Incomplete::Executed,
    |_| Incomplete::Crashed,
    Incomplete::ForeignCode,
    |_| Incomplete::SignalReturn,
    |_| Incomplete::SegmentBase,
    |_| Incomplete::SignalsLost,
    |_| Incomplete::HandlersChanged,
    |_| Incomplete::Escaped,
];

/// Notes that the count will be incomplete; the first reason stays.
pub(crate) fn give_up(reason: Incomplete) {
    let detail = if let Incomplete::ForeignCode(address) = reason { address } else { 0 };
    let code = REASONS.iter().position(|f| f(detail) == reason).unwrap_or(0) as u64 + 1;
    if GAVE_UP[0].compare_exchange(0, code, SeqCst, SeqCst).is_ok() {
        GAVE_UP[1].store(detail, SeqCst);
    }
}

fn given_up() -> Option<Incomplete> {
    let code = usize::try_from(GAVE_UP[0].load(SeqCst)).ok()?.checked_sub(1)?;
    Some(REASONS[code](GAVE_UP[1].load(SeqCst)))
}

/// The program is about to end, or to become another.
pub(crate) fn ending(t: &mut Translator, reason: Incomplete) {
    if let Some(f) = t.options.on_exit {
        let mut observations = t.observations();
        observations.counts = t.counts_so_far();
        observations
            .counts
            .push(t.instructions() - t.marks.as_slice().last().copied().unwrap_or(0));
        observations.incomplete = Some(given_up().unwrap_or(reason));
        f(&observations);
    }
}

/// The counter; all functions are for the thread to be measured, called natively from a gate (see `marked_function`).
pub struct Counter;

impl Counter {
    /// Whether this processor and this process can be measured.
    ///
    /// # Errors
    /// Why not.
    pub fn check() -> Result<(), Refusal> {
        if !has_xsavec() {
            return Err(Refusal::NoXsavec);
        }
        if sys::gs_base() != 0 && !Self::is_open() {
            return Err(Refusal::SegmentInUse);
        }
        if has_hardware_shadow_stack() {
            return Err(Refusal::HardwareShadowStack);
        }
        Ok(())
    }

    /// Opens the window. The caller is a gate, and returns with `Onward::translated`.
    ///
    /// # Errors
    /// Why this process can't be measured; nothing has changed then.
    pub fn open(options: Options) -> Result<(), Refusal> {
        let begun = sys::now();
        if Self::is_open() {
            return Err(Refusal::AlreadyOpen);
        }
        Self::check()?;
        let memory = sys::map_anywhere(size_of::<Translator>() as u64, sys::READ | sys::WRITE)
            .ok_or(Refusal::NoMemory)?;
        let before = MAPPINGS_CHANGED.fetch_add(1, SeqCst);
        let here = 0u8;
        let Some(mut translator) = Translator::new(options, &raw const here as u64) else {
            sys::unmap(memory, size_of::<Translator>() as u64);
            return Err(Refusal::NoMemory);
        };
        let context = translator.arena.context;
        // SAFETY: the context is fresh.
        unsafe {
            (*context).link_entry = entry::link_exit();
            (*context).indirect_entry = entry::indirect_exit();
            (*context).transfer_entry = entry::transfer_exit();
            (*context).accumulates = u64::from(translator.accumulator.is_some());
        }
        let handler = signals::handler as *const () as u64;
        let Some(kick) = ACTIONS.take_over(handler, entry::restorer as *const () as u64) else {
            sys::unmap(memory, size_of::<Translator>() as u64);
            return Err(Refusal::NoFreeSignal);
        };
        let needed = actions::needed(kick);
        translator.hidden_mask = sys::sig_mask(libc::SIG_UNBLOCK, needed) & needed;
        GAVE_UP[0].store(0, SeqCst);
        // SAFETY: a fresh mapping of that size.
        unsafe { (memory as *mut Translator).write(translator) };
        TRANSLATOR.store(memory as *mut Translator, SeqCst);
        if !GUARD.open(context, kick) || !sys::set_gs_base(context as u64) {
            let _ = Self::close();
            return Err(Refusal::NoMemory);
        }
        // SAFETY: just written; handlers of signals use it only while translated code or a handler of the program runs.
        let translator = unsafe { &mut *(memory as *mut Translator) };
        translator.space.tell_guard();
        if MAPPINGS_CHANGED.fetch_add(1, SeqCst) != before + 1 {
            translator.read_space_again();
        }
        translator.tally.attached(begun);
        Ok(())
    }

    /// Whether a window is open, and this is its thread.
    #[must_use]
    pub fn is_open() -> bool {
        GUARD.is_measured_thread() && !TRANSLATOR.load(SeqCst).is_null()
    }

    /// Ends one sub-window and begins the next; the caller goes on with `Onward::translated`.
    pub fn mark() {
        // SAFETY: the measured thread, in a gate.
        if let Some(t) = unsafe { translator() }.filter(|_| Self::is_open()) {
            check_not_escaped(t);
            t.record_mark();
        }
    }

    /// Instructions since the window opened; the caller goes on with `Onward::translated`. Its cost grows with the number
    /// of blocks. `None` if no window is open in this thread.
    #[must_use]
    pub fn count_so_far() -> Option<u64> {
        // SAFETY: the measured thread, in a gate.
        let t = unsafe { translator() }.filter(|_| Self::is_open())?;
        check_not_escaped(t);
        Some(t.instructions())
    }

    /// Closes the window, restores what `open` changed, and returns what was seen. `None` if none is open in this thread.
    /// The caller goes on with `Onward::native`.
    #[must_use]
    pub fn close() -> Option<Observations> {
        Self::close_with_profile().map(|(observations, _)| observations)
    }

    /// As `close`, with where the instructions were.
    #[must_use]
    pub fn close_with_profile() -> Option<(Observations, Profile)> {
        if !Self::is_open() {
            return None;
        }
        // SAFETY: the measured thread, in a gate.
        let t = unsafe { translator() }?;
        check_not_escaped(t);
        t.record_mark();
        let kick = GUARD.kick_signal.load(Relaxed);
        GUARD.close();
        if !ACTIONS.give_back(signals::handler as *const () as u64, kick) {
            give_up(Incomplete::HandlersChanged);
        }
        sys::set_gs_base(0);
        if t.hidden_mask != 0 {
            sys::sig_mask(libc::SIG_BLOCK, t.hidden_mask);
        }
        let mut observations = t.observations();
        observations.counts = t.counts_so_far();
        observations.incomplete = given_up();
        let transfers = t.transfers.as_ref().map_or_else(Vec::new, Transfers::sorted);
        let profile = Profile { blocks: t.profile(), transfers };
        let memory = TRANSLATOR.swap(core::ptr::null_mut(), SeqCst);
        // SAFETY: written by `open`, not used any more.
        unsafe { core::ptr::drop_in_place(memory) };
        sys::unmap(memory as u64, size_of::<Translator>() as u64);
        Some((observations, profile))
    }

    /// For interposed `mprotect`, `munmap`, `mmap`, `mremap`: another thread has changed a mapping, which `may_be_code` now.
    /// Returns when no stale translation of it can run. To be called whether a window is open or not, as one may be about to
    /// open.
    pub fn mapping_changed_by_other_thread(start: u64, len: u64, may_be_code: bool) {
        MAPPINGS_CHANGED.fetch_add(1, SeqCst);
        if TRANSLATOR.load(SeqCst).is_null()
            || !GUARD.is_measured_process()
            || GUARD.is_measured_thread()
        {
            return;
        }
        let end = start.saturating_add(len.next_multiple_of(sys::PAGE));
        if may_be_code || GUARD.may_hold_code(start, end) {
            GUARD.remapped(start, end);
            GUARD.wait_until_seen();
        }
    }
}

/// Whether a gate may return into translated code.
pub(crate) fn may_go_on() -> bool {
    // SAFETY: the measured thread, in a gate.
    Counter::is_open() && unsafe { translator() }.is_some_and(|t| t.pending.active == 0)
}

/// A gate is reached either from the dispatcher, which notes it, or behind the counter's back.
fn check_not_escaped(t: &mut Translator) {
    if t.pending.active > 0 {
        give_up(Incomplete::Escaped);
    }
}

impl Translator {
    fn record_mark(&mut self) {
        let now = self.instructions();
        if self.marks.room() > 0 {
            self.marks.push(now);
        }
    }

    fn counts_so_far(&self) -> Vec<u64> {
        let mut before = 0;
        let marks = self.marks.as_slice().iter();
        marks
            .map(|&m| {
                let count = m - before;
                before = m;
                count
            })
            .collect()
    }
}

fn has_hardware_shadow_stack() -> bool {
    const ARCH_SHSTK_STATUS: u64 = 0x5005;
    let mut features = 0u64;
    // SAFETY: the kernel writes one word, or knows nothing of it.
    let result = unsafe {
        sys::call(libc::SYS_arch_prctl, [ARCH_SHSTK_STATUS, &raw mut features as u64, 0, 0, 0, 0])
    };
    result == 0 && features != 0
}

fn has_xsavec() -> bool {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    const OSXSAVE: u32 = 1 << 27;
    const XSAVEC: u32 = 1 << 1;
    const LEAF: u32 = 0xd;
    __cpuid(0).eax >= LEAF
        && __cpuid(1).ecx & OSXSAVE != 0
        && __cpuid_count(LEAF, 1).eax & XSAVEC != 0
}
