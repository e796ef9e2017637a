//! Tables of opcodes: what follows each, which flags it reads and writes, and where control goes.
//!
//! Invariants: those of `opcodes`, which asks them. An opcode whose meaning isn't told by itself, its operand byte and the
//! usual prefixes is `RARE`.
#![allow(clippy::cast_possible_truncation, reason = "the arithmetic flags are the lowest six bits")]

use crate::decode::Role;
use iced_x86::RflagsBits;

pub(crate) const OF: u8 = RflagsBits::OF as u8;
pub(crate) const SF: u8 = RflagsBits::SF as u8;
pub(crate) const ZF: u8 = RflagsBits::ZF as u8;
pub(crate) const CF: u8 = RflagsBits::CF as u8;
pub(crate) const PF: u8 = RflagsBits::PF as u8;
pub(crate) const AF: u8 = RflagsBits::AF as u8;
/// All arithmetic flags.
pub(crate) const ALL: u8 = OF | SF | ZF | AF | CF | PF;

/// An operand byte follows, with what it asks for.
pub(crate) const MODRM: u16 = 1;
pub(crate) const IMM8: u16 = 2;
/// Four bytes, or two with an operand-size prefix.
pub(crate) const IMM32: u16 = 4;
/// `IMM32` that grows to eight bytes with `REX_W`.
pub(crate) const IMM64: u16 = 8;
pub(crate) const PREFIX: u16 = 16;
/// Left to the full decoder.
pub(crate) const RARE: u16 = 32;
/// A branch: an operand-size prefix leaves it to the full decoder.
pub(crate) const BRANCH: u16 = 64;
/// A load of the stack pointer when that is the register of the operand byte.
pub(crate) const LOADS_REG: u16 = 128;
/// The same for the register or memory of the operand byte.
pub(crate) const LOADS_RM: u16 = 256;
/// Flags depend on the last byte, which counts bits.
pub(crate) const SHIFT: u16 = 512;
/// The operand byte's register selects one of a group, whose number is in `kills`.
pub(crate) const GROUP: u16 = 1024;
pub(crate) const VEX: u16 = 4096;
pub(crate) const LEA: u16 = 8192;
/// A load of the stack pointer unless a prefix makes it `r12`.
pub(crate) const NAMES_SP: u16 = 1 << 14;

#[derive(Clone, Copy)]
pub(crate) struct Opcode {
    pub(crate) shape: u16,
    pub(crate) reads: u8,
    pub(crate) kills: u8,
    pub(crate) role: Role,
}

pub(crate) const fn opcode(shape: u16, reads: u8, kills: u8) -> Opcode {
    Opcode { shape, reads, kills, role: Role::Plain }
}

pub(crate) const fn branch(shape: u16, reads: u8, role: Role) -> Opcode {
    Opcode { shape: shape | BRANCH, reads, kills: 0, role }
}

pub(crate) const fn group(number: u8) -> Opcode {
    opcode(MODRM | GROUP, 0, number)
}

pub(crate) const PLAIN: Opcode = opcode(MODRM, 0, 0);
pub(crate) const UNKNOWN: Opcode = opcode(RARE, 0, 0);

/// Opcodes that the register of the operand byte extends.
pub(crate) static GROUPS: [[Opcode; 8]; 13] = [
    arithmetic(IMM8),
    arithmetic(IMM32),
    shifts(IMM8 | SHIFT, CF, ALL),
    shifts(0, OF | CF, ALL),
    // By a count that may be zero.
    shifts(0, 0, 0),
    one_of(opcode(MODRM | IMM8 | LOADS_RM, 0, 0)),
    one_of(opcode(MODRM | IMM32 | LOADS_RM, 0, 0)),
    unary(IMM8),
    unary(IMM32),
    // inc, dec of bytes
    [STEP, STEP, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
    [
        STEP,
        STEP,
        branch(MODRM, 0, Role::IndirectCall),
        UNKNOWN,
        branch(MODRM, 0, Role::IndirectJump),
        UNKNOWN,
        PLAIN,
        UNKNOWN,
    ],
    // bt, bts, btr, btc
    [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, BIT_TEST, BIT_TEST, BIT_TEST, BIT_TEST],
    [UNKNOWN; 8],
];
pub(crate) const BY_IMM8: u8 = 0;
pub(crate) const BY_IMM32: u8 = 1;
pub(crate) const SHIFT_IMM8: u8 = 2;
pub(crate) const SHIFT_1: u8 = 3;
pub(crate) const SHIFT_CL: u8 = 4;
pub(crate) const MOV_IMM8: u8 = 5;
pub(crate) const MOV_IMM32: u8 = 6;
pub(crate) const UNARY_8: u8 = 7;
pub(crate) const UNARY: u8 = 8;
pub(crate) const STEP_8: u8 = 9;
pub(crate) const BRANCHES: u8 = 10;
pub(crate) const BIT_TESTS: u8 = 11;
pub(crate) const NO_GROUP: u8 = 12;
pub(crate) const STEP: Opcode = opcode(MODRM, 0, ALL & !CF);
pub(crate) const BIT_TEST: Opcode = opcode(MODRM | IMM8, 0, CF);

/// add, or, adc, sbb, and, sub, xor, cmp with a constant.
pub(crate) const fn arithmetic(immediate: u16) -> [Opcode; 8] {
    let usual = opcode(MODRM | immediate, 0, ALL);
    let with_carry = opcode(MODRM | immediate, CF, ALL);
    [usual, usual, with_carry, with_carry, usual, usual, usual, usual]
}

pub(crate) const fn shifts(shape: u16, rotation_kills: u8, kills: u8) -> [Opcode; 8] {
    let rotation = opcode(MODRM | shape, 0, rotation_kills);
    let shift = opcode(MODRM | shape, 0, kills);
    [rotation, rotation, UNKNOWN, UNKNOWN, shift, shift, shift, shift]
}

pub(crate) const fn one_of(first: Opcode) -> [Opcode; 8] {
    [first, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]
}

/// test with a constant, not, neg, mul, imul, div, idiv.
pub(crate) const fn unary(immediate: u16) -> [Opcode; 8] {
    let product = opcode(MODRM, 0, OF | CF);
    let test = opcode(MODRM | immediate, 0, ALL);
    [test, UNKNOWN, PLAIN, opcode(MODRM, 0, ALL), product, product, PLAIN, PLAIN]
}

/// The flags that condition `cc` of `jcc`, `setcc` and `cmovcc` reads.
pub(crate) const fn condition(cc: usize) -> u8 {
    [OF, CF, ZF, CF | ZF, SF, PF, SF | OF, SF | OF | ZF][cc >> 1 & 7]
}

/// Opcodes of one byte, and of two: those behind 0x0f.
pub(crate) static OPCODES: [[Opcode; 256]; 2] = [one_byte(), two_bytes()];

pub(crate) const fn one_byte() -> [Opcode; 256] {
    let mut t = [UNKNOWN; 256];
    // add, or, adc, sbb, and, sub, xor, cmp in six forms each.
    let mut op = 0;
    while op < 8 {
        let reads = if op == 2 || op == 3 { CF } else { 0 };
        let mut form = 0;
        while form < 6 {
            let shape = [MODRM, MODRM, MODRM, MODRM, IMM8, IMM32][form];
            t[op << 3 | form] = opcode(shape, reads, ALL);
            form += 1;
        }
        op += 1;
    }
    let mut k = 0;
    while k < 16 {
        t[0x50 | k] = opcode(0, 0, 0); // push, pop
        t[0x70 | k] = branch(IMM8, condition(k), Role::Conditional);
        t[0xb0 | k] = if k < 8 { opcode(IMM8, 0, 0) } else { opcode(IMM32 | IMM64, 0, 0) }; // mov
        k += 1;
    }
    t[0x5c] = opcode(NAMES_SP, 0, 0); // pop rsp
    t[0xb4] = UNKNOWN; // mov spl, imm
    t[0xbc] = opcode(NAMES_SP | IMM32 | IMM64, 0, 0);
    t[0x63] = PLAIN; // movsxd
    t[0x68] = opcode(IMM32, 0, 0); // push
    t[0x6a] = opcode(IMM8, 0, 0);
    t[0x69] = opcode(MODRM | IMM32, 0, OF | CF); // imul
    t[0x6b] = opcode(MODRM | IMM8, 0, OF | CF);
    t[0x80] = group(BY_IMM8);
    t[0x81] = group(BY_IMM32);
    t[0x83] = group(BY_IMM8);
    t[0x84] = opcode(MODRM, 0, ALL); // test
    t[0x85] = opcode(MODRM, 0, ALL);
    t[0x86] = opcode(MODRM | LOADS_REG | LOADS_RM, 0, 0); // xchg
    t[0x87] = opcode(MODRM | LOADS_REG | LOADS_RM, 0, 0);
    t[0x88] = opcode(MODRM | LOADS_RM, 0, 0); // mov
    t[0x89] = opcode(MODRM | LOADS_RM, 0, 0);
    t[0x8a] = opcode(MODRM | LOADS_REG, 0, 0);
    t[0x8b] = opcode(MODRM | LOADS_REG, 0, 0);
    t[0x8d] = opcode(MODRM | LOADS_REG | LEA, 0, 0);
    t[0x90] = opcode(0, 0, 0); // nop
    t[0x98] = opcode(0, 0, 0); // cdqe
    t[0x99] = opcode(0, 0, 0); // cqo
    t[0xa8] = opcode(IMM8, 0, ALL); // test
    t[0xa9] = opcode(IMM32, 0, ALL);
    t[0xc0] = group(SHIFT_IMM8);
    t[0xc1] = group(SHIFT_IMM8);
    t[0xc3] = branch(0, 0, Role::Return);
    t[0xc4] = opcode(VEX, 0, 0);
    t[0xc5] = opcode(VEX, 0, 0);
    t[0xc6] = group(MOV_IMM8);
    t[0xc7] = group(MOV_IMM32);
    t[0xc9] = opcode(0, 0, 0); // leave
    t[0xd0] = group(SHIFT_1);
    t[0xd1] = group(SHIFT_1);
    t[0xd2] = group(SHIFT_CL);
    t[0xd3] = group(SHIFT_CL);
    t[0xe8] = branch(IMM32, 0, Role::Call);
    t[0xe9] = branch(IMM32, 0, Role::Jump);
    t[0xeb] = branch(IMM8, 0, Role::Jump);
    t[0xf6] = group(UNARY_8);
    t[0xf7] = group(UNARY);
    t[0xfe] = group(STEP_8);
    t[0xff] = group(BRANCHES);
    t[0x26] = opcode(PREFIX, 0, 0);
    t[0x2e] = opcode(PREFIX, 0, 0);
    t[0x36] = opcode(PREFIX, 0, 0);
    t[0x3e] = opcode(PREFIX, 0, 0);
    t[0x64] = opcode(PREFIX, 0, 0);
    t[0x66] = opcode(PREFIX, 0, 0);
    t[0xf2] = opcode(PREFIX, 0, 0);
    t[0xf3] = opcode(PREFIX, 0, 0);
    t
}

pub(crate) const fn two_bytes() -> [Opcode; 256] {
    let mut t = [UNKNOWN; 256];
    let mut k = 0;
    while k < 16 {
        t[0x40 | k] = opcode(MODRM | LOADS_REG, condition(k), 0); // cmovcc
        t[0x80 | k] = branch(IMM32, condition(k), Role::Conditional);
        t[0x90 | k] = opcode(MODRM, condition(k), 0); // setcc
        // SSE.
        if k < 8 {
            t[0x10 | k] = PLAIN;
        }
        t[0x50 | k] = PLAIN;
        t[0x60 | k] = PLAIN;
        if k != 0 && k != 15 {
            t[0xd0 | k] = PLAIN;
            t[0xe0 | k] = PLAIN;
            t[0xf0 | k] = PLAIN;
        }
        k += 1;
    }
    t[0xd0] = PLAIN;
    t[0xdf] = PLAIN;
    t[0xe0] = PLAIN;
    t[0xef] = PLAIN;
    t[0xf0] = PLAIN;
    t[0x1f] = PLAIN; // nop
    t[0x28] = PLAIN;
    t[0x29] = PLAIN;
    t[0x2a] = PLAIN;
    t[0x2c] = PLAIN;
    t[0x2d] = PLAIN;
    t[0x2e] = opcode(MODRM, 0, ALL); // ucomis
    t[0x2f] = opcode(MODRM, 0, ALL); // comis
    t[0x31] = opcode(0, 0, 0); // rdtsc
    t[0x70] = opcode(MODRM | IMM8, 0, 0);
    t[0x71] = opcode(MODRM | IMM8, 0, 0);
    t[0x72] = opcode(MODRM | IMM8, 0, 0);
    t[0x73] = opcode(MODRM | IMM8, 0, 0);
    t[0x74] = PLAIN;
    t[0x75] = PLAIN;
    t[0x76] = PLAIN;
    t[0x7e] = PLAIN;
    t[0x7f] = PLAIN;
    t[0xa3] = opcode(MODRM, 0, CF); // bt, bts, btr, btc
    t[0xab] = opcode(MODRM, 0, CF);
    t[0xb3] = opcode(MODRM, 0, CF);
    t[0xbb] = opcode(MODRM, 0, CF);
    t[0xba] = group(BIT_TESTS);
    t[0xaf] = opcode(MODRM, 0, OF | CF); // imul
    t[0xb6] = PLAIN; // movzx, movsx
    t[0xb7] = PLAIN;
    t[0xbe] = PLAIN;
    t[0xbf] = PLAIN;
    t[0xc2] = opcode(MODRM | IMM8, 0, 0);
    t[0xc4] = opcode(MODRM | IMM8, 0, 0);
    t[0xc5] = opcode(MODRM | IMM8, 0, 0);
    t[0xc6] = opcode(MODRM | IMM8, 0, 0);
    k = 8;
    while k < 16 {
        t[0xc0 | k] = opcode(0, 0, 0); // bswap
        k += 1;
    }
    t
}

/// Bytes behind an operand byte: of a displacement and a scale-index byte.
pub(crate) static OPERAND_LEN: [u8; 256] = operand_lengths();

pub(crate) const fn operand_lengths() -> [u8; 256] {
    let mut t = [0; 256];
    let mut k = 0;
    while k < 256 {
        let (mode, rm) = (k >> 6, k & 7);
        let index = if mode != 3 && rm == 4 { 1 } else { 0 };
        let displacement = match (mode, rm) {
            (1, _) => 1,
            (2, _) | (0, 5) => 4,
            _ => 0,
        };
        t[k] = index + displacement;
        k += 1;
    }
    t
}
