//! The vector register that counts where no profile is wanted.
//!
//! A count without a profile needs one number only. On processors with AVX-512 it is kept in a register that programs
//! hardly ever use, zmm31: adding to it takes one instruction that leaves the flags alone and waits for no memory. Its low
//! word counts instructions, the next one those with a repeat prefix.
//!
//! Invariants: in translated code zmm31 is the accumulator, and the program's own value is in `Context::vector`; everywhere
//! else it is the program's, and the accumulator is in `Context::accumulator`. The two change places in `entry`, around
//! every instruction that uses the register (`Role::UsesAccumulator`), in children, and in the frames that handlers of the
//! program get to see.
#![allow(unsafe_code, reason = "the context is shared with translated code")]

use crate::arena::Arena;
use crate::context::Context;
use crate::decode::MAX_INSTRUCTIONS;
use crate::emit::Cursor;
use crate::frame::Frame;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// The register's number.
const NUMBER: usize = 31;
/// Bytes of the code that gives the program its register.
pub(crate) const GIVE_LEN: u16 = 20;
/// Bytes of a constant.
const CONSTANT: u64 = 16;
/// Bytes of the constants that have a place of their own: one for each number of instructions.
const TABLE: u64 = (MAX_INSTRUCTIONS as u64 + 1) * CONSTANT;

/// Whether the processor and the system have the register, in the 128-bit form that counting needs.
pub(crate) fn is_available() -> bool {
    std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vl")
}

/// Whether an instruction reads or writes the register, or all vector registers at once.
pub(crate) fn is_used_by(i: &Instruction) -> bool {
    let is_it = |r: Register| r.is_vector_register() && r.number() == NUMBER;
    let explicit =
        (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Register && is_it(i.op_register(k)));
    // Those that take four registers name the first.
    let in_group = matches!(
        i.mnemonic(),
        Mnemonic::V4fmaddps | Mnemonic::V4fnmaddps | Mnemonic::Vp4dpwssd | Mnemonic::Vp4dpwssds
    );
    let saves_state = matches!(
        i.mnemonic(),
        Mnemonic::Xsave
            | Mnemonic::Xsave64
            | Mnemonic::Xsavec
            | Mnemonic::Xsavec64
            | Mnemonic::Xsaveopt
            | Mnemonic::Xsaveopt64
            | Mnemonic::Xrstor
            | Mnemonic::Xrstor64
    );
    explicit || in_group || saves_state || is_it(i.memory_index())
}

/// The accumulator of a window.
pub(crate) struct Accumulator {
    context: *mut Context,
    /// Constants that are added: one for each number of instructions, then those with repeat prefixes as they come up.
    table: u64,
    others: Cursor,
}

impl Accumulator {
    /// Its constants come where the counters of blocks would be otherwise.
    pub(crate) fn new(arena: &Arena) -> Self {
        let table = arena.counters;
        let others = Cursor { at: table + TABLE, end: arena.code };
        Self { context: arena.context, table, others }
    }

    /// Forgets the constants of code that is discarded.
    pub(crate) fn clear(&mut self) {
        self.others.at = self.table + TABLE;
    }

    /// What has been added up to the last time that the program got its register back: instructions, and those with a
    /// repeat prefix.
    pub(crate) fn sums(&self) -> [u64; 2] {
        // SAFETY: the context lives as long as the arena.
        unsafe { (*self.context).accumulator }
    }

    /// Emits what counts a block with so many instructions, and so many of them with a repeat prefix.
    pub(crate) fn emit_add(&mut self, code: &mut Cursor, instructions: u16, repeated: u16) {
        let constant = self.constant(instructions, repeated);
        code.rip(&[0x62, 0x61, 0x85, 0x00, 0xd4, 0x3d], constant, 0); // vpaddq xmm31, xmm31, [constant]
    }

    fn constant(&mut self, instructions: u16, repeated: u16) -> u64 {
        let at = if repeated == 0 {
            self.table + u64::from(instructions) * CONSTANT
        } else {
            self.others.at
        };
        let mut constant = Cursor { at, end: self.others.end };
        constant.imm64(u64::from(instructions));
        constant.imm64(u64::from(repeated));
        self.others.at = self.others.at.max(constant.at);
        at
    }

    /// Emits code that gives the program its register, and keeps the accumulator: `GIVE_LEN` bytes.
    pub(crate) fn emit_give(&self, code: &mut Cursor) {
        let (accumulator, _) = self.slots();
        code.rip(&[0x62, 0x61, 0xfe, 0x08, 0x7f, 0x3d], accumulator, 0); // vmovdqu64 [accumulator], xmm31
        self.emit_load(code);
    }

    /// The same for a copy of the thread, which isn't counted.
    pub(crate) fn emit_load(&self, code: &mut Cursor) {
        let (_, vector) = self.slots();
        code.rip(&[0x62, 0x61, 0xfe, 0x48, 0x6f, 0x3d], vector, 0); // vmovdqu64 zmm31, [vector]
    }

    /// Emits code that takes the register back.
    pub(crate) fn emit_take(&self, code: &mut Cursor) {
        let (accumulator, vector) = self.slots();
        code.rip(&[0x62, 0x61, 0xfe, 0x48, 0x7f, 0x3d], vector, 0); // vmovdqu64 [vector], zmm31
        code.rip(&[0x62, 0x61, 0xfe, 0x08, 0x6f, 0x3d], accumulator, 0); // vmovdqu64 xmm31, [accumulator]
    }

    fn slots(&self) -> (u64, u64) {
        // SAFETY: only addresses are taken.
        unsafe {
            let accumulator = &raw const (*self.context).accumulator;
            (accumulator as u64, &raw const (*self.context).vector as u64)
        }
    }

    /// In the frame of a thread that was interrupted in translated code: puts the program's register in the accumulator's
    /// place.
    pub(crate) fn show_to_program(&self, frame: &mut Frame) {
        if let Some(register) = frame.vector(NUMBER) {
            // SAFETY: the frame's register, and words of the context, which only this thread uses.
            unsafe {
                (*self.context).accumulator.copy_from_slice(&(&*register)[..2]);
                *register = (*self.context).vector;
            }
        }
    }

    /// Undoes `show_to_program` after the program has seen, and perhaps changed, the frame.
    pub(crate) fn hide_from_program(&self, frame: &mut Frame) {
        if let Some(register) = frame.vector(NUMBER) {
            // SAFETY: as above.
            unsafe {
                let [instructions, repeated] = (*self.context).accumulator;
                (*self.context).vector = *register;
                *register = [instructions, repeated, 0, 0, 0, 0, 0, 0];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn used(bytes: &[u8]) -> bool {
        is_used_by(&Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode())
    }

    #[test]
    fn uses_are_found() {
        assert!(used(&[0x62, 0x61, 0x85, 0x00, 0xd4, 0x3d, 0, 0, 0, 0])); // vpaddq xmm31, xmm31, [rip]
        assert!(used(&[0x62, 0x61, 0xfe, 0x48, 0x7f, 0x38])); // vmovdqu64 [rax], zmm31
        assert!(!used(&[0x62, 0x61, 0xfe, 0x48, 0x7f, 0x30])); // vmovdqu64 [rax], zmm30
        assert!(used(&[0x62, 0xb2, 0x7d, 0x41, 0x90, 0x04, 0x38])); // vpgatherdd zmm0{k1}, [rax + zmm31]
        assert!(!used(&[0x62, 0xf2, 0x7d, 0x49, 0x90, 0x04, 0x38])); // vpgatherdd zmm0{k1}, [rax + zmm7]
        assert!(used(&[0x0f, 0xc7, 0x20])); // xsavec [rax]
        assert!(used(&[0x0f, 0xae, 0x28])); // xrstor [rax]
        assert!(!used(&[0x0f, 0xae, 0x08])); // fxrstor [rax]
        assert!(!used(&[0xc5, 0xf8, 0x77])); // vzeroupper
    }
}
