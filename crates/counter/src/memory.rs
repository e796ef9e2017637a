//! Memory for the translator's own tables.
//!
//! Invariant: no allocator is ever called. The translator may have interrupted the application inside `malloc`, so each
//! table is one reservation of address space that the kernel fills on demand, and never moves.
#![allow(
    unsafe_code,
    reason = "tables are raw mappings with a bound check in front of every access"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "indices into tables are below 2^32 by their capacity"
)]

use crate::sys;

/// Pages of a table are asked for in steps, so that a push seldom faults: as much again as there is, within these bounds.
const FIRST_STEP: u64 = 16 << 10;
const LAST_STEP: u64 = 256 << 10;
/// Beyond its first large page a table grows by large pages.
const HUGE_STEP: u64 = 2 << 20;

/// A growable array of plain values with a fixed capacity.
pub(crate) struct Table<T: Copy> {
    base: *mut T,
    len: usize,
    capacity: usize,
    backed: u64,
}

impl<T: Copy> Table<T> {
    /// Reserves room for `capacity` values; `None` when the address space is exhausted.
    pub(crate) fn new(capacity: usize) -> Option<Self> {
        let bytes = (capacity * size_of::<T>()) as u64;
        let base = sys::map_anywhere(bytes, sys::READ | sys::WRITE)?;
        Some(Self { base: base as *mut T, len: 0, capacity, backed: base })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Values that can still be pushed.
    pub(crate) fn room(&self) -> usize {
        self.capacity - self.len
    }

    /// Appends and returns the index. Callers keep `room` above what one translation needs (`CodeCache::has_room`).
    pub(crate) fn push(&mut self, value: T) -> u32 {
        let index = self.len;
        assert!(index < self.capacity, "a table overflowed its reservation");
        // SAFETY: the index is inside the reservation.
        unsafe {
            let slot = self.base.add(index);
            if slot as u64 + size_of::<T>() as u64 > self.backed {
                let end = self.base as u64 + (self.capacity * size_of::<T>()) as u64;
                let size = self.backed - self.base as u64;
                let step = if size < HUGE_STEP {
                    size.clamp(FIRST_STEP, LAST_STEP).min(HUGE_STEP - size)
                } else {
                    sys::prefer_huge_pages(self.backed, HUGE_STEP);
                    HUGE_STEP
                };
                let step = step.min(end - self.backed);
                sys::populate(self.backed, step);
                self.backed += step;
            }
            slot.write(value);
        }
        self.len += 1;
        index as u32
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `len` values have been written.
        unsafe { core::slice::from_raw_parts(self.base, self.len) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `len` values have been written, and `self` is borrowed exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.base, self.len) }
    }
}

impl<T: Copy> core::ops::Index<u32> for Table<T> {
    type Output = T;
    fn index(&self, index: u32) -> &T {
        &self.as_slice()[index as usize]
    }
}

impl<T: Copy> core::ops::IndexMut<u32> for Table<T> {
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.as_mut_slice()[index as usize]
    }
}

impl<T: Copy> Drop for Table<T> {
    fn drop(&mut self) {
        sys::unmap(self.base as u64, (self.capacity * size_of::<T>()) as u64);
    }
}

/// A map from addresses (never 0 or 1) to indices: open addressing, linear probing.
pub(crate) struct AddrMap {
    slots: *mut Slot,
    bits: u32,
    used: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    value: u64,
}

const FREE: u64 = 0;
const REMOVED: u64 = 1;

impl AddrMap {
    pub(crate) fn new(bits: u32) -> Option<Self> {
        let slots =
            sys::map_anywhere(size_of::<Slot>() as u64 * (1 << bits), sys::READ | sys::WRITE)?;
        Some(Self { slots: slots as *mut Slot, bits, used: 0 })
    }

    fn slot(&self, index: usize) -> *mut Slot {
        // SAFETY: the mask keeps the index inside the mapping, which is zeroed, hence valid slots, from the start.
        unsafe { self.slots.add(index & ((1 << self.bits) - 1)) }
    }

    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.bits)) as usize
    }

    fn find(&self, key: u64) -> Option<*mut Slot> {
        let mut index = self.home(key);
        loop {
            let slot = self.slot(index);
            // SAFETY: see `slot`.
            match unsafe { (*slot).key } {
                FREE => return None,
                k if k == key => return Some(slot),
                _ => index += 1,
            }
        }
    }

    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        // SAFETY: see `slot`.
        self.find(key).map(|slot| unsafe { (*slot).value } as u32)
    }

    /// Inserts or replaces.
    pub(crate) fn insert(&mut self, key: u64, value: u32) {
        debug_assert!(key > REMOVED);
        if let Some(slot) = self.find(key) {
            // SAFETY: see `slot`.
            unsafe { (*slot).value = u64::from(value) };
            return;
        }
        if (self.used + 1) * 2 > 1 << self.bits {
            self.grow();
        }
        let mut index = self.home(key);
        loop {
            let slot = self.slot(index);
            // SAFETY: see `slot`.
            unsafe {
                if (*slot).key <= REMOVED {
                    if (*slot).key == FREE {
                        self.used += 1;
                    }
                    slot.write(Slot { key, value: u64::from(value) });
                    return;
                }
            }
            index += 1;
        }
    }

    /// Twice the slots; the address space of this process is taken to suffice, as every table here is small beside it.
    fn grow(&mut self) {
        let Some(mut larger) = Self::new(self.bits + 1) else {
            // Half full is a soft limit: probing still ends while one slot is free.
            return;
        };
        for (key, value) in self.iter() {
            larger.insert(key, value);
        }
        core::mem::swap(self, &mut larger);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        (0..1usize << self.bits).filter_map(|index| {
            // SAFETY: see `slot`.
            let slot = unsafe { *self.slot(index) };
            (slot.key > REMOVED).then_some((slot.key, slot.value as u32))
        })
    }

    /// Passes every value through `f`.
    pub(crate) fn update(&mut self, mut f: impl FnMut(u64, u32) -> u32) {
        for index in 0..1usize << self.bits {
            let slot = self.slot(index);
            // SAFETY: see `slot`.
            unsafe {
                if (*slot).key > REMOVED {
                    (*slot).value = u64::from(f((*slot).key, (*slot).value as u32));
                }
            }
        }
    }

    /// Removes the keys for which `f` says so.
    pub(crate) fn remove_where(&mut self, f: impl Fn(u64) -> bool) {
        for index in 0..1usize << self.bits {
            let slot = self.slot(index);
            // SAFETY: see `slot`.
            unsafe {
                if (*slot).key > REMOVED && f((*slot).key) {
                    (*slot).key = REMOVED;
                }
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for index in 0..1usize << self.bits {
            // SAFETY: see `slot`.
            unsafe { (*self.slot(index)).key = FREE };
        }
        self.used = 0;
    }
}

impl Drop for AddrMap {
    fn drop(&mut self) {
        sys::unmap(self.slots as u64, size_of::<Slot>() as u64 * (1 << self.bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn the_map_agrees_with_the_standard_one(ops in proptest::collection::vec((2u64..60, any::<u32>(), any::<bool>()), 0..400)) {
            let mut ours = AddrMap::new(2).expect("memory");
            let mut theirs = HashMap::new();
            for (key, value, insert) in ops {
                if insert {
                    ours.insert(key, value);
                    theirs.insert(key, value);
                } else {
                    ours.remove_where(|k| k == key);
                    theirs.remove(&key);
                }
                prop_assert_eq!(ours.get(key), theirs.get(&key).copied());
            }
            let all: HashMap<u64, u32> = ours.iter().collect();
            prop_assert_eq!(all, theirs);
        }
    }

    #[test]
    fn a_table_keeps_what_is_pushed() {
        let mut table = Table::new(100_000).expect("memory");
        for i in 0..100_000u32 {
            assert_eq!(table.push(i * 3), i);
        }
        assert_eq!(table.room(), 0);
        assert_eq!(table[99_999], 299_997);
    }
}
