//! An allocator for the library that this crate is linked into.
//!
//! Invariant: it never calls the program's `malloc`, whose state would then depend on being measured. Blocks have sizes of
//! powers of two; a freed block goes to the list of its size and stays there.
#![allow(clippy::cast_possible_truncation, reason = "addresses are as wide as sizes here")]
#![allow(unsafe_code, reason = "an allocator hands out raw memory")]

use crate::sys;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};

const CHUNK: usize = 1 << 20;
const SMALLEST: usize = 16;
const CLASSES: usize = usize::BITS as usize;

/// See the head of the module; to be declared as `#[global_allocator]`.
pub struct OwnAllocator {
    lock: AtomicBool,
    state: UnsafeCell<State>,
}

struct State {
    next: usize,
    end: usize,
    free: [*mut Free; CLASSES],
}

struct Free {
    next: *mut Free,
}

// SAFETY: `state` is used with the lock held.
unsafe impl Sync for OwnAllocator {}

impl OwnAllocator {
    /// An allocator without memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            lock: AtomicBool::new(false),
            state: UnsafeCell::new(State {
                next: 0,
                end: 0,
                free: [core::ptr::null_mut(); CLASSES],
            }),
        }
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        while self.lock.swap(true, Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: the lock is held.
        let result = f(unsafe { &mut *self.state.get() });
        self.lock.store(false, Release);
        result
    }
}

impl Default for OwnAllocator {
    fn default() -> Self {
        Self::new()
    }
}

/// The power of two that serves a layout: blocks are aligned to their size, up to a page.
fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(SMALLEST);
    size.next_power_of_two().trailing_zeros() as usize
}

// SAFETY: blocks are disjoint, sized and aligned for their class, and owned by the caller until given back.
unsafe impl GlobalAlloc for OwnAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let class = class(layout);
        let size = 1usize << class;
        self.with(|s| {
            let head = s.free[class];
            if !head.is_null() {
                // SAFETY: freed blocks hold the list.
                s.free[class] = unsafe { (*head).next };
                return head.cast();
            }
            let align = size.min(sys::PAGE as usize);
            let mut at = s.next.next_multiple_of(align);
            if at + size > s.end {
                let chunk = CHUNK.max(size);
                let Some(base) = sys::map_anywhere(chunk as u64, sys::READ | sys::WRITE) else {
                    return core::ptr::null_mut();
                };
                at = base as usize;
                s.end = at + chunk;
            }
            s.next = at + size;
            at as *mut u8
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let class = class(layout);
        self.with(|s| {
            let block = block.cast::<Free>();
            // SAFETY: the block is ours again, and at least 16 bytes.
            unsafe { (*block).next = s.free[class] };
            s.free[class] = block;
        });
    }
}
