//! From addresses to blocks.
//!
//! Invariant: an entry is 0 when free, or a block's number below the upper half of its address's hash; the number is
//! `GONE` when the block was removed. Probing compares hashes only, and asks the block itself once they agree: most
//! questions are about code that isn't translated yet, and end in the nearest cache. The hash keeps neighbours together, as
//! most branches lead to a place near by, whose entry is then in the cache as well.
#![allow(unsafe_code, reason = "the table is a raw mapping with masked indices")]
#![allow(clippy::cast_possible_truncation, reason = "a hash is cut to the table's size")]

use crate::cache::Block;
use crate::memory::Table;
use crate::sys;

const FREE: u64 = 0;
const GONE: u32 = u32::MAX;
const FIRST_BITS: u32 = 12;

pub(crate) struct BlockIndex {
    entries: *mut u64,
    bits: u32,
    used: usize,
}

/// What entries keep; never 0. Its low bits are the place in the table.
fn hash(addr: u64) -> u32 {
    const NOT_ZERO: u32 = 1 << 31;
    /// Code of this size has places of its own, if the table is large enough.
    const REGION_BITS: u32 = 20;
    /// Blocks are seldom shorter than that.
    const SPACING_BITS: u32 = 2;
    let region = (addr >> REGION_BITS).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let inside = (addr & ((1 << REGION_BITS) - 1)) >> SPACING_BITS;
    (region as u32).wrapping_add(inside as u32) | NOT_ZERO
}

impl BlockIndex {
    pub(crate) fn new() -> Option<Self> {
        Self::with_bits(FIRST_BITS)
    }

    fn with_bits(bits: u32) -> Option<Self> {
        let entries = sys::map_anywhere(8 << bits, sys::READ | sys::WRITE)?;
        sys::populate(entries, 8 << bits);
        Some(Self { entries: entries as *mut u64, bits, used: 0 })
    }

    fn entry(&self, index: usize) -> *mut u64 {
        // SAFETY: the mask keeps the index inside the mapping.
        unsafe { self.entries.add(index & ((1 << self.bits) - 1)) }
    }

    fn home(&self, hash: u32) -> usize {
        hash as usize & ((1 << self.bits) - 1)
    }

    /// The entry of the block that starts at `addr`.
    fn find(&self, blocks: &Table<Block>, addr: u64) -> Option<*mut u64> {
        let hash = hash(addr);
        let mut index = self.home(hash);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            let e = unsafe { *entry };
            if e == FREE {
                return None;
            }
            let id = e as u32;
            if (e >> 32) as u32 == hash && id != GONE && blocks[id].start == addr {
                return Some(entry);
            }
            index += 1;
        }
    }

    pub(crate) fn get(&self, blocks: &Table<Block>, addr: u64) -> Option<u32> {
        // SAFETY: see `entry`.
        self.find(blocks, addr).map(|entry| unsafe { *entry } as u32)
    }

    /// Adds a block whose start isn't there yet.
    pub(crate) fn insert(&mut self, addr: u64, id: u32) {
        if (self.used + 1) * 2 > 1 << self.bits {
            self.grow();
        }
        self.place(hash(addr), id);
    }

    fn place(&mut self, hash: u32, id: u32) {
        let mut index = self.home(hash);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            unsafe {
                if *entry == FREE || *entry as u32 == GONE {
                    self.used += usize::from(*entry == FREE);
                    *entry = u64::from(hash) << 32 | u64::from(id);
                    return;
                }
            }
            index += 1;
        }
    }

    /// Removes a block, if it is the one its address leads to.
    pub(crate) fn remove(&mut self, blocks: &Table<Block>, id: u32) {
        if let Some(entry) = self.find(blocks, blocks[id].start) {
            // SAFETY: see `entry`.
            unsafe {
                if *entry as u32 == id {
                    *entry |= u64::from(GONE);
                }
            }
        }
    }

    fn grow(&mut self) {
        // Half full is a soft limit: without memory for more, probing still ends while one entry is free.
        let Some(mut larger) = Self::with_bits(self.bits + 2) else {
            return;
        };
        for index in 0..1usize << self.bits {
            // SAFETY: see `entry`.
            let e = unsafe { *self.entry(index) };
            if e != FREE && e as u32 != GONE {
                larger.place((e >> 32) as u32, e as u32);
            }
        }
        core::mem::swap(self, &mut larger);
    }

    pub(crate) fn clear(&mut self) {
        for index in 0..1usize << self.bits {
            // SAFETY: see `entry`.
            unsafe { *self.entry(index) = FREE };
        }
        self.used = 0;
    }
}

impl Drop for BlockIndex {
    fn drop(&mut self) {
        sys::unmap(self.entries as u64, 8 << self.bits);
    }
}
