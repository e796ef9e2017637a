//! Copying one instruction so that it means the same at another address.
//!
//! Invariant: bytes are copied as they are, prefixes and all; only an operand relative to the instruction pointer is
//! rewritten, in the first of these ways that fits: another displacement, a constant (`lea`), or a register that the
//! instruction doesn't use, set aside for its duration.

use crate::cache::SetAside;
use crate::decode::Insn;
use crate::emit::{RCX, Reg};
use crate::opcodes::Form;
use crate::translate::Translator;
use iced_x86::{Code as Opcode, EncodingKind, Instruction, OpKind, Register};

/// Registers that may stand in as a base: their encoding needs neither a prefix bit nor a further byte.
const STAND_INS: [(Register, Reg); 3] =
    [(Register::RSI, Reg(6)), (Register::RDI, Reg(7)), (Register::RBX, Reg(3))];

impl Translator {
    /// Emits a plain instruction with an operand relative to the instruction pointer.
    pub(crate) fn copy(&mut self, insn: &Insn) {
        let raw = insn.raw();
        let hot = &mut self.cache.hot;
        let target = insn.operand_address();
        let displacement = usize::from(insn.facts.displacement);
        if insn.facts.form == Form::LoadsAddress {
            // REX.R and the operand byte in front of the displacement name the register.
            let reg = raw[displacement - 1] >> 3 & 7 | (raw[displacement - 3] & 4) << 1;
            hot.load_imm(Reg(reg), target);
            return;
        }
        let relative = target.wrapping_sub(hot.at + raw.len() as u64).cast_signed();
        if let Ok(relative) = i32::try_from(relative) {
            hot.bytes(&raw[..displacement]);
            hot.imm32(relative.cast_unsigned());
            hot.bytes(&raw[displacement + 4..]);
            return;
        }
        self.copy_with_stand_in(&insn.in_full(), raw, displacement, target);
    }

    fn copy_with_stand_in(
        &mut self,
        i: &Instruction,
        raw: &[u8],
        displacement: usize,
        target: u64,
    ) {
        let slot = self.slots().scratch;
        let (_, reg) = STAND_INS
            .into_iter()
            .find(|(r, _)| !uses(i, *r))
            .expect("an instruction with a memory operand names at most two registers besides");
        let hot = &mut self.cache.hot;
        hot.store(slot, reg);
        let start = hot.at;
        hot.load_imm(reg, target);
        let modrm = displacement - 1;
        let mut bytes = [0u8; 16];
        bytes[..modrm].copy_from_slice(&raw[..modrm]);
        bytes[modrm] = raw[modrm] & 0x38 | reg.0;
        clear_extension_bits(i, &mut bytes[..modrm]);
        hot.bytes(&bytes[..=modrm]);
        hot.bytes(&raw[displacement + 4..]);
        let end = hot.at;
        hot.load(reg, slot);
        self.cache.set_aside.push(SetAside { start, end, reg: reg.0, slot });
    }

    /// Loads the operand of an indirect branch into rcx, whose own value is in its slot already.
    pub(crate) fn load_branch_operand(&mut self, insn: &Insn) {
        let raw = insn.raw();
        let hot = &mut self.cache.hot;
        if insn.facts.displacement != 0 {
            let target = insn.operand_address();
            let relative = target.wrapping_sub(hot.at + 7).cast_signed();
            if i32::try_from(relative).is_ok() {
                hot.load(RCX, target);
            } else {
                hot.load_imm(RCX, target);
                hot.bytes(&[0x48, 0x8b, 0x09]); // mov rcx, [rcx]
            }
            return;
        }
        // `jmp/call r/m64` (ff /4, ff /2) becomes `mov rcx, r/m64` (8b /1): the same operand bytes behind it.
        let opcode = opcode_offset(raw);
        let mut rex = 0x48;
        for &prefix in &raw[..opcode] {
            match prefix {
                // The address size and the thread's segment matter to the operand; others mean nothing here.
                0x67 | 0x64 => hot.bytes(&[prefix]),
                0x40..=0x4f => rex |= prefix & 3,
                _ => {}
            }
        }
        hot.bytes(&[rex, 0x8b, raw[opcode + 1] & 0xc7 | 0x08]);
        hot.bytes(&raw[opcode + 2..]);
    }
}

/// Offset of the opcode behind legacy prefixes and a REX prefix.
fn opcode_offset(raw: &[u8]) -> usize {
    raw.iter()
        .position(|b| {
            !matches!(
                b,
                0x66 | 0x67 | 0xf2 | 0xf3 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 | 0x40..=0x4f
            )
        })
        .unwrap_or(0)
}

/// The bits that extend a base register are ignored in operands relative to the instruction pointer, but not with a
/// register as the base: set them to "no extension".
fn clear_extension_bits(i: &Instruction, head: &mut [u8]) {
    match i.encoding() {
        EncodingKind::Legacy => {
            // A REX prefix is the last before the opcode; the opcode maps 0f, 0f38, 0f3a come after it.
            let at = opcode_offset(head);
            if at > 0 && head[at - 1] & 0xf0 == 0x40 {
                head[at - 1] &= !1;
            }
        }
        // VEX in three bytes, EVEX, XOP: the inverted B is bit 5 of the second byte. VEX in two bytes has none.
        _ => {
            let at = head.iter().position(|b| matches!(b, 0xc4 | 0xc5 | 0x62 | 0x8f));
            if let Some(at) = at
                && head[at] != 0xc5
            {
                head[at + 1] |= 0x20;
            }
        }
    }
}

/// Whether the instruction names or implies one of the registers that may stand in.
fn uses(i: &Instruction, register: Register) -> bool {
    let explicit = (0..i.op_count())
        .any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k).full_register() == register);
    // Of the three, only rbx is implied by instructions with such an operand.
    let implied = register == Register::RBX
        && matches!(i.code(), Opcode::Cmpxchg8b_m64 | Opcode::Cmpxchg16b_m128);
    explicit || implied
}
