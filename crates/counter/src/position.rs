//! Which original instruction an address in the cache belongs to.
//!
//! Invariant: at a *clean* position all registers and flags that the program can look at are as they would be natively in
//! front of the original instruction. Between clean positions (in a pad, in a stub, inside an instruction that was
//! rewritten to several) they are not; stepping on leads to a clean position or to the dispatcher within a few
//! instructions.
#![allow(unsafe_code, reason = "set-aside registers are read from the context")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "a block's translation is below 64 KB, its instructions are below 100"
)]

use crate::accumulator::GIVE_LEN;
use crate::cache::CodeCache;
use crate::frame::Frame;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Address of the original instruction.
    pub(crate) original: u64,
    /// The block, how many of its instructions are done, and whether it has been counted.
    pub(crate) block: u32,
    pub(crate) done: u16,
    pub(crate) counted: bool,
    pub(crate) clean: bool,
    /// The program has its vector register (`accumulator`), as natively.
    pub(crate) vector_given: bool,
    /// Start of the original block's last instruction.
    pub(crate) last: u64,
}

impl CodeCache {
    /// The position at `code`; `None` in pads and stubs.
    pub(crate) fn position(&self, code: u64) -> Option<Position> {
        let id = self.holding(code)?;
        let block = self.blocks[id];
        let offset = (code - block.code) as u16;
        let boundaries = self.boundaries_of(&block);
        let k = boundaries.partition_point(|b| b.code <= offset).checked_sub(1)?;
        let at_syscall = block.syscall && code + SYSCALL_LEN == block.code_end;
        Some(Position {
            original: block.start + u64::from(boundaries[k].original),
            block: id,
            done: k as u16,
            counted: offset >= block.counted_from,
            clean: boundaries[k].code == offset || at_syscall,
            vector_given: block.gives_vector
                && k + 1 == usize::from(block.count)
                && offset >= boundaries[k].code + GIVE_LEN,
            last: block.start + u64::from(boundaries[boundaries.len() - 2].original),
        })
    }

    /// Gives registers back that the instruction at `code` has set aside.
    pub(crate) fn restore_set_aside(&self, code: u64, frame: &mut Frame) {
        let all = self.set_aside.as_slice();
        let Some(k) = all.partition_point(|s| s.start <= code).checked_sub(1) else {
            return;
        };
        let s = all[k];
        if code < s.end {
            // SAFETY: the slot is a word of the context.
            frame.set_reg(s.reg, unsafe { *(s.slot as *const u64) });
        }
    }
}

const SYSCALL_LEN: u64 = 2;
