//! Instructions of AVX-512 in the program's code: operands relative to the instruction pointer, masks, the flags that
//! tests of masks write, and all 32 registers across visits to the dispatcher.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code")]

mod support;

use std::arch::global_asm;
use support::{CodePage, Machine, both_ways, exclusive};

// Each piece is copied with the data behind it, to be run at addresses near and far. It finds its own memory in rdi.
global_asm!(
    ".pushsection .rodata",
    // Operands of all widths, masked, broadcast, with a constant behind the displacement; results go to memory.
    "tiergate_test_operands:",
    "vmovdqu64 zmm17, [rip + 7f]",
    "vpaddq zmm18, zmm17, [rip + 7f]",
    "mov eax, 0x5a",
    "kmovd k1, eax",
    "vpaddq zmm18{{k1}}, zmm17, [rip + 7f + 64]",
    "vpaddq zmm19{{k1}}{{z}}, zmm17, [rip + 7f]{{1to8}}",
    "vpternlogq zmm18, zmm19, [rip + 7f], 0x96",
    "valignq zmm20, zmm18, [rip + 7f + 64], 3",
    "vpcmpub k2, zmm20, [rip + 7f], 1",
    "vpcmpeqb k3, zmm20, [rip + 7f + 64]",
    "kmovq k4, [rip + 7f + 8]",
    "kxorq k2, k2, k3",
    "kxorq k2, k2, k4",
    "vmovss xmm21, [rip + 7f + 4]",
    "vpaddq ymm22, ymm17, [rip + 7f + 32]",
    "vpmovzxbq zmm23, [rip + 7f + 24]",
    "vcvttsd2usi rdx, [rip + 7f + 128]",
    "vpermi2q zmm17, zmm18, [rip + 7f + 64]",
    "vmovdqu8 [rip + 7f + 64]{{k2}}, zmm20",
    "kmovq [rip + 7f + 8], k3",
    "vpxorq zmm18, zmm18, [rip + 7f + 64]",
    "vpaddq zmm18, zmm18, zmm23",
    "vmovdqu64 [rdi], zmm18",
    "vmovdqu64 [rdi + 64], zmm17",
    "vmovdqu64 [rdi + 128], zmm20",
    "vmovdqu64 [rdi + 192], ymm22",
    "vmovdqu64 [rdi + 224], xmm21",
    "kmovq [rdi + 240], k2",
    "kmovq rcx, k3",
    "vzeroupper",
    "ret",
    "7:",
    ".quad 0x0123456789abcdef, 0xfedcba9876543210, 0x1122334455667788, 0x99aabbccddeeff00",
    ".quad 0xdeadbeefcafebabe, 0x0f1e2d3c4b5a6978, 0x8796a5b4c3d2e1f0, 0x13579bdf02468ace",
    ".quad 3, 0x0fedcba987654321, 5, 0x7777777777777777, 9, 0x3141592653589793, 2, 0x2718281828459045",
    ".double 123456.75",
    "tiergate_test_operands_end:",
    // Flags of mask tests and of comparisons, read at once and by a branch.
    "tiergate_test_flags:",
    "kmovq k1, rax",
    "kmovq k2, rbx",
    "mov r8d, 0",
    "kortestq k1, k2",
    "pushfq",
    "pop rcx",
    "jz 2f",
    "add r8, 1",
    "2:",
    "ktestq k1, k2",
    "pushfq",
    "pop rdx",
    "jc 3f",
    "add r8, 2",
    "3:",
    "kxorq k3, k1, k1",
    "kortestq k3, k3",
    "setz r9b",
    "jnz 4f",
    "add r8, 4",
    "4:",
    "vmovq xmm20, rax",
    "vmovq xmm21, rbx",
    "vucomisd xmm20, xmm21",
    "pushfq",
    "pop r10",
    "jbe 5f",
    "add r8, 8",
    "5:",
    "ret",
    "tiergate_test_flags_end:",
    // All registers hold something while blocks are translated for the first time and a system call is made; then they
    // are mixed, each with its place.
    "tiergate_test_registers:",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "imul rax, rax, 0x4f1bbcdd",
    "add rax, \\n + 1",
    "vpbroadcastq zmm\\n, rax",
    ".endr",
    ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "imul rax, rax, 0x4f1bbcdd",
    "add rax, \\n + 1",
    "vpbroadcastq zmm\\n, rax",
    ".endr",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
    "imul rax, rax, 0x4f1bbcdd",
    "kmovq k\\n, rax",
    ".endr",
    "lea rbx, [rip + 2f]",
    "jmp rbx",
    "2:",
    "call 8f",
    "mov eax, 39", // getpid
    "push rcx",
    "push r11",
    "syscall",
    "pop r11",
    "pop rcx",
    "call 8f",
    "xor eax, eax",
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
    "rol rax, 7",
    "kmovq rdx, k\\n",
    "xor rax, rdx",
    ".endr",
    ".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "vprolq zmm0, zmm0, 5",
    "vpxorq zmm0, zmm0, zmm\\n",
    ".endr",
    ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "vprolq zmm0, zmm0, 5",
    "vpxorq zmm0, zmm0, zmm\\n",
    ".endr",
    "vmovdqu64 [rdi], zmm0",
    "vzeroupper",
    "ret",
    "8:",
    "push rbp",
    "lea rbp, [rip + 9f]",
    "call rbp",
    "pop rbp",
    "ret",
    "9:",
    "ret",
    "tiergate_test_registers_end:",
    ".popsection",
);

unsafe extern "C" {
    static tiergate_test_operands: u8;
    static tiergate_test_operands_end: u8;
    static tiergate_test_flags: u8;
    static tiergate_test_flags_end: u8;
    static tiergate_test_registers: u8;
    static tiergate_test_registers_end: u8;
}

#[allow(clippy::print_stderr, reason = "what is skipped is told")]
fn check(name: &str, start: &'static u8, end: &'static u8) {
    let has = std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512dq");
    if !has {
        eprintln!("SKIPPED: {name}: the processor lacks one of AVX-512 F, BW, VL, DQ");
        return;
    }
    let len = std::ptr::from_ref(end) as usize - std::ptr::from_ref(start) as usize;
    // SAFETY: both symbols are in one section, in this order.
    let code = unsafe { std::slice::from_raw_parts(start, len) };
    let window = exclusive();
    // Near the program, below 2 GB, and far from everything: operands are reached in different ways.
    for address in [0usize, 0x2000_0000, 0x3000_0000_0000] {
        for shadow in [true, false] {
            let page = CodePage::at(address, 8192);
            for seed in 1..6 {
                let start = Machine::new(seed * 0x9e37_79b9);
                let prepare = || page.write(0, code);
                let (native, counted, seen) = both_ways(&window, shadow, page.at, &start, prepare);
                assert_eq!(native, counted, "{name} at {address:#x}, shadow {shadow}, seed {seed}");
                assert_eq!(seen.incomplete, None, "{name}");
            }
        }
    }
}

#[test]
fn operands_relative_to_the_instruction_pointer() {
    // SAFETY: symbols of the assembly above; only their addresses are used.
    unsafe { check("operands", &tiergate_test_operands, &tiergate_test_operands_end) };
}

#[test]
fn flags_of_masks_and_comparisons() {
    // SAFETY: likewise.
    unsafe { check("flags", &tiergate_test_flags, &tiergate_test_flags_end) };
}

#[test]
fn all_registers_survive_the_dispatcher() {
    // SAFETY: likewise.
    unsafe { check("registers", &tiergate_test_registers, &tiergate_test_registers_end) };
}
