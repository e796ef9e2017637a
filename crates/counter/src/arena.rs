//! One stretch of address space for everything that translated code refers to.
//!
//! Invariants: context, counters and code lie within 2 GB of each other, so translated code reaches all of it relative to
//! the instruction pointer; and within reach of the engine's own code and data where there is room, so that copied
//! instructions keep their operands. It keeps away from the main stack, which must be able to grow.
#![allow(unsafe_code, reason = "the context is placed in memory that this module maps")]

use crate::cache::MAX_BLOCKS;
use crate::context::Context;
use crate::space::{AddressSpace, Kind};
use crate::sys;

/// Translations.
const CODE: u64 = 128 << 20;
/// Distance kept from other mappings, so that the heap and the linker's next library find room beside it.
const CLEARANCE: u64 = 1 << 20;
/// Distance kept below the stack: more than it may grow by default.
const STACK_CLEARANCE: u64 = 128 << 20;
/// The parts start at multiples of this.
pub(crate) const HUGE_PAGE: u64 = 2 << 20;
/// The dispatcher's stack.
const STACK: u64 = 1 << 20;
/// Another thread of the program may map into the gap between its being found and its being taken.
const TRIES: usize = 8;
/// Where the heap of a program that isn't position independent grows: the arena stays above its likely end.
const ABOVE_HEAP: u64 = 256 << 20;

pub(crate) struct Arena {
    pub(crate) context: *mut Context,
    pub(crate) counters: u64,
    pub(crate) code: u64,
    pub(crate) end: u64,
    stack: u64,
}

impl Arena {
    /// Maps the arena as near to `near` as there is room.
    pub(crate) fn new(space: &mut AddressSpace, near: u64) -> Option<Self> {
        let context_size = (size_of::<Context>() as u64).next_multiple_of(sys::PAGE);
        let counters_size =
            (context_size + MAX_BLOCKS as u64 * 8).next_multiple_of(HUGE_PAGE) - context_size;
        let size = context_size + counters_size + CODE;
        let base = (0..TRIES).find_map(|_| {
            let base = place(space, near, size);
            if base.is_none() {
                space.refresh();
            }
            base
        })?;
        sys::prefer_huge_pages(base, size);
        let stack = sys::map_anywhere(STACK, sys::READ | sys::WRITE)?;
        sys::populate(base, context_size);
        sys::populate(stack + STACK - (64 << 10), 64 << 10);
        let context = base as *mut Context;
        let counters = base + context_size;
        let code = counters + counters_size;
        // SAFETY: fresh, zeroed, aligned memory of sufficient size; zero is a valid value of every field.
        unsafe {
            (*context).this = base;
            (*context).stack = stack + STACK - 64;
        }
        Some(Self { context, counters, code, end: code + CODE, stack })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let base = self.context as u64;
        sys::unmap(base, self.end - base);
        sys::unmap(self.stack, STACK);
    }
}

/// Finds the gap nearest to `near` and maps it.
fn place(space: &AddressSpace, near: u64, size: u64) -> Option<u64> {
    const LOWEST: u64 = 1 << 24;
    const HIGHEST: u64 = 0x7fff_ffff_0000;
    let mut best: Option<u64> = None;
    let mut consider = |candidate: u64| {
        let rounded = candidate.next_multiple_of(HUGE_PAGE);
        if best.is_none_or(|b| rounded.abs_diff(near) < b.abs_diff(near)) {
            best = Some(rounded);
        }
    };
    let mut gap_start = LOWEST;
    let mut low_clearance = CLEARANCE;
    let regions = space.all();
    let ends =
        regions.iter().map(|r| (r.start, r.end, r.kind)).chain([(HIGHEST, HIGHEST, Kind::Plain)]);
    for (start, end, kind) in ends {
        let high_clearance = if kind == Kind::Stack { STACK_CLEARANCE } else { CLEARANCE };
        let low = gap_start + low_clearance;
        let high = start.saturating_sub(size + high_clearance + HUGE_PAGE);
        if low <= high {
            consider(near.clamp(low, high));
        }
        gap_start = end.max(gap_start);
        // The heap grows upward from the program's data: the first large gap above the program is left free at its start.
        low_clearance = if end < 1 << 32 { ABOVE_HEAP } else { CLEARANCE };
    }
    sys::map(best?, size, sys::READ | sys::WRITE | sys::EXEC)
}
