//! From bytes to the instructions of one block.
//!
//! Invariant: a block is a run of instructions that control enters at the top and leaves at the bottom; it ends with the
//! first instruction that may go elsewhere or that the translator must see (`Role` other than `Plain`), or at a limit.
#![allow(clippy::cast_possible_truncation, reason = "addresses are as wide as sizes here")]
#![allow(unsafe_code, reason = "the application's code is read where it lies")]

use crate::accumulator;
use crate::flags;
use crate::opcodes::{self, Facts, Form};
use crate::space::AddressSpace;
use crate::sys;
use iced_x86::{
    Code as Opcode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, Register,
};

/// Instructions in a block, at most.
pub(crate) const MAX_INSTRUCTIONS: usize = 96;
/// Bytes in a block, at most.
pub(crate) const MAX_BYTES: u64 = LONGEST * MAX_INSTRUCTIONS as u64;
/// Bytes of an instruction, at most.
pub(crate) const LONGEST: u64 = 15;

/// The application's code.
pub(crate) struct Code;

impl Code {
    /// # Safety
    /// `[addr, addr + len)` must be mapped and readable while the slice is used. Other threads may write to it: pages that
    /// can change are guarded before they are read, so what is seen is a state that the bytes had since.
    pub(crate) unsafe fn at<'a>(addr: u64, len: u64) -> &'a [u8] {
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts(addr as *const u8, len as usize) }
    }
}

/// What an instruction asks of the translator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Copied, with at most its operand rewritten.
    Plain,
    /// Plain, but it loads the stack pointer: is this still the same stack?
    StackLoad,
    Syscall,
    Jump,
    /// `jcc`.
    Conditional,
    /// `jrcxz`, `loop`: no 32-bit form.
    CountConditional,
    Call,
    IndirectJump,
    IndirectCall,
    Return,
    /// Raises a signal and may go on behind itself: `int3`, `ud2`.
    Trap,
    /// Plain, but it uses the register that counts (`accumulator`).
    UsesAccumulator,
    /// What can't be translated: far transfers, software interrupts, transactions, the gs segment.
    Foreign,
}

/// One instruction of a block.
#[derive(Clone, Copy)]
pub(crate) struct Insn {
    pub(crate) addr: u64,
    pub(crate) facts: Facts,
}

impl Insn {
    /// Its bytes. The instruction must have been decoded a moment ago, so that its code is still there.
    pub(crate) fn raw(&self) -> &'static [u8] {
        // SAFETY: the instruction was decoded from these bytes.
        unsafe { Code::at(self.addr, u64::from(self.facts.len)) }
    }

    pub(crate) fn next(&self) -> u64 {
        self.addr + u64::from(self.facts.len)
    }

    /// As the full decoder sees it.
    pub(crate) fn in_full(&self) -> Instruction {
        Decoder::with_ip(64, self.raw(), self.addr, DecoderOptions::NONE).decode()
    }

    /// The address that its operand relative to the instruction pointer means.
    pub(crate) fn operand_address(&self) -> u64 {
        if self.facts.form == Form::HalfAddress {
            return self.in_full().ip_rel_memory_address();
        }
        let at = usize::from(self.facts.displacement);
        self.next().wrapping_add_signed(i64::from(signed_32(&self.raw()[at..])))
    }

    /// Where a direct branch leads.
    pub(crate) fn branch_target(&self) -> u64 {
        let raw = self.raw();
        let relative = if is_near(raw) {
            signed_32(&raw[raw.len() - 4..])
        } else {
            i32::from(raw[raw.len() - 1].cast_signed())
        };
        self.next().wrapping_add_signed(i64::from(relative))
    }
}

/// Whether a direct branch has a displacement of four bytes; else it has one byte.
pub(crate) fn is_near(branch: &[u8]) -> bool {
    match branch {
        [.., 0xe8 | 0xe9, _, _, _, _] => true,
        [.., 0x0f, opcode, _, _, _, _] => opcode & 0xf0 == 0x80,
        _ => false,
    }
}

fn signed_32(bytes: &[u8]) -> i32 {
    bytes.first_chunk().map_or(0, |four| i32::from_le_bytes(*four))
}

/// Instructions of the block being translated; lives in the translator, as it is too large for every stack.
pub(crate) struct Block {
    insns: [Insn; MAX_INSTRUCTIONS],
    len: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Code can be read up to here.
    pub(crate) readable: u64,
}

impl Block {
    /// Memory for one, to be given back with `free`.
    pub(crate) fn allocate() -> Option<*mut Self> {
        let at = sys::map_anywhere(size_of::<Self>() as u64, sys::READ | sys::WRITE)? as *mut Self;
        let none = Insn { addr: 0, facts: Facts::PLAIN };
        let empty = Self { insns: [none; MAX_INSTRUCTIONS], len: 0, start: 0, end: 0, readable: 0 };
        // SAFETY: a fresh mapping of that size, aligned to a page.
        unsafe { at.write(empty) };
        Some(at)
    }

    pub(crate) fn free(at: *mut Self) {
        sys::unmap(at as u64, size_of::<Self>() as u64);
    }

    pub(crate) fn insns(&self) -> &[Insn] {
        &self.insns[..self.len]
    }

    /// Decodes the block at `addr`, reading nothing from `end` on. False when not even one instruction can be decoded.
    pub(crate) fn decode(&mut self, space: &AddressSpace, addr: u64, end: u64) -> bool {
        self.readable = space.code_end(addr, MAX_BYTES.min(end - addr));
        self.start = addr;
        self.end = addr;
        self.len = 0;
        while self.len < MAX_INSTRUCTIONS {
            // SAFETY: `code_end` ends inside mapped, readable code.
            let Some(facts) = (unsafe { facts_at(self.end, self.readable) }) else {
                break;
            };
            self.insns[self.len] = Insn { addr: self.end, facts };
            self.end += u64::from(facts.len);
            self.len += 1;
            if facts.role != Role::Plain {
                break;
            }
        }
        self.len > 0
    }

    /// Passes to `f` the known addresses that control may go to from here.
    pub(crate) fn ways_on(&self, f: impl Fn(u64)) {
        let Some(last) = self.insns().last() else {
            return;
        };
        let role = last.facts.role;
        if matches!(role, Role::Jump | Role::Conditional | Role::Call) {
            f(last.branch_target());
        }
        if role != Role::Jump {
            f(self.end);
        }
    }

    /// Where to count: the first instruction before which all flags that `inc` writes are dead, if there is one.
    pub(crate) fn place_counter(&self, space: &AddressSpace) -> Option<usize> {
        // What follows the block is looked at only if the block itself doesn't show the flags dead: most do.
        self.first_dead(flags::INC)
            .or_else(|| self.flags_dead_after(space).then(|| self.first_dead(0)).flatten())
    }

    fn first_dead(&self, live_after: u8) -> Option<usize> {
        let mut live = live_after;
        let mut place = None;
        for (k, insn) in self.insns().iter().enumerate().rev() {
            live = live & !insn.facts.kills | insn.facts.reads & flags::INC;
            if live == 0 {
                place = Some(k);
            }
        }
        place
    }

    fn flags_dead_after(&self, space: &AddressSpace) -> bool {
        let last = &self.insns()[self.len - 1];
        let scope = flags::Scope {
            start: sys::page_of(self.start),
            end: sys::page_of(self.end - 1) + sys::PAGE,
        };
        let dead = |addr| flags::dead_at(space, scope, addr, flags::INC, 2);
        match last.facts.role {
            Role::Jump | Role::Call => dead(last.branch_target()),
            Role::Plain | Role::StackLoad | Role::UsesAccumulator | Role::Syscall => dead(self.end),
            Role::Conditional | Role::CountConditional => {
                dead(last.branch_target()) && dead(self.end)
            }
            _ => false,
        }
    }
}

/// The facts of the instruction at `addr`, of which nothing from `end` on is read; `None` if there is no valid one.
///
/// # Safety
/// As for `Code::at`, up to `end`.
#[inline]
pub(crate) unsafe fn facts_at(addr: u64, end: u64) -> Option<Facts> {
    let room = end.saturating_sub(addr);
    if room >= opcodes::WINDOW as u64 {
        // SAFETY: the caller's promise; any bytes are a valid array.
        let window = unsafe { &*(addr as *const [u8; opcodes::WINDOW]) };
        if let Some(facts) = opcodes::facts(window) {
            return Some(facts);
        }
    }
    // SAFETY: the caller's promise.
    facts_in_full(unsafe { Code::at(addr, room.min(LONGEST)) }, addr)
}

/// The facts as the full decoder knows them.
#[cold]
pub(crate) fn facts_in_full(code: &[u8], addr: u64) -> Option<Facts> {
    let mut decoder = Decoder::with_ip(64, code, addr, DecoderOptions::NONE);
    if !decoder.can_decode() {
        return None;
    }
    let i = decoder.decode();
    if i.is_invalid() {
        return None;
    }
    let ip_relative = i.is_ip_rel_memory_operand();
    let displacement =
        if ip_relative { decoder.get_constant_offsets(&i).displacement_offset() } else { 0 };
    let form = if is_repeated(&i) {
        Form::Repeated
    } else if ip_relative && i.memory_base() == Register::EIP {
        Form::HalfAddress
    } else if ip_relative && i.mnemonic() == Mnemonic::Lea && i.op0_register().size() == 8 {
        Form::LoadsAddress
    } else {
        Form::Usual
    };
    Some(Facts {
        len: i.len() as u8,
        role: role(&i),
        displacement: displacement as u8,
        form,
        reads: i.rflags_read() as u8 & flags::CMP,
        kills: flags::killed(&i),
    })
}

/// A string instruction with a repeat prefix.
pub(crate) fn is_repeated(i: &Instruction) -> bool {
    (i.has_rep_prefix() || i.has_repne_prefix()) && i.is_string_instruction()
}

/// As `is_repeated`, for the instruction at `addr`, which has been translated.
pub(crate) fn is_repeated_at(addr: u64) -> bool {
    is_repeated(&instruction_at(addr))
}

/// The length of the instruction at `addr`, which has been translated.
pub(crate) fn length_at(addr: u64) -> u64 {
    instruction_at(addr).len() as u64
}

fn instruction_at(addr: u64) -> Instruction {
    // SAFETY: the instruction's own bytes are mapped, and the decoder reads no further than the instruction goes.
    let bytes = unsafe { Code::at(addr, LONGEST) };
    Decoder::with_ip(64, bytes, addr, DecoderOptions::NONE).decode()
}

fn role(i: &Instruction) -> Role {
    if i.segment_prefix() == Register::GS {
        return Role::Foreign;
    }
    match i.flow_control() {
        FlowControl::Next => match i.mnemonic() {
            Mnemonic::Rdgsbase | Mnemonic::Wrgsbase => Role::Foreign,
            Mnemonic::Mov if i.op0_register() == Register::GS => Role::Foreign,
            _ if loads_stack_pointer(i) => Role::StackLoad,
            _ if accumulator::is_used_by(i) => Role::UsesAccumulator,
            _ => Role::Plain,
        },
        FlowControl::UnconditionalBranch if i.is_jmp_short_or_near() && wide(i) => Role::Jump,
        FlowControl::ConditionalBranch if i.is_jcc_short_or_near() && wide(i) => Role::Conditional,
        FlowControl::ConditionalBranch if wide(i) => Role::CountConditional,
        FlowControl::Call if i.mnemonic() == Mnemonic::Syscall => Role::Syscall,
        FlowControl::Call if i.is_call_near() && wide(i) => Role::Call,
        FlowControl::IndirectBranch if i.is_jmp_near_indirect() && full(i) => Role::IndirectJump,
        FlowControl::IndirectCall if i.is_call_near_indirect() && full(i) => Role::IndirectCall,
        FlowControl::Return if matches!(i.code(), Opcode::Retnq | Opcode::Retnq_imm16) => {
            Role::Return
        }
        FlowControl::Interrupt if i.mnemonic() == Mnemonic::Int3 => Role::Trap,
        FlowControl::Exception => Role::Trap,
        _ => Role::Foreign,
    }
}

/// A direct branch with a 64-bit instruction pointer (16-bit forms cut the target off).
fn wide(i: &Instruction) -> bool {
    matches!(i.op0_kind(), iced_x86::OpKind::NearBranch64)
}

/// An indirect branch through all 64 bits.
fn full(i: &Instruction) -> bool {
    matches!(i.code(), Opcode::Jmp_rm64 | Opcode::Call_rm64)
}

/// Loads of the stack pointer that may lead to another stack. Restoring it from the frame pointer (`leave`,
/// `mov rsp, rbp`, `lea rsp, [rbp - n]`) stays on the stack that the frame is on, as does arithmetic.
fn loads_stack_pointer(i: &Instruction) -> bool {
    let is_sp = |r: Register| r.full_register() == Register::RSP;
    match i.mnemonic() {
        Mnemonic::Mov => is_sp(i.op0_register()) && i.op1_register() != Register::RBP,
        Mnemonic::Lea => {
            is_sp(i.op0_register()) && !matches!(i.memory_base(), Register::RSP | Register::RBP)
        }
        Mnemonic::Pop => is_sp(i.op0_register()),
        Mnemonic::Xchg | Mnemonic::Xadd | Mnemonic::Cmpxchg => {
            is_sp(i.op0_register()) || is_sp(i.op1_register())
        }
        m if (Mnemonic::Cmova as u32..=Mnemonic::Cmovs as u32).contains(&(m as u32)) => {
            is_sp(i.op0_register())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Role {
        role(&Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode())
    }

    #[test]
    fn roles() {
        assert_eq!(of(&[0x48, 0x89, 0xd8]), Role::Plain); // mov rax, rbx
        assert_eq!(of(&[0x48, 0x89, 0xc4]), Role::StackLoad); // mov rsp, rax
        assert_eq!(of(&[0x48, 0x89, 0xec]), Role::Plain); // mov rsp, rbp
        assert_eq!(of(&[0x48, 0x8b, 0x27]), Role::StackLoad); // mov rsp, [rdi]
        assert_eq!(of(&[0x48, 0x94]), Role::StackLoad); // xchg rsp, rax
        assert_eq!(of(&[0x5c]), Role::StackLoad); // pop rsp
        assert_eq!(of(&[0x48, 0x83, 0xec, 0x20]), Role::Plain); // sub rsp, 32
        assert_eq!(of(&[0x0f, 0xc7, 0x20]), Role::UsesAccumulator); // xsavec [rax]
        assert_eq!(of(&[0x0f, 0x05]), Role::Syscall);
        assert_eq!(of(&[0xe8, 0, 0, 0, 0]), Role::Call);
        assert_eq!(of(&[0xe9, 0, 0, 0, 0]), Role::Jump);
        assert_eq!(of(&[0xeb, 0]), Role::Jump);
        assert_eq!(of(&[0x74, 0]), Role::Conditional);
        assert_eq!(of(&[0xe3, 0]), Role::CountConditional);
        assert_eq!(of(&[0xe2, 0]), Role::CountConditional);
        assert_eq!(of(&[0xff, 0xe0]), Role::IndirectJump);
        assert_eq!(of(&[0x3e, 0xff, 0xe0]), Role::IndirectJump); // notrack
        assert_eq!(of(&[0xff, 0x10]), Role::IndirectCall);
        assert_eq!(of(&[0xff, 0x28]), Role::Foreign); // jmp far
        assert_eq!(of(&[0xc3]), Role::Return);
        assert_eq!(of(&[0xc2, 8, 0]), Role::Return);
        assert_eq!(of(&[0xcb]), Role::Foreign); // retf
        assert_eq!(of(&[0xcc]), Role::Trap);
        assert_eq!(of(&[0x0f, 0x0b]), Role::Trap);
        assert_eq!(of(&[0xcd, 0x80]), Role::Foreign);
        assert_eq!(of(&[0xc7, 0xf8, 0, 0, 0, 0]), Role::Foreign); // xbegin
        assert_eq!(of(&[0x65, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0]), Role::Foreign); // mov rax, gs:[0]
        assert_eq!(of(&[0xf3, 0x48, 0x0f, 0xae, 0xd8]), Role::Foreign); // wrgsbase
    }
}
