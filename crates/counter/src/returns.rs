//! Calls and returns.
//!
//! Calls push the original return address, because engines walk stacks. Beside the stack lies a shadow of it, at a fixed
//! distance, where a call also leaves the address of the pad that follows its translation. A return pops and jumps through
//! the shadow; the pad checks that the address that was popped is its own. That takes no register and predicts well.
//!
//! Invariants: a slot of the shadow holds the address of a pad, current or discarded, or of `miss`, which takes the popped
//! address to the jump table; never anything else. Memory of the shadow is therefore filled before it can be touched: it
//! is without access at first, and a fault fills a piece (`Shadow::back`). Discarding all code fills it all again. The
//! shadow is used only while the stack pointer stays in the window `[low, high)`, checked where it is loaded.
//!
//! A pad may change flags unless the code behind the call reads them; a popped address other than the call's own is taken
//! to leave no flags behind, as no calling convention returns any to code that isn't behind a call.
#![allow(unsafe_code, reason = "the shadow is memory that translated code reads and writes")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "the shadow needs the arena below 2 GB, where addresses fit into 31 bits"
)]

use crate::cache::CodeCache;
use crate::emit::{self, Cursor, RCX};
use crate::flags;
use crate::pads::JMP_LEN;
use crate::space::AddressSpace;
use crate::sys;
use crate::translate::Translator;

/// The window is a power of two so that one rotation checks it.
const WINDOW_BITS: u8 = 23;
const WINDOW: u64 = 1 << WINDOW_BITS;
/// Below the stack's top: out of the way of a stack that grows.
const DISTANCE: u64 = 100 << 20;
/// Filled at a time.
const PIECE: u64 = 32 << 10;
const NOT_EQUAL: u8 = 5;

pub(crate) struct Shadow {
    low: u64,
    base: u64,
    /// What a slot says when no call has written it.
    miss: u64,
}

impl Shadow {
    /// A shadow for the stack that `rsp` is on; `None` when addresses don't allow it.
    pub(crate) fn new(space: &AddressSpace, rsp: u64, arena_end: u64) -> Option<Self> {
        if arena_end > i32::MAX as u64 {
            return None;
        }
        let stack = space.known(rsp).filter(|r| r.write)?;
        let high = stack.end;
        let low = high.checked_sub(WINDOW)?;
        if rsp < low {
            return None;
        }
        let base = [DISTANCE, 2 * DISTANCE, 4 * DISTANCE, 8 * DISTANCE]
            .into_iter()
            .find_map(|d| sys::map(high.checked_sub(d)?, WINDOW, 0))?;
        Some(Self { low, base, miss: 0 })
    }

    fn delta(&self) -> u32 {
        self.base.wrapping_sub(self.low) as u32
    }

    /// Fills the piece around `addr` if it belongs to the shadow. Called from the fault handler too.
    pub(crate) fn back(&self, addr: u64) -> bool {
        if !(self.base..self.base + WINDOW).contains(&addr) {
            return false;
        }
        let piece = addr & !(PIECE - 1);
        let start = piece.max(self.base);
        let end = (piece + PIECE).min(self.base + WINDOW);
        sys::protect(start, end - start, sys::READ | sys::WRITE);
        sys::populate(start, end - start);
        fill(start, end, self.miss);
        true
    }

    /// Fills what lies beside the stack around `rsp`.
    fn back_around(&self, rsp: u64) {
        for piece in [-2i64, -1, 0, 1] {
            let addr = rsp
                .wrapping_add(self.base.wrapping_sub(self.low))
                .wrapping_add_signed(piece * PIECE.cast_signed());
            self.back(addr);
        }
    }

    /// Makes every slot say `miss` again, by taking the memory away.
    fn reset(&self) {
        // SAFETY: our own mapping; private pages come back as zeros, which the protection keeps from being read.
        unsafe {
            sys::call(libc::SYS_madvise, [self.base, WINDOW, libc::MADV_DONTNEED as u64, 0, 0, 0]);
        }
        sys::protect(self.base, WINDOW, 0);
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        sys::unmap(self.base, WINDOW);
    }
}

fn fill(start: u64, end: u64, value: u64) {
    for at in (start..end).step_by(8) {
        // SAFETY: the caller has just made the range writable.
        unsafe { (at as *mut u64).write(value) };
    }
}

impl Translator {
    /// Emits what is common to all returns and prepares the shadow around `rsp`. To be called on an empty cache.
    pub(crate) fn prepare_returns(&mut self, rsp: u64) {
        let slots = self.slots();
        let cold = &mut self.cache.cold;
        self.return_miss = cold.at;
        cold.store(slots.spilled_rcx, RCX);
        cold.bytes(&[0x48, 0x8b, 0x4c, 0x24, 0xf8]); // mov rcx, [rsp - 8]
        emit_table_jump(cold, slots.target, self.jump_offset);
        let miss = self.return_miss;
        if let Some(shadow) = &mut self.shadow {
            shadow.miss = miss;
            shadow.reset();
            shadow.back_around(rsp);
        }
    }

    /// Pushes the original return address and leaves the pad's in the shadow. Returns what `end_call` needs.
    pub(crate) fn begin_call(&mut self, return_address: u64) -> CallSite {
        let CodeCache { hot, cold, .. } = &mut self.cache;
        if i32::try_from(return_address).is_ok() {
            hot.bytes(&[0x68]); // push imm32
            hot.imm32(return_address as u32);
        } else {
            cold.at = cold.at.next_multiple_of(8);
            let constant = cold.at;
            cold.imm64(return_address);
            hot.rip(&[0xff, 0x35], constant, 0); // push [constant]
        }
        let Some(shadow) = &self.shadow else {
            return CallSite { slot_value: None };
        };
        hot.bytes(&[0x48, 0xc7, 0x84, 0x24]); // mov qword [rsp + delta], pad
        hot.imm32(shadow.delta());
        let slot_value = Some(hot.at);
        hot.imm32(0);
        CallSite { slot_value }
    }

    /// Emits the pad that the call returns to; control falls out of its end at `return_address`.
    pub(crate) fn end_call(&mut self, site: CallSite, return_address: u64, scope: flags::Scope) {
        let Some(slot_value) = site.slot_value else {
            return;
        };
        let cmp_allowed = flags::dead_at(&self.space, scope, return_address, flags::CMP, 2);
        let low_only = self.low_halves_unique;
        let miss = self.return_miss;
        let slots = self.slots();
        let hot = &mut self.cache.hot;
        // SAFETY: the immediate of the store just emitted.
        unsafe { (slot_value as *mut u32).write_unaligned(hot.at as u32) };
        if cmp_allowed && low_only {
            hot.bytes(&[0x81, 0x7c, 0x24, 0xf8]); // cmp dword [rsp - 8], imm32
            hot.imm32(return_address as u32);
            hot.jcc(NOT_EQUAL, miss);
            return;
        }
        hot.store(slots.spilled_rcx, RCX);
        if low_only {
            hot.bytes(&[0x8b, 0x4c, 0x24, 0xf8]); // mov ecx, [rsp - 8]
            hot.bytes(&[0x8d, 0x89]); // lea ecx, [rcx - return_address]
            hot.imm32((return_address as u32).wrapping_neg());
        } else {
            hot.store(slots.scratch, emit::RAX);
            hot.load_imm(RCX, return_address.wrapping_neg());
            hot.bytes(&[0x48, 0x8b, 0x44, 0x24, 0xf8]); // mov rax, [rsp - 8]
            hot.bytes(&[0x48, 0x8d, 0x0c, 0x08]); // lea rcx, [rax + rcx]
            hot.load(emit::RAX, slots.scratch);
        }
        const LOAD_LEN: u8 = 7;
        hot.jrcxz(LOAD_LEN + JMP_LEN);
        hot.load(RCX, slots.spilled_rcx);
        hot.jmp(miss);
        hot.load(RCX, slots.spilled_rcx);
    }

    /// Emits a return that also takes `pop` bytes of arguments off the stack.
    pub(crate) fn emit_return(&mut self, pop: u32) {
        let slots = self.slots();
        let offset = self.jump_offset;
        let hot = &mut self.cache.hot;
        let Some(shadow) = &self.shadow else {
            hot.store(slots.spilled_rcx, RCX);
            hot.bytes(&[0x48, 0x8b, 0x0c, 0x24]); // mov rcx, [rsp]
            hot.bytes(&[0x48, 0x8d, 0xa4, 0x24]); // lea rsp, [rsp + 8 + pop]
            hot.imm32(8 + pop);
            emit_table_jump(hot, slots.target, offset);
            return;
        };
        let delta = shadow.delta();
        if pop != 0 {
            // Both addresses move up to where a return without arguments would have them: what they overwrite is below
            // the stack pointer afterwards.
            hot.store(slots.spilled_rcx, RCX);
            hot.bytes(&[0x48, 0x8b, 0x0c, 0x24]); // mov rcx, [rsp]
            hot.bytes(&[0x48, 0x89, 0x8c, 0x24]); // mov [rsp + pop], rcx
            hot.imm32(pop);
            hot.bytes(&[0x48, 0x8b, 0x8c, 0x24]); // mov rcx, [rsp + delta]
            hot.imm32(delta);
            hot.bytes(&[0x48, 0x89, 0x8c, 0x24]); // mov [rsp + delta + pop], rcx
            hot.imm32(delta.wrapping_add(pop));
            hot.load(RCX, slots.spilled_rcx);
            hot.bytes(&[0x48, 0x8d, 0xa4, 0x24]); // lea rsp, [rsp + 8 + pop]
            hot.imm32(8 + pop);
        } else {
            hot.bytes(&[0x48, 0x8d, 0x64, 0x24, 0x08]); // lea rsp, [rsp + 8]
        }
        hot.bytes(&[0xff, 0xa4, 0x24]); // jmp [rsp + delta - 8]
        hot.imm32(delta.wrapping_sub(8));
    }

    /// Emits the check that a just loaded stack pointer is still in the window; `left` is where to go if not.
    pub(crate) fn emit_stack_check(&mut self, left: u64) {
        let Some(shadow) = &self.shadow else {
            return;
        };
        let slots = self.slots();
        let hot = &mut self.cache.hot;
        hot.store(slots.spilled_rcx, RCX);
        hot.load_imm(RCX, shadow.low.wrapping_neg());
        hot.bytes(&[0x48, 0x8d, 0x0c, 0x0c]); // lea rcx, [rsp + rcx]
        hot.bytes(&[0xc4, 0xe3, 0xfb, 0xf0, 0xc9, WINDOW_BITS]); // rorx rcx, rcx, WINDOW_BITS
        hot.bytes(&[0x89, 0xc9]); // mov ecx, ecx
        const LOAD_LEN: u8 = 7;
        hot.jrcxz(LOAD_LEN + JMP_LEN);
        hot.load(RCX, slots.spilled_rcx);
        hot.jmp(left);
        hot.load(RCX, slots.spilled_rcx);
    }
}

/// What connects the two halves of a call.
pub(crate) struct CallSite {
    /// Address of the immediate that is to hold the pad's address.
    slot_value: Option<u64>,
}

/// Jumps through the table to the address in rcx, whose own value is in its slot.
pub(crate) fn emit_table_jump(at: &mut Cursor, target_slot: u64, jump_offset: u32) {
    at.store(target_slot, RCX);
    at.low_word_of_rcx();
    at.jmp_gs_table(jump_offset);
}
