//! Raw system calls.
//!
//! Invariant: nothing here touches libc, `errno` or any lock, because the translator runs between two arbitrary
//! instructions of the application: libc's state may be half-way through a change, and `errno` belongs to the program.
#![allow(unsafe_code, reason = "system calls are made directly, see the head of the module")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "registers carry addresses, sizes and negative error numbers alike"
)]

use core::arch::asm;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) const PAGE: u64 = 4096;
pub(crate) const EFAULT: i64 = -14;

/// Protection bits as `mprotect` and `mmap` take them.
pub(crate) const READ: u64 = 1;
pub(crate) const WRITE: u64 = 2;
pub(crate) const EXEC: u64 = 4;

/// The page that holds `addr`.
pub(crate) const fn page_of(addr: u64) -> u64 {
    addr & !(PAGE - 1)
}

/// The pages that hold `[start, end)`.
pub(crate) fn pages(start: u64, end: u64) -> impl Iterator<Item = u64> {
    let mut page = page_of(start);
    core::iter::from_fn(move || {
        let this = page;
        page += PAGE;
        (this < end).then_some(this)
    })
}

/// # Safety
/// The caller answers for whatever the system call does to this process.
pub(crate) unsafe fn call(nr: i64, args: [u64; 6]) -> i64 {
    let result: i64;
    // SAFETY: the registers are those of the kernel's calling convention, rcx and r11 are declared clobbered.
    unsafe {
        asm!("syscall", inlateout("rax") nr => result, in("rdi") args[0], in("rsi") args[1], in("rdx") args[2],
            in("r10") args[3], in("r8") args[4], in("r9") args[5], lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// Maps fresh anonymous memory for the counter's own use, away from where the kernel places the program's, so that the
/// program's addresses don't depend on being measured.
pub(crate) fn map_anywhere(len: u64, prot: u64) -> Option<u64> {
    /// Far from the program, its heap, the stack, and the places that large allocators choose for themselves.
    static NEXT: AtomicU64 = AtomicU64::new(56 << 40);
    // A large page, so that tables can be backed by those.
    const GAP: u64 = 2 << 20;
    const TRIES: usize = 8;
    (0..TRIES)
        .find_map(|_| {
            let at = NEXT.fetch_add(len.next_multiple_of(GAP) + GAP, Relaxed);
            map(at, len, prot)
        })
        .or_else(|| map(0, len, prot))
}

/// Maps fresh anonymous memory that never counts against overcommit; at `at` exactly, or where the kernel likes when 0.
pub(crate) fn map(at: u64, len: u64, prot: u64) -> Option<u64> {
    let place = if at == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | place) as u64;
    // SAFETY: a new mapping that replaces nothing (no MAP_FIXED).
    let got = unsafe { call(libc::SYS_mmap, [at, len, prot, flags, u64::MAX, 0]) };
    let good = got > 0 && (at == 0 || got as u64 == at);
    if got > 0 && !good {
        // An old kernel ignores MAP_FIXED_NOREPLACE and maps elsewhere.
        unmap(got as u64, len);
    }
    good.then_some(got as u64)
}

/// Unmaps memory that this crate mapped.
pub(crate) fn unmap(at: u64, len: u64) {
    // SAFETY: callers pass only their own mappings, which nothing refers to any more.
    unsafe { call(libc::SYS_munmap, [at, len, 0, 0, 0, 0]) };
}

pub(crate) fn protect(at: u64, len: u64, prot: u64) -> bool {
    // SAFETY: changes permissions only; the contents stay, and a write that now faults is handled by `signals`.
    unsafe { call(libc::SYS_mprotect, [at, len, prot, 0, 0, 0]) == 0 }
}

/// Asks the kernel to back `[at, at + len)` with memory at once: one call instead of a fault per page.
pub(crate) fn populate(at: u64, len: u64) {
    const MADV_POPULATE_WRITE: u64 = 23;
    // SAFETY: a hint for our own mapping; older kernels refuse it and the pages come one by one.
    unsafe { call(libc::SYS_madvise, [at, len, MADV_POPULATE_WRITE, 0, 0, 0]) };
}

/// Asks for large pages in `[at, at + len)`: translated code, its counters and the jump table are spread widely, and their
/// address translation would cost more than their use.
pub(crate) fn prefer_huge_pages(at: u64, len: u64) {
    // SAFETY: a hint for our own mapping.
    unsafe { call(libc::SYS_madvise, [at, len, libc::MADV_HUGEPAGE as u64, 0, 0, 0]) };
}

/// Whether a write to `addr` would succeed, found out without changing anything.
pub(crate) fn is_writable(addr: u64) -> bool {
    // `*word |= 0` by the kernel: the operation in the top bits, then the comparison, then both arguments, all zero.
    const OR_NOTHING: u64 = (libc::FUTEX_OP_OR as u64) << 28;
    let word = addr & !3;
    let op = (libc::FUTEX_WAKE_OP | libc::FUTEX_PRIVATE_FLAG) as u64;
    // SAFETY: leaves the word as it is, and nobody waits at an address in code.
    unsafe { call(libc::SYS_futex, [word, op, 0, 0, word, OR_NOTHING]) >= 0 }
}

pub(crate) fn thread_id() -> i32 {
    // SAFETY: no effect.
    unsafe { call(libc::SYS_gettid, [0; 6]) as i32 }
}

pub(crate) fn process_id() -> i32 {
    // SAFETY: no effect.
    unsafe { call(libc::SYS_getpid, [0; 6]) as i32 }
}

pub(crate) fn yield_now() {
    // SAFETY: no effect but on scheduling.
    unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// The processor's time-stamp counter, which goes at a constant rate.
pub(crate) fn ticks() -> u64 {
    // SAFETY: no effect; every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: the kernel writes two words.
    unsafe {
        call(
            libc::SYS_clock_gettime,
            [libc::CLOCK_MONOTONIC as u64, time.as_mut_ptr() as u64, 0, 0, 0, 0],
        )
    };
    time[0] * 1_000_000_000 + time[1]
}

/// Sends `signal` to one thread of this process.
pub(crate) fn signal_thread(pid: i32, tid: i32, signal: i32) {
    // SAFETY: the signal is one this crate has a handler for.
    unsafe { call(libc::SYS_tgkill, [pid as u64, tid as u64, signal as u64, 0, 0, 0]) };
}

pub(crate) fn gs_base() -> u64 {
    const ARCH_GET_GS: u64 = 0x1004;
    let mut base = 0u64;
    // SAFETY: the kernel writes one word to `base`.
    unsafe { call(libc::SYS_arch_prctl, [ARCH_GET_GS, &raw mut base as u64, 0, 0, 0, 0]) };
    base
}

pub(crate) fn set_gs_base(base: u64) -> bool {
    const ARCH_SET_GS: u64 = 0x1001;
    // SAFETY: `Counter::check` has refused threads that use gs themselves.
    unsafe { call(libc::SYS_arch_prctl, [ARCH_SET_GS, base, 0, 0, 0, 0]) == 0 }
}

/// The kernel's own `struct sigaction` (libc's differs).
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct SigAction {
    pub(crate) handler: u64,
    pub(crate) flags: u64,
    pub(crate) restorer: u64,
    pub(crate) mask: u64,
}

/// Sets (when `new` is given) and returns the action of a signal.
pub(crate) fn sig_action(signal: i32, new: Option<&SigAction>) -> Option<SigAction> {
    let mut old = SigAction::default();
    let new = new.map_or(0, |n| n as *const SigAction as u64);
    // SAFETY: both pointers are null or point to the kernel's structure; the handlers set are this crate's or restored.
    let result =
        unsafe { call(libc::SYS_rt_sigaction, [signal as u64, new, &raw mut old as u64, 8, 0, 0]) };
    (result == 0).then_some(old)
}

/// `how` as for `sigprocmask`; returns the mask from before.
pub(crate) fn sig_mask(how: i32, set: u64) -> u64 {
    let mut old = 0u64;
    // SAFETY: the masks are eight bytes on this stack.
    unsafe {
        call(
            libc::SYS_rt_sigprocmask,
            [how as u64, &raw const set as u64, &raw mut old as u64, 8, 0, 0],
        )
    };
    old
}

/// Reads a whole file into `buffer` as far as it fits; returns the length.
pub(crate) fn read_file(path: &core::ffi::CStr, buffer: &mut [u8]) -> usize {
    // SAFETY: the path ends in zero, the buffer bounds the reads.
    unsafe {
        let fd = call(
            libc::SYS_openat,
            [libc::AT_FDCWD as u64, path.as_ptr() as u64, libc::O_CLOEXEC as u64, 0, 0, 0],
        );
        if fd < 0 {
            return 0;
        }
        let mut len = 0;
        while len < buffer.len() {
            let room = &mut buffer[len..];
            let got = call(
                libc::SYS_read,
                [fd as u64, room.as_mut_ptr() as u64, room.len() as u64, 0, 0, 0],
            );
            if got <= 0 {
                break;
            }
            len += got as usize;
        }
        call(libc::SYS_close, [fd as u64, 0, 0, 0, 0, 0]);
        len
    }
}
