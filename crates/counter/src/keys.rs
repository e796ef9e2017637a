//! Memory protection keys: engines close their code to writes with them, and a program may close it to reads.
//!
//! Invariant: the thread's key rights are the program's again whenever its code runs; the counter changes them only while
//! it reads code. Guarding a page leaves its key as it is.
#![allow(unsafe_code, reason = "the rights are in a register of their own")]

use core::arch::asm;
use core::arch::x86_64::__cpuid_count;

/// Whether the kernel has enabled keys.
pub(crate) fn enabled() -> bool {
    const OSPKE: u32 = 1 << 4;
    const LEAF: u32 = 7;
    __cpuid_count(0, 0).eax >= LEAF && __cpuid_count(LEAF, 0).ecx & OSPKE != 0
}

/// Runs `f` with the right to read all memory.
pub(crate) fn reading_all<R>(enabled: bool, f: impl FnOnce() -> R) -> R {
    if !enabled {
        return f();
    }
    let before = rights();
    set_rights(0);
    let result = f();
    set_rights(before);
    result
}

fn rights() -> u32 {
    let rights: u32;
    // SAFETY: the caller has found keys enabled.
    unsafe { asm!("rdpkru", in("ecx") 0, out("eax") rights, out("edx") _, options(nostack)) };
    rights
}

fn set_rights(rights: u32) {
    // SAFETY: the caller has found keys enabled; memory accesses are not moved across.
    unsafe { asm!("wrpkru", in("eax") rights, in("ecx") 0, in("edx") 0, options(nostack)) };
}
