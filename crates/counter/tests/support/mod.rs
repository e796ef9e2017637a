//! Runs pieces of machine code natively and under the counter, in this process.
#![allow(unsafe_code, reason = "the tests are about machine code")]
#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]
#![allow(dead_code, reason = "each test uses a part of this")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use tiergate_counter::{Counter, Observations, Onward, Options, Profile, Transfer};

/// One window at a time in a process.
static WINDOW: Mutex<()> = Mutex::new(());

tiergate_counter::marked_function!(open_gate => on_open);
tiergate_counter::marked_function!(mark_gate => on_mark);
tiergate_counter::marked_function!(close_gate => on_close);

/// How instructions are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Only the total, in a vector register where the processor has it.
    Total,
    /// Each block in memory.
    Blocks,
}

const FORMS: [Form; 2] = [Form::Total, Form::Blocks];

static mut FORM: Form = Form::Total;
static mut CLOSED: Option<(Observations, Profile)> = None;
static mut SHADOW: bool = true;
static mut MAX_BLOCKS: usize = usize::MAX;
static mut LAST_TRANSFERS: Vec<Transfer> = Vec::new();
static mut TRANSFERS: bool = false;
static mut AFTER_WAKE: Option<fn()> = None;

extern "C" fn on_open(_: u64, _: u64) -> Onward {
    // SAFETY: written under `WINDOW`.
    let shadow = unsafe { SHADOW };
    let gates = [mark_gate as *const () as u64, close_gate as *const () as u64];
    // SAFETY: written under `WINDOW`.
    let max_blocks = unsafe { MAX_BLOCKS };
    let mut options = gates
        .into_iter()
        .fold(Options::default(), Options::gate)
        .shadow_returns(shadow)
        // SAFETY: written under `WINDOW`.
        .profile(unsafe { FORM } == Form::Blocks)
        .max_blocks(max_blocks)
        // SAFETY: written under `WINDOW`.
        .transfers(unsafe { TRANSFERS });
    // SAFETY: written under `WINDOW`.
    if let Some(call) = unsafe { AFTER_WAKE } {
        options = options.after_wake(call);
    }
    Counter::open(options).expect("this process can be measured");
    Onward::translated(0)
}

extern "C" fn on_mark(_: u64, _: u64) -> Onward {
    Counter::mark();
    Onward::translated(0)
}

extern "C" fn on_close(_: u64, _: u64) -> Onward {
    let (observations, profile) = Counter::close_with_profile().expect("a window is open");
    let rows: u64 = profile.blocks.iter().map(|b| u64::from(b.instructions) * b.executions).sum();
    // Without a vector register to count in, blocks are counted one by one in any case.
    // SAFETY: written under `WINDOW`.
    if unsafe { FORM } == Form::Blocks || !profile.blocks.is_empty() {
        assert_eq!(rows, observations.total(), "the profile adds up to the total");
    }
    // SAFETY: read under `WINDOW`.
    unsafe { CLOSED = Some((observations, profile)) };
    Onward::native(0)
}

pub(crate) struct Window<'a>(#[allow(dead_code, reason = "held")] MutexGuard<'a, ()>);

/// Only one test at a time may have a window.
pub(crate) fn exclusive() -> Window<'static> {
    Window(WINDOW.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs a test once in each form of counting.
pub(crate) fn in_each_form(test: impl Fn(&Window<'static>)) {
    let window = exclusive();
    for form in FORMS {
        window.use_form(form);
        test(&window);
    }
    window.use_form(Form::Total);
}

impl Window<'_> {
    fn use_form(&self, form: Form) {
        // SAFETY: written under `WINDOW`.
        unsafe { FORM = form };
    }

    /// Runs `f` under the counter.
    pub(crate) fn counted<R>(&self, f: impl FnOnce() -> R) -> (R, Observations) {
        self.counted_with(true, f)
    }

    /// With a function that is called after each system call by which a thread may wake another one.
    pub(crate) fn counted_with_waker<R>(
        &self,
        call: fn(),
        f: impl FnOnce() -> R,
    ) -> (R, Observations) {
        // SAFETY: written under `WINDOW`.
        unsafe { AFTER_WAKE = Some(call) };
        let result = self.counted(f);
        // SAFETY: written under `WINDOW`.
        unsafe { AFTER_WAKE = None };
        result
    }

    /// With a cache of so many blocks at most.
    pub(crate) fn counted_with_most<R>(
        &self,
        blocks: usize,
        f: impl FnOnce() -> R,
    ) -> (R, Observations) {
        // SAFETY: written under `WINDOW`.
        unsafe { MAX_BLOCKS = blocks };
        let result = self.counted(f);
        // SAFETY: written under `WINDOW`.
        unsafe { MAX_BLOCKS = usize::MAX };
        result
    }

    pub(crate) fn counted_with<R>(&self, shadow: bool, f: impl FnOnce() -> R) -> (R, Observations) {
        // SAFETY: the gates are C functions without arguments; the statics are written under `WINDOW`.
        unsafe {
            SHADOW = shadow;
            CLOSED = None;
            open_gate();
            let result = f();
            close_gate();
            #[allow(static_mut_refs, reason = "under `WINDOW`")]
            let (observations, profile) = CLOSED.take().expect("the window was closed");
            LAST_TRANSFERS = profile.transfers;
            (result, observations)
        }
    }

    /// With transfers from generated code, which are returned too.
    pub(crate) fn counted_with_transfers<R>(
        &self,
        shadow: bool,
        f: impl FnOnce() -> R,
    ) -> (R, Observations, Vec<Transfer>) {
        // SAFETY: the statics are written under `WINDOW`.
        unsafe {
            TRANSFERS = true;
            let (result, observations) = self.counted_with(shadow, f);
            TRANSFERS = false;
            #[allow(static_mut_refs, reason = "under `WINDOW`")]
            let transfers = std::mem::take(&mut LAST_TRANSFERS);
            (result, observations, transfers)
        }
    }
}

/// A sub-window ends here.
pub(crate) fn mark() {
    // SAFETY: a C function without arguments; only called inside a window.
    unsafe { mark_gate() };
}

/// Executable memory.
pub(crate) struct CodePage {
    pub(crate) at: *mut u8,
    len: usize,
}

impl CodePage {
    pub(crate) fn new(len: usize) -> Self {
        Self::at(0, len)
    }

    /// At this address exactly, or anywhere when 0.
    pub(crate) fn at(address: usize, len: usize) -> Self {
        let fixed = if address == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
        // SAFETY: a new mapping.
        let at = unsafe {
            libc::mmap(
                address as *mut libc::c_void,
                len,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed,
                -1,
                0,
            )
        };
        assert_ne!(at, libc::MAP_FAILED);
        Self { at: at.cast(), len }
    }

    /// Whether nothing is mapped there.
    pub(crate) fn is_free(address: usize, len: usize) -> bool {
        let protection = libc::PROT_NONE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping, taken away at once.
        unsafe {
            let at = libc::mmap(address as *mut libc::c_void, len, protection, flags, -1, 0);
            at != libc::MAP_FAILED && libc::munmap(at, len) == 0
        }
    }

    pub(crate) fn write(&self, offset: usize, code: &[u8]) {
        assert!(offset + code.len() <= self.len);
        // SAFETY: inside the mapping.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.at.add(offset), code.len()) };
    }

    /// # Safety
    /// The code at `offset` must be a C function of these types.
    pub(crate) unsafe fn call(&self, offset: usize, argument: u64) -> u64 {
        // SAFETY: the promise of the caller.
        unsafe {
            let f: extern "C" fn(u64) -> u64 = std::mem::transmute(self.at.add(offset));
            f(argument)
        }
    }
}

impl Drop for CodePage {
    fn drop(&mut self) {
        // SAFETY: our own mapping.
        unsafe { libc::munmap(self.at.cast(), self.len) };
    }
}

/// Registers in the order of their encoding; that of rsp is ignored on the way in.
#[repr(C, align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Machine {
    pub(crate) regs: [u64; 16],
    pub(crate) flags: u64,
    pub(crate) _pad: u64,
    pub(crate) xmm: [[u64; 2]; 16],
    /// Where the code's own memory is: compared too.
    pub(crate) memory: [u64; 64],
}

/// Carry, parity, adjust, zero, sign, direction, overflow.
pub(crate) const FLAGS: u64 = 0xcd5;

impl Machine {
    pub(crate) fn new(seed: u64) -> Self {
        let mut x = seed | 1;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        Self {
            regs: std::array::from_fn(|_| next()),
            flags: 0x202 | next() & 0x8d5,
            _pad: 0,
            xmm: std::array::from_fn(|_| [next(), next()]),
            memory: std::array::from_fn(|_| next()),
        }
    }
}

/// Loads the machine's registers, calls `code`, and stores them again.
///
/// # Safety
/// `code` must return, keep the stack, and touch no memory but the machine's.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn run(machine: *mut Machine, code: *const u8) {
    std::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "movdqu xmm0, [rdi + 144]",
        "movdqu xmm1, [rdi + 160]",
        "movdqu xmm2, [rdi + 176]",
        "movdqu xmm3, [rdi + 192]",
        "movdqu xmm4, [rdi + 208]",
        "movdqu xmm5, [rdi + 224]",
        "movdqu xmm6, [rdi + 240]",
        "movdqu xmm7, [rdi + 256]",
        "push qword ptr [rdi + 128]",
        "popfq",
        "mov rax, [rdi]",
        "mov rcx, [rdi + 8]",
        "mov rdx, [rdi + 16]",
        "mov rbx, [rdi + 24]",
        "mov rbp, [rdi + 40]",
        "mov rsi, [rdi + 48]",
        "mov r8, [rdi + 64]",
        "mov r9, [rdi + 72]",
        "mov r10, [rdi + 80]",
        "mov r11, [rdi + 88]",
        "mov r12, [rdi + 96]",
        "mov r13, [rdi + 104]",
        "mov r14, [rdi + 112]",
        "mov r15, [rdi + 120]",
        "mov rdi, [rdi + 56]",
        "call [rsp + 8]",
        "push rdi",
        "mov rdi, [rsp + 24]",
        "mov [rdi], rax",
        "mov [rdi + 8], rcx",
        "mov [rdi + 16], rdx",
        "mov [rdi + 24], rbx",
        "mov [rdi + 40], rbp",
        "mov [rdi + 48], rsi",
        "mov [rdi + 64], r8",
        "mov [rdi + 72], r9",
        "mov [rdi + 80], r10",
        "mov [rdi + 88], r11",
        "mov [rdi + 96], r12",
        "mov [rdi + 104], r13",
        "mov [rdi + 112], r14",
        "mov [rdi + 120], r15",
        "pop rax",
        "mov [rdi + 56], rax",
        "pushfq",
        "pop qword ptr [rdi + 128]",
        "cld",
        "movdqu [rdi + 144], xmm0",
        "movdqu [rdi + 160], xmm1",
        "movdqu [rdi + 176], xmm2",
        "movdqu [rdi + 192], xmm3",
        "movdqu [rdi + 208], xmm4",
        "movdqu [rdi + 224], xmm5",
        "movdqu [rdi + 240], xmm6",
        "movdqu [rdi + 256], xmm7",
        "add rsp, 24",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// The machine after `code` ran, natively and under the counter. The code finds the machine's memory in rdi. `prepare`
/// comes before each run.
pub(crate) fn both_ways(
    window: &Window<'_>,
    shadow: bool,
    code: *const u8,
    start: &Machine,
    prepare: impl Fn(),
) -> (Machine, Machine, Observations) {
    // The same memory in all runs, as addresses end up in registers.
    let mut work = *start;
    let memory = (&raw mut work.memory) as u64;
    let mut once = |run: &mut dyn FnMut(*mut Machine)| {
        work = *start;
        work.regs[7] = memory;
        prepare();
        run(&raw mut work);
        work.flags &= FLAGS;
        work
    };
    // SAFETY: the promise of the callers of this function.
    let native = once(&mut |machine| unsafe { run(machine, code) });
    let ways = FORMS.map(|form| {
        window.use_form(form);
        let mut seen = Observations::default();
        let counted = once(&mut |machine| {
            // SAFETY: likewise.
            ((), seen) = window.counted_with(shadow, || unsafe { run(machine, code) });
        });
        (counted, seen)
    });
    window.use_form(Form::Total);
    assert_eq!(ways[0].0, ways[1].0, "both forms do the same");
    assert_eq!(ways[0].1.counts, ways[1].1.counts, "both forms count the same");
    let [(counted, seen), _] = ways;
    (native, counted, seen)
}
