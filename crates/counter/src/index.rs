//! From addresses to blocks.
//!
//! Invariant: an entry is 0 when free, or one more than a block's number below a tag made from its address; the number is
//! `GONE` when the block was removed. Probing compares tags only, and asks the block itself once they agree: most questions
//! are about code that isn't translated yet, and end in the nearest cache. The place in the table keeps neighbours
//! together, as most branches lead to a place near by, whose entry is then in the cache as well.
#![allow(unsafe_code, reason = "the table is a raw mapping with masked indices")]
#![allow(clippy::cast_possible_truncation, reason = "a hash is cut to the table's size")]

use crate::cache::{Block, MAX_BLOCKS};
use crate::memory::Table;
use crate::sys;
use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

const FREE: u32 = 0;
const NUMBER: u32 = MAX_BLOCKS as u32 - 1;
const GONE: u32 = NUMBER;
const FIRST_BITS: u32 = 13;
const ENTRY: u64 = size_of::<u32>() as u64;

pub(crate) struct BlockIndex {
    entries: *mut u32,
    bits: u32,
    used: usize,
}

/// Spreads an address over all 64 bits.
fn scattered(value: u64) -> u64 {
    value.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Where the entry of an address is, before it is cut to the table's size.
fn place(addr: u64) -> usize {
    /// Code of this size has places of its own, if the table is large enough.
    const REGION_BITS: u32 = 20;
    /// Blocks are seldom shorter than that.
    const SPACING_BITS: u32 = 2;
    let region = scattered(addr >> REGION_BITS) >> 32;
    let inside = (addr & ((1 << REGION_BITS) - 1)) >> SPACING_BITS;
    region.wrapping_add(inside) as usize
}

/// The upper bits of an entry, those that `NUMBER` leaves.
fn tag(addr: u64) -> u32 {
    (scattered(addr) >> 32) as u32 & !NUMBER
}

impl BlockIndex {
    pub(crate) fn new() -> Option<Self> {
        Self::with_bits(FIRST_BITS)
    }

    fn with_bits(bits: u32) -> Option<Self> {
        let entries = sys::map_anywhere(ENTRY << bits, sys::READ | sys::WRITE)?;
        sys::populate(entries, ENTRY << bits);
        Some(Self { entries: entries as *mut u32, bits, used: 0 })
    }

    fn entry(&self, index: usize) -> *mut u32 {
        // SAFETY: the mask keeps the index inside the mapping.
        unsafe { self.entries.add(index & ((1 << self.bits) - 1)) }
    }

    /// Has the processor fetch the entry of an address that will be asked for soon.
    pub(crate) fn fetch(&self, addr: u64) {
        // SAFETY: a hint.
        unsafe { _mm_prefetch(self.entry(place(addr)).cast(), _MM_HINT_T0) };
    }

    /// The entry of the block that starts at `addr`.
    fn find(&self, blocks: &Table<Block>, addr: u64) -> Option<*mut u32> {
        let tag = tag(addr);
        let mut index = place(addr);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            let e = unsafe { *entry };
            if e == FREE {
                return None;
            }
            let number = e & NUMBER;
            if e & !NUMBER == tag && number != GONE && blocks[number - 1].start == addr {
                return Some(entry);
            }
            index += 1;
        }
    }

    pub(crate) fn get(&self, blocks: &Table<Block>, addr: u64) -> Option<u32> {
        // SAFETY: see `entry`.
        self.find(blocks, addr).map(|entry| unsafe { *entry & NUMBER } - 1)
    }

    /// Adds the last of the blocks, whose start isn't there yet.
    pub(crate) fn insert_last(&mut self, blocks: &Table<Block>) {
        if (self.used + 1) * 2 > 1 << self.bits && self.grow(blocks) {
            return;
        }
        let id = blocks.len() as u32 - 1;
        self.insert(blocks[id].start, id);
    }

    fn insert(&mut self, addr: u64, id: u32) {
        let mut index = place(addr);
        loop {
            let entry = self.entry(index);
            // SAFETY: see `entry`.
            unsafe {
                if *entry == FREE || *entry & NUMBER == GONE {
                    self.used += usize::from(*entry == FREE);
                    *entry = tag(addr) | (id + 1);
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
                if *entry & NUMBER == id + 1 {
                    *entry |= GONE;
                }
            }
        }
    }

    /// Moves to a larger table with all valid blocks; false if there is no memory for one. Half full is a soft limit:
    /// probing still ends while one entry is free.
    fn grow(&mut self, blocks: &Table<Block>) -> bool {
        let Some(mut larger) = Self::with_bits(self.bits + 2) else {
            return false;
        };
        for (block, id) in blocks.as_slice().iter().zip(0u32..).filter(|(b, _)| b.valid) {
            larger.insert(block.start, id);
        }
        core::mem::swap(self, &mut larger);
        true
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
        sys::unmap(self.entries as u64, ENTRY << self.bits);
    }
}
