//! From addresses to blocks.
//!
//! Invariant: an entry is 0 when free, 1 when removed, or a block's number plus two. Entries are four bytes, and whether an
//! entry is the wanted one is asked of the block itself: most questions are about code that isn't translated yet, and end
//! at a free entry of a table that stays in the nearest cache.
#![allow(unsafe_code, reason = "the table is a raw mapping with masked indices")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "a hash is cut to the table's size"
)]

use crate::cache::Block;
use crate::memory::Table;
use crate::sys;

const FREE: u32 = 0;
const REMOVED: u32 = 1;
const BASE: u32 = 2;
const FIRST_BITS: u32 = 12;

pub(crate) struct BlockIndex {
    entries: *mut u32,
    bits: u32,
    used: usize,
}

impl BlockIndex {
    pub(crate) fn new() -> Option<Self> {
        Self::with_bits(FIRST_BITS)
    }

    fn with_bits(bits: u32) -> Option<Self> {
        let entries = sys::map_anywhere(4 << bits, sys::READ | sys::WRITE)?;
        sys::populate(entries, 4 << bits);
        Some(Self {
            entries: entries as *mut u32,
            bits,
            used: 0,
        })
    }

    fn entry(&self, index: usize) -> *mut u32 {
        // SAFETY: the mask keeps the index inside the mapping.
        unsafe { self.entries.add(index & ((1 << self.bits) - 1)) }
    }

    fn home(&self, addr: u64) -> usize {
        (addr.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.bits)) as usize
    }

    /// The entry of the block that starts at `addr`.
    fn find(&self, blocks: &Table<Block>, addr: u64) -> Option<*mut u32> {
        let mut index = self.home(addr);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            match unsafe { *entry } {
                FREE => return None,
                e if e >= BASE && blocks[e - BASE].start == addr => return Some(entry),
                _ => index += 1,
            }
        }
    }

    pub(crate) fn get(&self, blocks: &Table<Block>, addr: u64) -> Option<u32> {
        // SAFETY: see `entry`.
        self.find(blocks, addr).map(|entry| unsafe { *entry } - BASE)
    }

    /// Adds a block whose start isn't there yet.
    pub(crate) fn insert(&mut self, blocks: &Table<Block>, id: u32) {
        if (self.used + 1) * 2 > 1 << self.bits {
            self.grow(blocks);
        }
        let mut index = self.home(blocks[id].start);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            unsafe {
                if *entry <= REMOVED {
                    self.used += usize::from(*entry == FREE);
                    *entry = id + BASE;
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
                if *entry == id + BASE {
                    *entry = REMOVED;
                }
            }
        }
    }

    fn grow(&mut self, blocks: &Table<Block>) {
        // Half full is a soft limit: without memory for more, probing still ends while one entry is free.
        let Some(mut larger) = Self::with_bits(self.bits + 1) else {
            return;
        };
        for index in 0..1usize << self.bits {
            // SAFETY: see `entry`.
            let entry = unsafe { *self.entry(index) };
            if entry >= BASE {
                larger.insert(blocks, entry - BASE);
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
        sys::unmap(self.entries as u64, 4 << self.bits);
    }
}
