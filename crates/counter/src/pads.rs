//! Landing pads of indirect branches.
//!
//! An indirect branch puts rcx and its target into slots and jumps through a table indexed by the target's low 16 bits.
//! The table leads to a pad that checks the target (another may have the same low bits), restores rcx and goes on in the
//! translation; a pad that doesn't match jumps to the next pad of its entry, the last one to the dispatcher.
//!
//! Invariants: pads leave the flags alone, as nothing is known about the target when one doesn't match. The pads of an
//! entry form a list through `next`, which is the order of their jumps.
#![allow(
    clippy::cast_possible_truncation,
    reason = "the low half of an address is what is compared"
)]

use crate::cache::NONE;
use crate::context::JUMP_ENTRIES;
use crate::emit::{self, RAX, RCX};
use crate::memory::{AddrMap, Table};
use crate::translate::Translator;

const MAX_PADS: usize = 1 << 20;
/// Bytes of a `jmp` with a 32-bit displacement.
pub(crate) const JMP_LEN: u8 = 5;

#[derive(Clone, Copy)]
pub(crate) struct Pad {
    /// The original address it stands for.
    target: u64,
    pub(crate) code: u64,
    /// The displacement taken when the target differs.
    miss: u64,
    next: u32,
}

pub(crate) struct Pads {
    table: Table<Pad>,
    /// First pad of each entry of the jump table that has one.
    heads: AddrMap,
}

/// Keys of `heads` are entries shifted past the map's reserved keys.
const KEY_BASE: u64 = 2;

impl Pads {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { table: Table::new(MAX_PADS)?, heads: AddrMap::new(10)? })
    }

    pub(crate) fn room(&self) -> usize {
        self.table.room()
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.heads.clear();
    }

    fn head(&self, entry: usize) -> u32 {
        self.heads.get(entry as u64 + KEY_BASE).unwrap_or(NONE)
    }
}

fn entry_of(target: u64) -> usize {
    target as usize % JUMP_ENTRIES
}

impl Translator {
    /// Emits the code of a pad for `target`; control falls out of its end on a match. Returns it, not yet in any list.
    pub(crate) fn emit_pad(&mut self, target: u64) -> Pad {
        let slots = self.slots();
        let low_only = self.low_halves_unique;
        let hot = &mut self.cache.hot;
        let code = hot.at;
        if low_only {
            hot.rip(&[0x8b, 0x0d], slots.target, 0); // mov ecx, [target]
            hot.bytes(&[0x8d, 0x89]); // lea ecx, [rcx - target]
            hot.imm32((target as u32).wrapping_neg());
        } else {
            hot.store(slots.scratch, RAX);
            hot.load_imm(RCX, target.wrapping_neg());
            hot.load(RAX, slots.target);
            hot.bytes(&[0x48, 0x8d, 0x0c, 0x08]); // lea rcx, [rax + rcx]
            hot.load(RAX, slots.scratch);
        }
        hot.jrcxz(JMP_LEN);
        let miss = hot.jmp(self.miss_stub);
        hot.load(RCX, slots.spilled_rcx);
        Pad { target, code, miss, next: NONE }
    }

    /// Makes a pad reachable through the table.
    pub(crate) fn insert_pad(&mut self, mut pad: Pad) -> u32 {
        let entry = entry_of(pad.target);
        pad.next = self.pads.head(entry);
        let id = self.pads.table.push(pad);
        self.pads.heads.insert(entry as u64 + KEY_BASE, id);
        self.relay(entry);
        id
    }

    /// A pad apart from its block, for a block that was translated before it became the target of an indirect branch.
    pub(crate) fn add_pad_for(&mut self, block: u32) -> u32 {
        let start = self.cache.blocks[block].start;
        let pad = self.emit_pad(start);
        let site = self.cache.hot.jmp(self.miss_stub);
        self.link(site, start);
        let id = self.insert_pad(pad);
        self.cache.blocks[block].pad = id;
        id
    }

    /// Takes a pad out of its list.
    pub(crate) fn remove_pad(&mut self, id: u32) {
        let pad = self.pads.table[id];
        let entry = entry_of(pad.target);
        let head = self.pads.head(entry);
        if head == id {
            self.pads.heads.insert(entry as u64 + KEY_BASE, pad.next);
        } else {
            let mut at = head;
            while at != NONE && self.pads.table[at].next != id {
                at = self.pads.table[at].next;
            }
            if at != NONE {
                self.pads.table[at].next = pad.next;
            }
        }
        self.relay(entry);
    }

    /// Lays the jumps of one entry as its list says.
    fn relay(&mut self, entry: usize) {
        let code_of = |pads: &Pads, id: u32, last: u64| {
            if id == NONE { last } else { pads.table[id].code }
        };
        let mut at = self.pads.head(entry);
        let first = code_of(&self.pads, at, self.miss_stub);
        self.set_jump(entry, first);
        while at != NONE {
            let pad = self.pads.table[at];
            emit::retarget(pad.miss, code_of(&self.pads, pad.next, self.miss_stub));
            at = pad.next;
        }
    }
}
