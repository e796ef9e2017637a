//! The words that translated code, the hand-written entries and the dispatcher share.
//!
//! Invariants: there is one context, it lies at the start of the arena, and the gs base of the measured thread points to
//! it while a window is open. Translated code reaches it relative to the instruction pointer; only the jump table, which
//! needs an index register, goes through gs. The layout is known to the assembly in `entry` by `offset_of!`.

use core::sync::atomic::AtomicU64;

/// Where the measured thread is; the rule of who may change translations hangs on it (see `guard`).
pub(crate) mod place {
    /// Outside of the translator: no window is open, or a handler of the application runs on its own.
    pub(crate) const NATIVE: u64 = 0;
    /// In translated code.
    pub(crate) const CACHE: u64 = 1;
    /// In the dispatcher, or on the way in or out.
    pub(crate) const DISPATCH: u64 = 2;
    /// Waiting in a system call made by translated code.
    pub(crate) const SYSCALL: u64 = 3;
}

/// Why translated code came to the dispatcher.
pub(crate) mod exit {
    /// Through the link `exit_id`: a direct branch whose target is not translated, a system call, a check.
    pub(crate) const LINK: u64 = 0;
    /// An indirect branch to `target` found no pad.
    pub(crate) const INDIRECT: u64 = 1;
    /// As `INDIRECT`, from generated code whose transfers are counted.
    pub(crate) const TRANSFER: u64 = 3;
    /// Go on at `target` with every register as it is.
    pub(crate) const REENTER: u64 = 2;
    /// The same from code that runs natively, where the program has all its registers.
    pub(crate) const BEGIN: u64 = 4;
}

/// Entries of the table that indirect branches jump through, indexed by the low 16 bits of the target.
pub(crate) const JUMP_ENTRIES: usize = 1 << 16;
/// Bytes for the state of x87, SSE, AVX and AVX-512 in the compacted format.
const VECTOR_STATE: usize = 4096;

/// Registers in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
pub(crate) const RAX: usize = 0;
pub(crate) const RCX: usize = 1;
pub(crate) const RDX: usize = 2;
pub(crate) const RSP: usize = 4;
pub(crate) const RSI: usize = 6;
pub(crate) const RDI: usize = 7;
pub(crate) const R10: usize = 10;

/// See the head of the module.
#[repr(C, align(64))]
pub(crate) struct Context {
    /// The application's registers while the dispatcher runs.
    pub(crate) regs: [u64; 16],
    /// Its flags; `popfq` reads them here in one instruction, so a signal handler can add the trap flag to them.
    pub(crate) rflags: u64,
    /// rcx, set aside by translated code on the way through an indirect branch.
    pub(crate) spilled_rcx: u64,
    /// A register set aside inside one translated instruction.
    pub(crate) scratch: u64,
    pub(crate) scratch2: u64,
    /// The original address that an indirect branch or a re-entry goes to.
    pub(crate) target: u64,
    pub(crate) exit_id: u64,
    pub(crate) exit_kind: u64,
    /// Where the dispatcher's return jumps to.
    pub(crate) resume: u64,
    /// The `place` to set on that jump.
    pub(crate) next_place: u64,
    pub(crate) place: AtomicU64,
    /// Not 0 when the thread must visit the dispatcher after its system call.
    pub(crate) attention: AtomicU64,
    /// Top of the dispatcher's stack.
    pub(crate) stack: u64,
    pub(crate) this: u64,
    /// Addresses that translated code jumps through.
    pub(crate) link_entry: u64,
    pub(crate) indirect_entry: u64,
    pub(crate) transfer_entry: u64,
    /// Not 0 where a vector register counts; see `accumulator` for the other two.
    pub(crate) accumulates: u64,
    pub(crate) accumulator: [u64; 2],
    pub(crate) vector: [u64; 8],
    pub(crate) vectors: VectorState,
    pub(crate) jumps: [u64; JUMP_ENTRIES],
}

/// Target of `xsavec`.
#[repr(C, align(64))]
pub(crate) struct VectorState(pub(crate) [u8; VECTOR_STATE]);
