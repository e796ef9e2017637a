//! The vector register that counts belongs to the program as well: in handlers of faults, and in instructions that fault
//! themselves because they write to guarded memory.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code")]

mod support;

use std::arch::global_asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use support::{CodePage, in_each_form};

// Fills the register, traps, writes the register to the page that this code itself is on, and returns what it holds.
global_asm!(
    ".pushsection .rodata",
    "tiergate_test_register:",
    "vpbroadcastq zmm31, rdi",
    "ud2",
    "vmovdqu64 [rip + 2f], zmm31",
    "vmovdqu64 zmm30, [rip + 2f]",
    "vpsubq zmm30, zmm30, zmm31",
    "vpaddq zmm31, zmm31, zmm30",
    "vmovq rax, xmm31",
    "ret",
    "2:",
    ".zero 64",
    "tiergate_test_register_end:",
    ".popsection",
);

unsafe extern "C" {
    static tiergate_test_register: u8;
    static tiergate_test_register_end: u8;
}

static SEEN: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
const ANOTHER: u64 = 0x1357_9bdf_0246_8ace;

/// zmm31 in a handler's frame (Intel's manual, volume 1, 13.4 and 13.5.5).
fn register(context: *mut libc::ucontext_t) -> *mut [u64; 8] {
    const HIGH_VECTORS: u32 = 7;
    let part = __cpuid_count(0xd, HIGH_VECTORS).ebx as usize;
    // SAFETY: the frame of a running handler, on a machine with the register.
    unsafe { (*context).uc_mcontext.fpregs.cast::<u8>().add(part + 15 * 64).cast() }
}

extern "C" fn on_trap(_: i32, _: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    const UD2_LEN: i64 = 2;
    // SAFETY: the frame of this handler.
    unsafe {
        let register = register(context);
        for (word, seen) in (*register).iter().zip(&SEEN) {
            seen.store(*word, SeqCst);
        }
        *register = [ANOTHER; 8];
        (*context).uc_mcontext.gregs[libc::REG_RIP as usize] += UD2_LEN;
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "what is skipped is told")]
fn the_program_has_its_register_in_handlers_and_faults() {
    if !std::is_x86_feature_detected!("avx512f") {
        eprintln!("SKIPPED: the processor lacks AVX-512 F");
        return;
    }
    // SAFETY: both symbols are in one section, in this order.
    let code = unsafe {
        let (start, end) =
            (&raw const tiergate_test_register, &raw const tiergate_test_register_end);
        std::slice::from_raw_parts(start, end as usize - start as usize)
    };
    // SAFETY: a handler of the right type.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_trap as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGILL, &raw const action, std::ptr::null_mut()), 0);
    }
    in_each_form(|window| {
        let page = CodePage::new(8192);
        page.write(0, code);
        for argument in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            let (result, seen) = window.counted(|| {
                // SAFETY: a C function of one argument, whose trap is handled.
                unsafe { page.call(0, argument) }
            });
            assert_eq!(result, ANOTHER, "what the handler left is what the program finds");
            let words: Vec<u64> = SEEN.iter().map(|word| word.load(SeqCst)).collect();
            assert_eq!(words, [argument; 8], "the handler sees what the program has");
            assert_eq!((seen.incomplete, seen.faults), (None, 1));
            assert!(seen.code_writes > 0, "the write to the code's own page was noticed");
        }
    });
    // SAFETY: the default action.
    unsafe { libc::signal(libc::SIGILL, libc::SIG_DFL) };
}
