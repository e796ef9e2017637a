//! Memory protection keys: a program closes memory to itself with them, code to reads or to writes, without the kernel
//! being told each time. The counter's own reads of code, and its guard of pages, would have to follow each change of the
//! thread's rights; so a program that uses them is refused.
#![allow(unsafe_code, reason = "the kernel is asked for a key")]

use crate::sys;
use core::arch::asm;
use core::arch::x86_64::__cpuid_count;

/// The thread's rights as the kernel sets them at first: all to the first key, none to the others.
const INITIAL_RIGHTS: u32 = 0x5555_5554;
/// The first key that programs are given; the one before it is everything's.
const FIRST_KEY: i64 = 1;
const ENOSPC: i64 = -(libc::ENOSPC as i64);

/// Whether the processor has keys and the kernel has enabled them.
pub(crate) fn enabled() -> bool {
    const OSPKE: u32 = 1 << 4;
    const LEAF: u32 = 7;
    __cpuid_count(0, 0).eax >= LEAF && __cpuid_count(LEAF, 0).ecx & OSPKE != 0
}

/// Whether this process uses any.
pub(crate) fn in_use() -> bool {
    if !enabled() {
        return false;
    }
    const DISABLE_ACCESS: u64 = 1;
    // SAFETY: a key that nothing uses, given back below.
    let key = unsafe { sys::call(libc::SYS_pkey_alloc, [0, DISABLE_ACCESS, 0, 0, 0, 0]) };
    if key > 0 {
        // SAFETY: likewise.
        unsafe { sys::call(libc::SYS_pkey_free, [key.cast_unsigned(), 0, 0, 0, 0, 0]) };
    }
    are_in_use(key, rights())
}

/// What the kernel's answer to a request for a key tells: it gives the lowest that is free.
fn are_in_use(key: i64, rights: u32) -> bool {
    match key {
        FIRST_KEY => false,
        ENOSPC => true,
        key if key > 0 => true,
        // The call is forbidden: then so it was for the program, but perhaps not from the start.
        _ => rights != INITIAL_RIGHTS,
    }
}

fn rights() -> u32 {
    let rights: u32;
    // SAFETY: the caller has found keys enabled.
    unsafe { asm!("rdpkru", in("ecx") 0, out("eax") rights, out("edx") _, options(nostack)) };
    rights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_key_tells_whether_others_are_taken() {
        assert!(!are_in_use(1, INITIAL_RIGHTS));
        assert!(are_in_use(2, INITIAL_RIGHTS));
        assert!(are_in_use(ENOSPC, INITIAL_RIGHTS));
        assert!(!are_in_use(-1, INITIAL_RIGHTS));
        assert!(are_in_use(-1, 0x5555_5550));
    }
}
