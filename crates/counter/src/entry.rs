//! The way from translated code into the dispatcher and back, in assembly.
//!
//! Invariants: nothing of the application's state is lost: the registers go to the context, the vector registers to its
//! save area, and the application's stack isn't written, not even below the stack pointer. The program has its own vector
//! registers on the way into the dispatcher, and wherever the way out leads but into the cache (`accumulator`). From the first instruction of
//! an entry until the flags are given back, `place` says `DISPATCH`; a signal handler that finds the program counter in
//! between leaves the delivery to the way out (`signals`).
#![allow(unsafe_code, reason = "this is where registers are saved and restored")]

use crate::context::{Context, exit, place};
use crate::dispatch::dispatch;
use crate::session;
use core::arch::global_asm;
use core::mem::offset_of;

/// SSE, AVX and AVX-512: what compiled Rust code may change. x87 it leaves alone.
const VECTOR_MASK: u32 = 0b1110_0110;

/// Offset of a register in the context.
const fn reg(number: usize) -> usize {
    offset_of!(Context, regs) + 8 * number
}

global_asm!(
    ".pushsection .text.tiergate_counter_entry, \"ax\", @progbits",
    ".p2align 4",
    ".hidden tiergate_counter_entry_start, tiergate_counter_link_exit, tiergate_counter_indirect_exit",
    ".hidden tiergate_counter_transfer_exit, tiergate_counter_begin",
    ".hidden tiergate_counter_reenter, tiergate_counter_pop_flags, tiergate_counter_after_flags, tiergate_counter_entry_end",
    ".globl tiergate_counter_entry_start, tiergate_counter_link_exit, tiergate_counter_indirect_exit",
    ".globl tiergate_counter_transfer_exit, tiergate_counter_begin",
    ".globl tiergate_counter_reenter, tiergate_counter_pop_flags, tiergate_counter_after_flags, tiergate_counter_entry_end",
    "tiergate_counter_entry_start:",
    "tiergate_counter_link_exit:",
    "mov qword ptr gs:[{place}], {dispatch_place}",
    "mov gs:[{rcx}], rcx",
    "mov qword ptr gs:[{kind}], {link}",
    "jmp 2f",
    "tiergate_counter_indirect_exit:",
    "mov qword ptr gs:[{place}], {dispatch_place}",
    "mov rcx, gs:[{spilled_rcx}]",
    "mov gs:[{rcx}], rcx",
    "mov qword ptr gs:[{kind}], {indirect}",
    "jmp 2f",
    "tiergate_counter_transfer_exit:",
    "mov qword ptr gs:[{place}], {dispatch_place}",
    "mov rcx, gs:[{spilled_rcx}]",
    "mov gs:[{rcx}], rcx",
    "mov qword ptr gs:[{kind}], {transfer}",
    "jmp 2f",
    "tiergate_counter_begin:",
    "mov qword ptr gs:[{place}], {dispatch_place}",
    "mov gs:[{rcx}], rcx",
    "mov qword ptr gs:[{kind}], {begin}",
    "jmp 2f",
    "tiergate_counter_reenter:",
    "mov qword ptr gs:[{place}], {dispatch_place}",
    "mov gs:[{rcx}], rcx",
    "mov qword ptr gs:[{kind}], {reenter}",
    "2:",
    "mov gs:[{rax}], rax",
    "mov gs:[{rdx}], rdx",
    "mov gs:[{rbx}], rbx",
    "mov gs:[{rsp}], rsp",
    "mov gs:[{rbp}], rbp",
    "mov gs:[{rsi}], rsi",
    "mov gs:[{rdi}], rdi",
    "mov gs:[{r8}], r8",
    "mov gs:[{r9}], r9",
    "mov gs:[{r10}], r10",
    "mov gs:[{r11}], r11",
    "mov gs:[{r12}], r12",
    "mov gs:[{r13}], r13",
    "mov gs:[{r14}], r14",
    "mov gs:[{r15}], r15",
    "mov rsp, gs:[{stack}]",
    "pushfq",
    "pop qword ptr gs:[{rflags}]",
    // Direction, alignment check and trap flag as compiled code expects them.
    "push 0x202",
    "popfq",
    "mov rdi, gs:[{this}]",
    "cmp qword ptr [rdi + {accumulates}], 0",
    "je 3f",
    "cmp qword ptr [rdi + {kind}], {begin}",
    "je 3f",
    "vmovdqu64 [rdi + {accumulator}], xmm31",
    "vmovdqu64 zmm31, [rdi + {vector}]",
    "3:",
    "mov eax, {vector_mask}",
    "xor edx, edx",
    "xsavec [rdi + {vectors}]",
    "call {dispatch}",
    "mov gs:[{resume}], rax",
    "mov rdi, gs:[{this}]",
    "mov eax, {vector_mask}",
    "xor edx, edx",
    "xrstor [rdi + {vectors}]",
    "cmp qword ptr [rdi + {accumulates}], 0",
    "je 4f",
    "cmp qword ptr [rdi + {next_place}], {native_place}",
    "je 4f",
    "vmovdqu64 [rdi + {vector}], zmm31",
    "vmovdqu64 xmm31, [rdi + {accumulator}]",
    "4:",
    "mov rax, gs:[{rax}]",
    "mov rdx, gs:[{rdx}]",
    "mov rbx, gs:[{rbx}]",
    "mov rbp, gs:[{rbp}]",
    "mov rsi, gs:[{rsi}]",
    "mov rdi, gs:[{rdi}]",
    "mov r8, gs:[{r8}]",
    "mov r9, gs:[{r9}]",
    "mov r10, gs:[{r10}]",
    "mov r11, gs:[{r11}]",
    "mov r12, gs:[{r12}]",
    "mov r13, gs:[{r13}]",
    "mov r14, gs:[{r14}]",
    "mov r15, gs:[{r15}]",
    "mov rcx, gs:[{next_place}]",
    "push qword ptr gs:[{rflags}]",
    "tiergate_counter_pop_flags:",
    "popfq",
    "tiergate_counter_after_flags:",
    "mov gs:[{place}], rcx",
    "mov rcx, gs:[{rcx}]",
    "mov rsp, gs:[{rsp}]",
    "jmp gs:[{resume}]",
    "tiergate_counter_entry_end:",
    ".popsection",
    place = const offset_of!(Context, place),
    dispatch_place = const place::DISPATCH,
    kind = const offset_of!(Context, exit_kind),
    link = const exit::LINK,
    indirect = const exit::INDIRECT,
    transfer = const exit::TRANSFER,
    reenter = const exit::REENTER,
    begin = const exit::BEGIN,
    native_place = const place::NATIVE,
    accumulates = const offset_of!(Context, accumulates),
    accumulator = const offset_of!(Context, accumulator),
    vector = const offset_of!(Context, vector),
    spilled_rcx = const offset_of!(Context, spilled_rcx),
    rax = const reg(0),
    rcx = const reg(1),
    rdx = const reg(2),
    rbx = const reg(3),
    rsp = const reg(4),
    rbp = const reg(5),
    rsi = const reg(6),
    rdi = const reg(7),
    r8 = const reg(8),
    r9 = const reg(9),
    r10 = const reg(10),
    r11 = const reg(11),
    r12 = const reg(12),
    r13 = const reg(13),
    r14 = const reg(14),
    r15 = const reg(15),
    rflags = const offset_of!(Context, rflags),
    stack = const offset_of!(Context, stack),
    this = const offset_of!(Context, this),
    vectors = const offset_of!(Context, vectors),
    vector_mask = const VECTOR_MASK,
    resume = const offset_of!(Context, resume),
    next_place = const offset_of!(Context, next_place),
    dispatch = sym dispatch,
);

unsafe extern "C" {
    fn tiergate_counter_entry_start();
    fn tiergate_counter_link_exit();
    fn tiergate_counter_indirect_exit();
    fn tiergate_counter_transfer_exit();
    fn tiergate_counter_begin();
    fn tiergate_counter_reenter();
    fn tiergate_counter_pop_flags();
    fn tiergate_counter_after_flags();
    fn tiergate_counter_entry_end();
}

/// Where stubs of links go.
pub(crate) fn link_exit() -> u64 {
    tiergate_counter_link_exit as *const () as u64
}

/// Where indirect branches without a pad go.
pub(crate) fn indirect_exit() -> u64 {
    tiergate_counter_indirect_exit as *const () as u64
}

/// Where indirect branches of generated code go whose transfers are counted.
pub(crate) fn transfer_exit() -> u64 {
    tiergate_counter_transfer_exit as *const () as u64
}

/// Where a thread goes that is to go on at `Context::target`, with the program's registers.
pub(crate) fn begin() -> u64 {
    tiergate_counter_begin as *const () as u64
}

/// The same for a thread with registers as translated code has them.
pub(crate) fn reenter() -> u64 {
    tiergate_counter_reenter as *const () as u64
}

/// Whether `pc` is in the assembly here, up to and including the instruction that gives the flags back.
pub(crate) fn is_in_entry(pc: u64) -> bool {
    (tiergate_counter_entry_start as *const () as u64
        ..tiergate_counter_after_flags as *const () as u64)
        .contains(&pc)
}

/// Whether `pc` is at the instruction that gives the flags back, from the top of the stack.
pub(crate) fn is_at_pop_flags(pc: u64) -> bool {
    pc == tiergate_counter_pop_flags as *const () as u64
}

/// Whether the flags have been given back but translated code isn't reached yet.
pub(crate) fn is_after_flags(pc: u64) -> bool {
    (tiergate_counter_after_flags as *const () as u64
        ..tiergate_counter_entry_end as *const () as u64)
        .contains(&pc)
}

/// The kernel returns from handlers through this.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn restorer() {
    core::arch::naked_asm!("mov eax, {nr}", "syscall", nr = const libc::SYS_rt_sigreturn)
}

/// What a marked function returns: the value for its caller, and whether to go on translated.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Onward {
    value: u64,
    translated: u64,
}

impl Onward {
    /// Return `value` and run on natively.
    #[must_use]
    pub fn native(value: u64) -> Self {
        Self { value, translated: 0 }
    }

    /// Return `value` and run on under the counter; natively if no window is open for this thread, or if the mark was
    /// reached behind the counter's back, from a handler of the program.
    #[must_use]
    pub fn translated(value: u64) -> Self {
        Self { value, translated: u64::from(session::may_go_on()) }
    }
}

/// Offset of the word that `marked_function` leaves the return address in.
#[doc(hidden)]
pub const TARGET_OFFSET: usize = offset_of!(Context, target);

/// The re-entry, for `marked_function`.
#[doc(hidden)]
#[unsafe(naked)]
pub unsafe extern "C" fn go_on_translated() {
    core::arch::naked_asm!("jmp {}", sym tiergate_counter_begin)
}

/// Defines a C function `$name` that calls `$body`, an `extern "C" fn(u64, u64) -> Onward`, with its first two arguments
/// and returns to its caller natively or under the counter, as the body says. Its address is a gate for `Options::gates`.
#[macro_export]
macro_rules! marked_function {
    ($(#[$attribute:meta])* $name:ident => $body:path) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        #[allow(unsafe_code, reason = "a function that may return into translated code has to be written in assembly")]
        pub unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "sub rsp, 8",
                "call {body}",
                "add rsp, 8",
                "test edx, edx",
                "jnz 2f",
                "ret",
                "2:",
                "pop qword ptr gs:[{target}]",
                "jmp {reenter}",
                body = sym $body,
                target = const $crate::TARGET_OFFSET,
                reenter = sym $crate::go_on_translated,
            )
        }
    };
}
