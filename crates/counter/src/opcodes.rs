//! What the translator needs to know of an instruction, from tables of opcodes.
//!
//! Translating is mostly decoding, and of an instruction the translator asks only its length, where an operand relative to
//! the instruction pointer lies, which arithmetic flags it reads and surely writes, and whether control may leave. For
//! the instructions that make up nearly all code, a look at the opcode and the byte behind it answers that.
//!
//! Invariants: an answer agrees with the full decoder's, but may know of fewer flags that are written, and takes invalid
//! encodings of known opcodes for valid (copied as they are, they fault where they would natively). Everything rare, every
//! form that changes its meaning with a prefix, and all that ends a block in an uncommon way is left to the full decoder.
#![allow(clippy::cast_possible_truncation, reason = "lengths of instructions are below 16")]

use crate::decode::Role;
use crate::opcode_tables::{
    ALL, BRANCH, GROUP, GROUPS, IMM8, IMM32, IMM64, LEA, LOADS_REG, LOADS_RM, MODRM, NAMES_SP,
    NO_GROUP, OPCODES, OPERAND_LEN, PREFIX, RARE, SHIFT, VEX,
};

/// The longest instruction, and one byte so that the window is a power of two.
pub(crate) const WINDOW: usize = 16;
const LONGEST: usize = 15;
/// Legacy prefixes that are looked through: what may follow is still in the window.
const MOST_PREFIXES: usize = 4;

/// See the head of the module. Flags are bits of `RflagsBits`, of which the arithmetic ones are the lowest six.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) len: u8,
    pub(crate) role: Role,
    /// Offset of a displacement from the instruction pointer; 0 when there is none.
    pub(crate) displacement: u8,
    pub(crate) form: Form,
    pub(crate) reads: u8,
    pub(crate) kills: u8,
}

impl Facts {
    pub(crate) const PLAIN: Self =
        Self { len: 0, role: Role::Plain, displacement: 0, form: Form::Usual, reads: 0, kills: 0 };

    fn with_len(self, len: usize) -> Option<Self> {
        (len <= LONGEST).then_some(Self { len: len as u8, ..self })
    }
}

/// What makes an instruction special beyond its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Usual,
    /// `lea` of a 64-bit register from an address relative to the instruction pointer.
    LoadsAddress,
    /// A string instruction with a repeat prefix.
    Repeated,
    /// An address relative to the lower half of the instruction pointer.
    HalfAddress,
}

const REX_W: u8 = 8;
const REX_R: u8 = 4;
const REX_B: u8 = 1;
/// The stack pointer's number in an operand byte.
const SP: u8 = 4;
const BP: u8 = 5;

/// The facts of the instruction at the start of `code`; `None` leaves it to the full decoder.
///
/// Which instruction comes next is hard to foresee, so there are few branches on what it is.
#[inline(always)]
pub(crate) fn facts(code: &[u8; WINDOW]) -> Option<Facts> {
    let mut ahead = Ahead { bytes: eight(code, 0), at: 0 };
    let mut half = false;
    let mut repeat = false;
    while OPCODES[0][usize::from(ahead.byte())].shape & PREFIX != 0 {
        half |= ahead.byte() == 0x66;
        repeat |= ahead.byte() >= 0xf2;
        if ahead.at == MOST_PREFIXES {
            return None;
        }
        let at = ahead.at + 1;
        ahead = Ahead { bytes: eight(code, at), at };
    }
    let has_rex = ahead.byte() & 0xf0 == 0x40;
    let rex = if has_rex { ahead.byte() } else { 0 };
    ahead.skip(usize::from(has_rex));
    let two_bytes = ahead.byte() == 0x0f;
    ahead.skip(usize::from(two_bytes));
    let opcode = ahead.next();
    let entry = &OPCODES[usize::from(two_bytes)][usize::from(opcode)];
    if entry.shape & (RARE | PREFIX | VEX) != 0 || repeat {
        if two_bytes && entry.shape & RARE != 0 {
            return rare_two_bytes(ahead, opcode, repeat);
        }
        if !two_bytes || entry.kills != 0 {
            let is_vex = entry.shape & VEX != 0 && ahead.at == 1;
            return if is_vex { vector(ahead, opcode) } else { None };
        }
    }
    let operand = ahead.byte();
    let reg = operand >> 3 & 7;
    let number = if entry.shape & GROUP != 0 { entry.kills } else { NO_GROUP };
    let extended = &GROUPS[usize::from(number)][usize::from(reg)];
    let entry = if number == NO_GROUP { entry } else { extended };
    let shape = entry.shape;
    if shape & RARE != 0 || half && shape & (BRANCH | IMM64) != 0 {
        return None;
    }
    if shape & (LOADS_REG | LOADS_RM | NAMES_SP) != 0 {
        let loads_reg = shape & LOADS_REG != 0 && reg == SP && rex & REX_R == 0;
        let loads_rm = shape & LOADS_RM != 0 && operand & 0xc7 == 0xc0 | SP && rex & REX_B == 0;
        let names_sp = shape & NAMES_SP != 0 && rex & REX_B == 0;
        if loads_reg | loads_rm | names_sp {
            return stack_load(ahead, opcode, two_bytes, rex, half);
        }
    }
    let mut facts =
        Facts { role: entry.role, reads: entry.reads, kills: entry.kills, ..Facts::PLAIN };
    let behind = behind_operand(ahead, &mut facts);
    let has_operand = shape & MODRM != 0;
    let mut len = if has_operand { behind } else { ahead.at };
    facts.displacement = if has_operand { facts.displacement } else { 0 };
    len += usize::from((shape & IMM8) >> 1);
    let half = half & (rex & REX_W == 0);
    len += usize::from(shape & IMM32) >> u8::from(half);
    // REX_W is IMM64 is 8.
    len += usize::from(shape & IMM64 & u16::from(rex)) >> 1;
    if len > LONGEST {
        return None;
    }
    if shape & SHIFT != 0 && code[(len - 1) % WINDOW] & 31 == 0 {
        // A count of zero leaves the flags as they are.
        facts.kills = 0;
    }
    if shape & LEA != 0 && facts.displacement != 0 && rex & REX_W != 0 {
        facts.form = Form::LoadsAddress;
    }
    facts.len = len as u8;
    Some(facts)
}

/// The bytes that come next, in a register, and their offset in the instruction.
#[derive(Clone, Copy)]
struct Ahead {
    bytes: u64,
    at: usize,
}

impl Ahead {
    #[inline(always)]
    fn byte(self) -> u8 {
        self.bytes as u8
    }

    #[inline(always)]
    fn skip(&mut self, bytes: usize) {
        self.bytes >>= 8 * bytes;
        self.at += bytes;
    }

    #[inline(always)]
    fn next(&mut self) -> u8 {
        let byte = self.byte();
        self.skip(1);
        byte
    }
}

#[inline(always)]
fn eight(code: &[u8; WINDOW], at: usize) -> u64 {
    code[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The offset behind the operand byte that comes next and what it asks for.
#[inline(always)]
fn behind_operand(ahead: Ahead, facts: &mut Facts) -> usize {
    let operand = ahead.byte();
    let relative = operand & 0xc7 == 0x05;
    facts.displacement = if relative { (ahead.at + 1) as u8 } else { 0 };
    // A scale-index byte without a base has a displacement of its own.
    let no_base = operand & 0xc7 == 0x04 && (ahead.bytes >> 8) & 7 == 5;
    ahead.at + 1 + usize::from(OPERAND_LEN[usize::from(operand)]) + if no_base { 4 } else { 0 }
}

/// The usual loads of the stack pointer: `mov` between 64-bit registers, and from memory.
#[inline(never)]
fn stack_load(ahead: Ahead, opcode: u8, two_bytes: bool, rex: u8, half: bool) -> Option<Facts> {
    let operand = ahead.byte();
    if half || two_bytes || rex & REX_W == 0 || opcode != 0x89 && opcode != 0x8b {
        return None;
    }
    let (source, extended) =
        if opcode == 0x89 { (operand >> 3 & 7, REX_R) } else { (operand & 7, REX_B) };
    let from_frame = operand >= 0xc0 && source == BP && rex & extended == 0;
    let mut facts = Facts::PLAIN;
    let len = behind_operand(ahead, &mut facts);
    facts.role = if from_frame { Role::Plain } else { Role::StackLoad };
    facts.with_len(len)
}

/// Opcodes of two and three bytes whose answer depends on prefixes.
#[inline(never)]
fn rare_two_bytes(mut ahead: Ahead, second: u8, repeat: bool) -> Option<Facts> {
    let mut facts = Facts::PLAIN;
    let len = match (second, ahead.byte()) {
        (0x05, _) if !repeat => {
            // The kernel keeps the flags in r11.
            facts = Facts { role: Role::Syscall, reads: ALL, kills: ALL, ..facts };
            ahead.at
        }
        // SSSE3 and SSE4.1 but `ptest`, up to where other things begin.
        (0x38, third) if third < 0x40 && third != 0x17 => {
            ahead.skip(1);
            behind_operand(ahead, &mut facts)
        }
        (0x3a, third) if third < 0x60 => {
            ahead.skip(1);
            behind_operand(ahead, &mut facts) + 1
        }
        _ => return None,
    };
    facts.with_len(len)
}

/// Instructions with a VEX prefix, whose first byte has been passed.
#[inline(never)]
fn vector(mut ahead: Ahead, first: u8) -> Option<Facts> {
    let map = if first == 0xc5 { 1 } else { ahead.next() & 31 };
    ahead.skip(1);
    let opcode = ahead.next();
    let mut facts = Facts::PLAIN;
    let len = match (map, opcode) {
        (1, 0x77) => ahead.at,
        (1, 0x2e | 0x2f) => {
            facts.kills = ALL;
            behind_operand(ahead, &mut facts)
        }
        (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) => behind_operand(ahead, &mut facts) + 1,
        (1, 0x10..=0x17 | 0x28..=0x2d | 0x50..=0x6f | 0x74..=0x7f | 0xd0..=0xff) => {
            behind_operand(ahead, &mut facts)
        }
        // Tests set flags, and from 0xf0 on there are instructions on general registers.
        (2, 0x0e | 0x0f | 0x17) => return None,
        (2, 0x00..=0xdf) => behind_operand(ahead, &mut facts),
        (3, 0x00..=0x2f | 0x38..=0x5f) => behind_operand(ahead, &mut facts) + 1,
        _ => return None,
    };
    facts.with_len(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::facts_in_full;
    use proptest::prelude::*;

    const AT: u64 = 0x1000;
    const PREFIXES: &[u8] =
        &[0x66, 0xf2, 0xf3, 0x2e, 0x64, 0x40, 0x48, 0x4c, 0x41, 0x49, 0x4d, 0xf0, 0x67];
    const MAPS: &[&[u8]] = &[
        &[],
        &[0x0f],
        &[0x0f, 0x38],
        &[0x0f, 0x3a],
        &[0xc5, 0xf8],
        &[0xc5, 0xf9],
        &[0xc4, 0xe1, 0x79],
        &[0xc4, 0xe2, 0x79],
        &[0xc4, 0xe3, 0xf9],
        &[0xc4, 0xe2, 0xf8],
    ];

    /// Whether the tables answer at all; panics when they answer otherwise than the full decoder.
    fn agrees(code: &[u8; WINDOW]) -> bool {
        let Some(quick) = facts(code) else {
            return false;
        };
        if let Some(full) = facts_in_full(&code[..LONGEST], AT) {
            // The tables may know less of what is written.
            assert_eq!(quick.kills & !full.kills, 0, "{code:02x?}: {quick:?}, {full:?}");
            assert_eq!(Facts { kills: full.kills, ..quick }, full, "{code:02x?}");
        }
        true
    }

    /// Sweeps over a file from its first byte: code where there is code, and noise.
    fn sweep(path: &std::path::Path) {
        let bytes = std::fs::read(path).expect("a readable file");
        let mut rest = &bytes[..];
        let (mut all, mut quick) = (0u64, 0u64);
        while let Some(window) = rest.first_chunk::<WINDOW>() {
            quick += u64::from(agrees(window));
            all += 1;
            let len = facts_in_full(&window[..LONGEST], AT).map_or(1, |f| f.len);
            rest = &rest[usize::from(len)..];
        }
        println!("{quick} of {all} instructions are in the tables");
        assert!(quick * 2 > all, "the tables know hardly anything: {quick} of {all}");
    }

    #[test]
    fn this_program_reads_the_same_in_tables_and_in_full() {
        sweep(&std::env::current_exe().expect("a path"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]
        #[test]
        fn any_bytes_read_the_same(code in any::<[u8; WINDOW]>()) {
            agrees(&code);
        }

        #[test]
        fn any_prefixes_and_opcodes_read_the_same(
            prefixes in proptest::collection::vec(proptest::sample::select(PREFIXES), 0..3),
            map in proptest::sample::select(MAPS),
            tail in any::<[u8; WINDOW]>(),
        ) {
            let bytes = [&prefixes[..], map, &tail].concat();
            agrees(bytes.first_chunk().expect("long enough"));
        }
    }
}
