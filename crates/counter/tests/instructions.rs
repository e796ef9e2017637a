//! Every kind of instruction that is rewritten, run natively and under the counter: registers, flags and memory agree.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code")]
#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

mod support;

use proptest::prelude::*;
use support::{CodePage, Machine, both_ways, exclusive};

/// Runs code at low and at high addresses, with and without the shadow of the stack.
fn check(name: &str, code: &[u8]) {
    let window = exclusive();
    // Near the program, below 2 GB, and far from everything: operands are reached in different ways.
    for address in [0usize, 0x2000_0000, 0x3000_0000_0000] {
        for shadow in [true, false] {
            let page = CodePage::at(address, 8192);
            for seed in 1..4 {
                let start = Machine::new(seed * 0x9e37_79b9);
                let prepare = || page.write(0, code);
                let (native, counted, _) = both_ways(&window, shadow, page.at, &start, prepare);
                assert_eq!(native, counted, "{name} at {address:#x}, shadow {shadow}, seed {seed}");
            }
        }
    }
}

/// Data behind the code, at offset 0x800 of the page: `code` reaches it relative to the instruction pointer.
fn with_data(code: &[u8]) -> Vec<u8> {
    let mut bytes = code.to_vec();
    bytes.resize(0x800, 0xcc);
    bytes.extend((0..256u32).map(|k| (k * 37 + 11) as u8));
    bytes
}

/// A 32-bit displacement from the end of an instruction at `end` to offset `0x800 + at`.
fn to_data(end: usize, at: usize) -> [u8; 4] {
    ((0x800 + at - end) as u32).to_le_bytes()
}

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn operands_relative_to_the_instruction_pointer() {
    let cases: &[(&str, &[u8], &[u8])] = &[
        ("mov rax, [rip + d]", &[0x48, 0x8b, 0x05], &[]),
        ("mov r15, [rip + d]", &[0x4c, 0x8b, 0x3d], &[]),
        ("mov ah, [rip + d]", &[0x8a, 0x25], &[]),
        ("mov sil, [rip + d]", &[0x40, 0x8a, 0x35], &[]),
        ("mov rsi, [rip + d]", &[0x48, 0x8b, 0x35], &[]),
        ("mov rdi, [rip + d]", &[0x48, 0x8b, 0x3d], &[]),
        ("rex.b ignored", &[0x49, 0x8b, 0x05], &[]),
        ("rex.x ignored", &[0x4a, 0x8b, 0x05], &[]),
        ("add dword [rip + d], imm32", &[0x81, 0x05], &[1, 2, 3, 4]),
        ("cmp byte [rip + d], imm8", &[0x80, 0x3d], &[7]),
        ("movzx ecx, word [rip + d]", &[0x0f, 0xb7, 0x0d], &[]),
        ("movdqu xmm3, [rip + d]", &[0xf3, 0x0f, 0x6f, 0x1d], &[]),
        ("pshufb xmm1, [rip + d]", &[0x66, 0x0f, 0x38, 0x00, 0x0d], &[]),
        ("palignr xmm1, [rip + d], 3", &[0x66, 0x0f, 0x3a, 0x0f, 0x0d], &[3]),
        ("vmovdqu xmm5, [rip + d]", &[0xc5, 0xfa, 0x6f, 0x2d], &[]),
        ("vpshufb xmm5, xmm6, [rip + d]", &[0xc4, 0xe2, 0x49, 0x00, 0x2d], &[]),
        ("vex.b ignored", &[0xc4, 0xc2, 0x49, 0x00, 0x2d], &[]),
        ("andn rsi, rdi, [rip + d]", &[0xc4, 0xe2, 0xc0, 0xf2, 0x35], &[]),
        ("mulx rsi, rdi, [rip + d]", &[0xc4, 0xe2, 0xc3, 0xf6, 0x35], &[]),
        ("lock xadd [rip + d], rdx", &[0xf0, 0x48, 0x0f, 0xc1, 0x15], &[]),
        ("cmpxchg [rip + d], rbx", &[0x48, 0x0f, 0xb1, 0x1d], &[]),
        ("lea rax, [rip + d]", &[0x48, 0x8d, 0x05], &[]),
        ("lea r12d, [rip + d]", &[0x44, 0x8d, 0x25], &[]),
        ("imul edx, [rip + d], 9", &[0x6b, 0x15], &[9]),
        ("crc32 rax, [rip + d]", &[0xf2, 0x48, 0x0f, 0x38, 0xf1, 0x05], &[]),
        ("movbe eax, [rip + d]", &[0x0f, 0x38, 0xf0, 0x05], &[]),
    ];
    for (name, head, tail) in cases {
        let end = head.len() + 4 + tail.len();
        let code = join(&[head, &to_data(end, 16), tail, &[0xc3]]);
        check(name, &with_data(&code));
    }
    // cmpxchg16b needs alignment.
    let code = join(&[&[0x48, 0x0f, 0xc7, 0x0d], &to_data(8, 32), &[0xc3]]);
    check("cmpxchg16b [rip + d]", &with_data(&code));
    // push and pop through memory.
    let code = join(&[
        &[0xff, 0x35],
        &to_data(6, 8),
        &[0x8f, 0x05],
        &to_data(12, 24),
        &[0x48, 0x8b, 0x05],
        &to_data(19, 24),
        &[0xc3],
    ]);
    check("push [rip + d]; pop [rip + d]", &with_data(&code));
}

#[test]
fn conditional_branches_short_and_near() {
    for cc in 0..16u8 {
        // jcc over a `not rax`, in both forms.
        check("jcc short", &[0x70 | cc, 3, 0x48, 0xf7, 0xd0, 0xc3]);
        check("jcc near", &[0x0f, 0x80 | cc, 3, 0, 0, 0, 0x48, 0xf7, 0xd0, 0xc3]);
        // The flags survive what is emitted between blocks: setcc on both sides.
        check(
            "setcc behind jcc",
            &[0x70 | cc, 0, 0x0f, 0x90 | (cc ^ 5), 0xc0, 0x0f, 0x90 | cc, 0xc4, 0xc3],
        );
    }
}

#[test]
fn branches_on_the_counting_register() {
    check("jrcxz", &[0xe3, 3, 0x48, 0xf7, 0xd0, 0xc3]);
    check("jecxz", &[0x67, 0xe3, 3, 0x48, 0xf7, 0xd0, 0xc3]);
    // mov ecx, 5; again: add rax, rcx; loop again
    check("loop", &[0xb9, 5, 0, 0, 0, 0x48, 0x01, 0xc8, 0xe2, 0xfb, 0xc3]);
    check("loope", &[0xb9, 5, 0, 0, 0, 0x48, 0x01, 0xc8, 0xe1, 0xfb, 0xc3]);
    check("loopne", &[0xb9, 5, 0, 0, 0, 0x48, 0x01, 0xc8, 0xe0, 0xfb, 0xc3]);
    check("xor ecx, ecx; jrcxz", &[0x31, 0xc9, 0xe3, 3, 0x48, 0xf7, 0xd0, 0xc3]);
}

#[test]
fn indirect_branches() {
    // lea rax, [rip + 3]; jmp rax; int3; ret
    check("jmp rax", &[0x48, 0x8d, 0x05, 3, 0, 0, 0, 0xff, 0xe0, 0xcc, 0xc3]);
    // lea rcx, [rip + 4]; jmp rcx; nop; int3; ret: rcx is the target and has to survive
    check("jmp rcx", &[0x48, 0x8d, 0x0d, 4, 0, 0, 0, 0xff, 0xe1, 0x90, 0xcc, 0xc3]);
    // lea r11, [rip + 4]; notrack jmp r11
    check("notrack jmp r11", &[0x4c, 0x8d, 0x1d, 5, 0, 0, 0, 0x3e, 0x41, 0xff, 0xe3, 0xcc, 0xc3]);
    // The flags live across an indirect jump: stc; lea rax; jmp rax; int3; adc rbx, 0; ret
    check(
        "flags across jmp rax",
        &[0xf9, 0x48, 0x8d, 0x05, 3, 0, 0, 0, 0xff, 0xe0, 0xcc, 0x48, 0x83, 0xd3, 0, 0xc3],
    );
    // lea rax, [rip + f]; call rax; inc rbx; ret; f: xor rdx, rbx; ret
    check(
        "call rax",
        &[0x48, 0x8d, 0x05, 6, 0, 0, 0, 0xff, 0xd0, 0x48, 0xff, 0xc3, 0xc3, 0x48, 0x31, 0xda, 0xc3],
    );
    // mov [rdi + 8], rax (lea'd); call [rdi + 8]; mov qword [rdi + 8], 0; ret; f: not rdx; ret
    check(
        "call [rdi + 8]",
        &[
            0x48, 0x8d, 0x05, 16, 0, 0, 0, 0x48, 0x89, 0x47, 8, 0xff, 0x57, 8, 0x48, 0xc7, 0x47, 8,
            0, 0, 0, 0, 0xc3, 0x48, 0xf7, 0xd2, 0xc3,
        ],
    );
    // call [rsp - 8]: lea rax; mov [rsp - 8], rax; call [rsp - 8]; ret; f: not rdx; ret
    check(
        "call [rsp - 8]",
        &[
            0x48, 0x8d, 0x05, 10, 0, 0, 0, 0x48, 0x89, 0x44, 0x24, 0xf8, 0xff, 0x54, 0x24, 0xf8,
            0xc3, 0x48, 0xf7, 0xd2, 0xc3,
        ],
    );
}

#[test]
fn calls_and_returns() {
    // call f; not rax; ret; f: inc rbx; ret
    check("call", &[0xe8, 4, 0, 0, 0, 0x48, 0xf7, 0xd0, 0xc3, 0x48, 0xff, 0xc3, 0xc3]);
    // call next; pop rax (the original return address); sub rax, [rsp]...; just drop it to memory
    check("call next; pop", &[0xe8, 0, 0, 0, 0, 0x58, 0x48, 0x89, 0x07, 0xc3]);
    // push 1; push 2; call f; ret; f: mov rax, [rsp + 8]; ret 16
    check(
        "ret 16",
        &[0x6a, 1, 0x6a, 2, 0xe8, 1, 0, 0, 0, 0xc3, 0x48, 0x8b, 0x44, 0x24, 8, 0xc2, 16, 0],
    );
    // lea rax, [rip + t]; push rax; ret; int3; t: not rbx; ret
    check("push; ret", &[0x48, 0x8d, 0x05, 3, 0, 0, 0, 0x50, 0xc3, 0xcc, 0x48, 0xf7, 0xd3, 0xc3]);
    // A callee that returns elsewhere: call f; int3; t: not rbx; ret; f: inc qword [rsp]; ret
    check(
        "changed return address",
        &[0xe8, 5, 0, 0, 0, 0xcc, 0x48, 0xf7, 0xd3, 0xc3, 0x48, 0xff, 0x04, 0x24, 0xc3],
    );
    // Flags returned: call f; adc rax, 0; ret; f: stc; ret
    check("flags across ret", &[0xe8, 5, 0, 0, 0, 0x48, 0x83, 0xd0, 0, 0xc3, 0xf9, 0xc3]);
    // Recursion: mov ecx, 200; f: dec ecx; jz out; call f; inc rax; out: ret
    check(
        "recursion",
        &[
            0xb9, 200, 0, 0, 0, 0xff, 0xc9, 0x74, 8, 0xe8, 0xf7, 0xff, 0xff, 0xff, 0x48, 0xff,
            0xc0, 0xc3,
        ],
    );
}

#[test]
fn the_stack_pointer_may_leave_its_stack() {
    // mov rax, rsp; lea rsp, [rdi + 256]; call f; mov rsp, rax; ret; f: inc rbx; ret
    check(
        "another stack",
        &[
            0x48, 0x89, 0xe0, 0x48, 0x8d, 0xa7, 0, 1, 0, 0, 0xe8, 6, 0, 0, 0, 0x48, 0x89, 0xc4,
            0x31, 0xc0, 0xc3, 0x48, 0xff, 0xc3, 0xc3,
        ],
    );
    // The same with xchg rsp, rax behind lea rax.
    check(
        "xchg rsp",
        &[
            0x48, 0x8d, 0x87, 0, 1, 0, 0, 0x48, 0x94, 0xe8, 4, 0, 0, 0, 0x48, 0x94, 0x90, 0xc3,
            0x48, 0xff, 0xc3, 0xc3,
        ],
    );
}

#[test]
fn string_instructions() {
    // mov ecx, 16; lea rsi, [rdi]; lea rdi, [rdi + 256]; rep movsb; ret
    check(
        "rep movsb",
        &[0xb9, 16, 0, 0, 0, 0x48, 0x8d, 0x37, 0x48, 0x8d, 0xbf, 0, 1, 0, 0, 0xf3, 0xa4, 0xc3],
    );
    check("rep stosq", &[0xb9, 8, 0, 0, 0, 0xf3, 0x48, 0xab, 0xc3]);
    check("repne scasb", &[0xb9, 64, 0, 0, 0, 0xf2, 0xae, 0xc3]);
}

#[test]
fn system_calls() {
    // mov eax, 39 (getpid); syscall; xor ecx, ecx; xor r11d, r11d; ret
    check("getpid", &[0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x31, 0xc9, 0x45, 0x31, 0xdb, 0xc3]);
    // stc; mov eax, 39; syscall; rcl rbx, 1; ...: flags survive
    check(
        "flags across syscall",
        &[
            0xf9, 0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x48, 0xd1, 0xd3, 0x31, 0xc9, 0x45, 0x31, 0xdb,
            0xc3,
        ],
    );
    // rcx holds the address behind the instruction: sub it from a lea of the same.
    check(
        "rcx after syscall",
        &[
            0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x48, 0x8d, 0x15, 0xf9, 0xff, 0xff, 0xff, 0x48, 0x29,
            0xd1, 0x31, 0xd2, 0x45, 0x31, 0xdb, 0xc3,
        ],
    );
}

/// A random instruction that touches only registers, flags and the memory at rdi.
fn instruction() -> impl Strategy<Value = Vec<u8>> {
    // Any register but rsp (4) and rdi (7).
    let reg = prop_oneof![Just(0u8), Just(1), Just(2), Just(3), Just(5), Just(6), 8u8..16];
    let pair = (reg.clone(), reg.clone());
    prop_oneof![
        // add, or, adc, sbb, and, sub, xor, cmp r64, r64
        (pair.clone(), 0u8..8).prop_map(|((a, b), op)| vec![
            0x48 | a >> 3 | b >> 3 << 2,
            op << 3 | 1,
            0xc0 | (b & 7) << 3 | a & 7
        ]),
        // the same on memory
        (reg.clone(), 0u8..8, 0u8..32).prop_map(|(a, op, at)| vec![
            0x48 | a >> 3 << 2,
            op << 3 | 3,
            0x47 | (a & 7) << 3,
            at * 8 % 120
        ]),
        (reg.clone(), 0u8..8, 0u8..32).prop_map(|(a, op, at)| vec![
            0x48 | a >> 3 << 2,
            op << 3 | 1,
            0x47 | (a & 7) << 3,
            at * 8 % 120
        ]),
        // shifts by a constant and by cl
        (reg.clone(), 0u8..8, any::<u8>()).prop_map(|(a, op, n)| vec![
            0x48 | a >> 3,
            0xc1,
            0xc0 | op << 3 | a & 7,
            n
        ]),
        (reg.clone(), 0u8..8).prop_map(|(a, op)| vec![0x48 | a >> 3, 0xd3, 0xc0 | op << 3 | a & 7]),
        // inc, dec
        (reg.clone(), 0u8..2).prop_map(|(a, op)| vec![0x48 | a >> 3, 0xff, 0xc0 | op << 3 | a & 7]),
        // setcc, cmovcc
        (0u8..16, 0u8..4).prop_map(|(cc, a)| vec![0x0f, 0x90 | cc, 0xc0 | a]),
        (pair.clone(), 0u8..16).prop_map(|((a, b), cc)| vec![
            0x48 | b >> 3 | a >> 3 << 2,
            0x0f,
            0x40 | cc,
            0xc0 | (a & 7) << 3 | b & 7
        ]),
        // imul, bt, bswap, popcnt
        pair.clone().prop_map(|(a, b)| vec![
            0x48 | b >> 3 | a >> 3 << 2,
            0x0f,
            0xaf,
            0xc0 | (a & 7) << 3 | b & 7
        ]),
        (reg.clone(), any::<u8>()).prop_map(|(a, n)| vec![
            0x48 | a >> 3,
            0x0f,
            0xba,
            0xe0 | a & 7,
            n
        ]),
        pair.clone().prop_map(|(a, b)| vec![
            0xf3,
            0x48 | b >> 3 | a >> 3 << 2,
            0x0f,
            0xb8,
            0xc0 | (a & 7) << 3 | b & 7
        ]),
        // a branch over the next seven bytes, which are a nop
        (0u8..16).prop_map(|cc| vec![0x70 | cc, 7, 0x0f, 0x1f, 0x80, 0, 0, 0, 0]),
        // a branch over `not rax`
        (0u8..16).prop_map(|cc| vec![0x70 | cc, 3, 0x48, 0xf7, 0xd0]),
        (0u8..16).prop_map(|cc| vec![0x0f, 0x80 | cc, 3, 0, 0, 0, 0x48, 0xf7, 0xd3]),
        Just(vec![0xe3, 3, 0x48, 0xf7, 0xd0]),
        // a call over a jump: call +5; jmp +4; stc; cmc...; ret
        Just(vec![0xe8, 2, 0, 0, 0, 0xeb, 4, 0x48, 0xff, 0xc0, 0xc3]),
        Just(vec![0xe8, 2, 0, 0, 0, 0xeb, 2, 0xf9, 0xc3]),
        Just(vec![0xe8, 2, 0, 0, 0, 0xeb, 2, 0xf5, 0xc3]),
        // an indirect jump to the next instruction but one, the register saved in memory
        reg.prop_map(|a| vec![
            0x48 | a >> 3 << 2,
            0x89,
            0x87 | (a & 7) << 3,
            128,
            0,
            0,
            0,
            0x48 | a >> 3 << 2,
            0x8d,
            0x05 | (a & 7) << 3,
            4,
            0,
            0,
            0,
            0x40 | a >> 3,
            0xff,
            0xe0 | a & 7,
            0xcc,
            0x48 | a >> 3 << 2,
            0x8b,
            0x87 | (a & 7) << 3,
            128,
            0,
            0,
            0,
        ]),
        // pushf; pop to memory; SSE arithmetic
        Just(vec![0x9c, 0x8f, 0x87, 136, 0, 0, 0]),
        (0u8..8, 0u8..8).prop_map(|(a, b)| vec![0x66, 0x0f, 0xd4, 0xc0 | a << 3 | b]),
        Just(vec![0xf8]),
        Just(vec![0xfd, 0xfc]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]
    #[test]
    fn random_streams(stream in proptest::collection::vec(instruction(), 1..60), seed in any::<u64>(), high in any::<bool>(), shadow in any::<bool>()) {
        let window = exclusive();
        let page = CodePage::at(if high { 0x3000_0000_0000 } else { 0x2000_0000 }, 8192);
        let mut code: Vec<u8> = stream.concat();
        code.push(0xc3);
        let (native, counted, _) = both_ways(&window, shadow, page.at, &Machine::new(seed), || page.write(0, &code));
        // Bits of pushed flags that belong to the system are equal too.
        prop_assert_eq!(native, counted);
    }
}
