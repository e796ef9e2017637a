//! The code cache: what has been translated, from where, to where, and how often it ran.
//!
//! Invariants: code is only appended; a discarded block keeps its bytes, so that a return address on its way to them finds
//! the jump that replaced the block's head. Blocks are in the order of their code. A block's translation is longer than
//! the jump that can replace its head, because it holds at least what counts it. The boundaries of a block list
//! where the translation of each of its instructions starts, and where the last one ends.
#![allow(unsafe_code, reason = "counters live in memory that translated code writes")]
#![allow(clippy::cast_possible_truncation, reason = "offsets inside the cache fit by its size")]

use crate::arena::{Arena, HUGE_PAGE};
use crate::decode::MAX_INSTRUCTIONS;
use crate::emit::Cursor;
use crate::index::BlockIndex;
use crate::memory::{AddrMap, Table};
use core::ops::Range;

/// Ends lists of indices.
pub(crate) const NONE: u32 = u32::MAX;

/// Blocks that fit, for which the arena has counters.
pub(crate) const MAX_BLOCKS: usize = 1 << 20;
/// Fewer would be discarded before they run.
const MIN_BLOCKS: usize = 4 * crate::translate::MAX_CHAIN;
/// Code is written chunk by chunk, each one large page; the first part of a chunk takes blocks and pads, the rest what is
/// seldom run.
const CHUNK: u64 = HUGE_PAGE;
const HOT_PART: u64 = CHUNK / 8 * 5;
/// The largest chain's translation, far above what any instruction's rewriting takes, in either part.
const HOT_MARGIN: u64 = 96 << 10;
const COLD_MARGIN: u64 = 16 << 10;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The application's code.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Its translation.
    pub(crate) code: u64,
    pub(crate) code_end: u64,
    /// Instructions, and those of them with a repeat prefix.
    pub(crate) count: u16,
    pub(crate) reps: u16,
    /// From this offset in the translation on the counter has been incremented.
    pub(crate) counted_from: u16,
    pub(crate) valid: bool,
    /// Its instructions belong to the program (not to this crate's own library).
    pub(crate) counts: bool,
    /// Its counter in memory is incremented with care for the flags.
    pub(crate) keeps_flags: bool,
    /// It ends with a system call.
    pub(crate) syscall: bool,
    /// It ends with an instruction for which the program gets its vector register (`accumulator`).
    pub(crate) gives_vector: bool,
    /// First entry in `boundaries`.
    pub(crate) boundaries: u32,
    /// Head of the list of links that jump here.
    pub(crate) incoming: u32,
    /// The pad by which indirect branches come here.
    pub(crate) pad: u32,
}

/// Where an instruction starts: in the translation and in the application's code, relative to the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boundary {
    pub(crate) code: u16,
    pub(crate) original: u16,
}

/// Code between these addresses runs with `reg` set aside in the context's slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetAside {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) reg: u8,
    /// Address of the slot.
    pub(crate) slot: u64,
}

/// A block on a page: one link of the page's list.
#[derive(Clone, Copy)]
struct OnPage {
    block: u32,
    next: u32,
}

pub(crate) struct CodeCache {
    /// Blocks and pads, in the order in which they were translated.
    pub(crate) hot: Cursor,
    /// What is seldom run, and constants.
    pub(crate) cold: Cursor,
    pub(crate) blocks: Table<Block>,
    by_start: BlockIndex,
    pub(crate) boundaries: Table<Boundary>,
    pub(crate) set_aside: Table<SetAside>,
    pages: AddrMap,
    on_page: Table<OnPage>,
    counters: u64,
    /// Blocks to hold at most.
    limit: usize,
    code: Range<u64>,
    /// Bytes in the chunks that are full.
    full: u64,
}

impl CodeCache {
    pub(crate) fn new(arena: &Arena, limit: usize) -> Option<Self> {
        Some(Self {
            hot: hot_part(arena.code),
            cold: cold_part(arena.code),
            blocks: Table::new(MAX_BLOCKS)?,
            by_start: BlockIndex::new()?,
            boundaries: Table::new(MAX_BLOCKS * 8)?,
            set_aside: Table::new(MAX_BLOCKS)?,
            pages: AddrMap::new(9)?,
            on_page: Table::new(MAX_BLOCKS * 2)?,
            counters: arena.counters,
            limit: limit.clamp(MIN_BLOCKS, MAX_BLOCKS),
            code: arena.code..arena.end,
            full: 0,
        })
    }

    /// Whether one more chain surely fits; if not, everything is to be discarded first.
    pub(crate) fn has_room(&mut self) -> bool {
        let blocks = crate::translate::MAX_CHAIN;
        let fits =
            |c: &Self| c.hot.at + HOT_MARGIN < c.hot.end && c.cold.at + COLD_MARGIN < c.cold.end;
        if !fits(self) && self.cold.end < self.code.end {
            self.full = self.bytes_used();
            let chunk = self.cold.end;
            self.hot = hot_part(chunk);
            self.cold = cold_part(chunk);
        }
        fits(self)
            && self.blocks.len() + blocks < self.limit
            && self.boundaries.room() > blocks * (MAX_INSTRUCTIONS + 1)
            && self.set_aside.room() > blocks * MAX_INSTRUCTIONS
            && self.on_page.room() > blocks * 4
    }

    /// Whether `addr` lies in the cache.
    pub(crate) fn contains(&self, addr: u64) -> bool {
        self.code.contains(&addr)
    }

    pub(crate) fn bytes_used(&self) -> u64 {
        let chunk = self.cold.end - CHUNK;
        self.full + (self.hot.at - chunk) + (self.cold.at - self.hot.end)
    }

    /// The valid block that starts at `addr`.
    pub(crate) fn at(&self, addr: u64) -> Option<u32> {
        self.by_start.get(&self.blocks, addr)
    }

    /// Prepares for a question about `addr`.
    pub(crate) fn fetch(&self, addr: u64) {
        self.by_start.fetch(addr);
    }

    /// Where a block is counted, if each is counted for itself.
    pub(crate) fn counter_of(&self, block: u32) -> u64 {
        self.counters + u64::from(block) * 8
    }

    pub(crate) fn executions(&self, block: u32) -> u64 {
        // SAFETY: the arena has a counter for each block.
        unsafe { (self.counter_of(block) as *const u64).read_volatile() }
    }

    /// Enters a block whose translation starts here.
    pub(crate) fn add(&mut self, block: Block) -> u32 {
        let id = self.blocks.push(block);
        self.by_start.insert_last(&self.blocks);
        id
    }

    /// Notes that the block goes when the page is written.
    pub(crate) fn add_to_page(&mut self, page: u64, block: u32) {
        let next = self.pages.get(page).unwrap_or(NONE);
        let node = self.on_page.push(OnPage { block, next });
        self.pages.insert(page, node);
    }

    /// Takes the blocks of a page, one per call.
    pub(crate) fn take_from_page(&mut self, page: u64) -> Option<u32> {
        let node = self.pages.get(page).filter(|n| *n != NONE)?;
        let OnPage { block, next } = self.on_page[node];
        self.pages.insert(page, next);
        Some(block)
    }

    /// Makes the block unknown to look-ups by address.
    pub(crate) fn forget(&mut self, block: u32) {
        self.by_start.remove(&self.blocks, block);
        self.blocks[block].valid = false;
    }

    /// The block whose translation holds `code`.
    pub(crate) fn holding(&self, code: u64) -> Option<u32> {
        let blocks = self.blocks.as_slice();
        let index = blocks.partition_point(|b| b.code <= code).checked_sub(1)?;
        let b = &blocks[index];
        (code <= b.code_end).then_some(index as u32)
    }

    pub(crate) fn boundaries_of(&self, block: &Block) -> &[Boundary] {
        let first = block.boundaries as usize;
        &self.boundaries.as_slice()[first..=first + usize::from(block.count)]
    }

    /// Starts again with empty memory. Counters must have been taken over before.
    pub(crate) fn clear(&mut self) {
        self.hot = hot_part(self.code.start);
        self.cold = cold_part(self.code.start);
        self.full = 0;
        for block in 0..self.blocks.len() as u32 {
            // SAFETY: the arena has a counter for each block.
            unsafe { (self.counter_of(block) as *mut u64).write_volatile(0) };
        }
        self.by_start.clear();
        self.blocks.clear();
        self.boundaries.clear();
        self.set_aside.clear();
        self.pages.clear();
        self.on_page.clear();
    }
}

fn hot_part(chunk: u64) -> Cursor {
    Cursor { at: chunk, end: chunk + HOT_PART }
}

fn cold_part(chunk: u64) -> Cursor {
    Cursor { at: chunk + HOT_PART, end: chunk + CHUNK }
}
