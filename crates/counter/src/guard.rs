//! Write protection of translated code, shared by all threads.
//!
//! A page of code that can change is made read-only before it is read by the translator. A write to it faults; the
//! handler, in whatever thread, makes the page writable again, notes that it is dirty, and the measured thread discards
//! the page's translations before it runs another one.
//!
//! Invariants: translations and their links change only in the dispatcher, when no program counter lies in the cache:
//! handlers of signals express the interrupted position as an original address before they let anything of the program
//! run. So no patch is ever torn and no discarded code is being executed. A thread that dirties a page returns from its
//! fault only when the measured thread has seen the note, or is where it can't go on without looking (`place`): in a
//! system call, in the dispatcher's end, or outside of translated code. The page table below is changed only with `lock`
//! held; handlers run with all other signals blocked, so the holder always goes on.
//!
//! Memory of the guard is never given back: a fault can arrive after the window has closed.
#![allow(clippy::cast_possible_truncation, reason = "protection bits are small")]
#![allow(unsafe_code, reason = "state shared with signal handlers of all threads")]

use crate::context::{Context, place};
use crate::memory::{AddrMap, Table};
use crate::sys;
use core::cell::UnsafeCell;
use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};

/// Value bits in `pages`: the protection that the program gave the page, and whether it is read-only for our sake now.
const GUARDED: u32 = 8;
/// Added to what is known from an earlier window: the program may have mapped something else there since.
const STALE: u32 = 16;
const MAX_DIRTY: usize = 1024;
const MAX_SHARED: usize = 4096;
const MAX_CODE: usize = 1 << 16;

/// A part of the address space whose code has changed or may have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dirty {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The mapping itself changed, not only the contents.
    pub(crate) remapped: bool,
}

/// A guarded page of a shared file mapping: other pages may show the same memory.
#[derive(Clone, Copy)]
struct Shared {
    page: u64,
    file: (u64, u64),
    offset: u64,
}

struct State {
    pages: AddrMap,
    /// Executable regions as the measured thread last read them, in order.
    code: Table<(u64, u64)>,
    shared: Table<Shared>,
    dirty: [Dirty; MAX_DIRTY],
    dirty_len: usize,
    overflowed: bool,
}

pub(crate) struct Guard {
    lock: AtomicBool,
    state: UnsafeCell<Option<State>>,
    context: AtomicPtr<Context>,
    pub(crate) process: AtomicI32,
    pub(crate) thread: AtomicI32,
    pub(crate) kick_signal: AtomicI32,
    /// Notes made, and notes seen by the measured thread.
    noted: AtomicU64,
    seen: AtomicU64,
    pub(crate) foreign_writes: AtomicU64,
}

// SAFETY: `state` is reached only through `with`, which holds the lock.
unsafe impl Sync for Guard {}

pub(crate) static GUARD: Guard = Guard {
    lock: AtomicBool::new(false),
    state: UnsafeCell::new(None),
    context: AtomicPtr::new(core::ptr::null_mut()),
    process: AtomicI32::new(0),
    thread: AtomicI32::new(0),
    kick_signal: AtomicI32::new(0),
    noted: AtomicU64::new(0),
    seen: AtomicU64::new(0),
    foreign_writes: AtomicU64::new(0),
};

/// What became of a fault.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The page was guarded: it is writable now, and dirty.
    Released,
    /// The page is writable by now: another thread was faster. Try again.
    Gone,
    /// Not ours.
    Unknown,
}

impl Guard {
    fn with<R>(&self, f: impl FnOnce(&mut State) -> R) -> Option<R> {
        while self.lock.swap(true, Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: the lock is held.
        let result = unsafe { (*self.state.get()).as_mut().map(f) };
        self.lock.store(false, Release);
        result
    }

    /// Prepares for a window of the calling thread.
    pub(crate) fn open(&self, context: *mut Context, kick_signal: i32) -> bool {
        while self.lock.swap(true, Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: the lock is held.
        let state = unsafe { &mut *self.state.get() };
        if let Some(known) = state {
            known.pages.update(|_, bits| bits | STALE);
        } else {
            *state = new_state();
        }
        let ready = state.is_some();
        self.lock.store(false, Release);
        self.kick_signal.store(kick_signal, Relaxed);
        self.context.store(context, SeqCst);
        self.process.store(sys::process_id(), Relaxed);
        self.thread.store(sys::thread_id(), SeqCst);
        ready
    }

    /// Makes every page as the program had it, and forgets the window. Pages stay known, for faults still on their way.
    pub(crate) fn close(&self) {
        self.thread.store(0, SeqCst);
        self.with(|s| {
            s.pages.update(|page, bits| {
                if bits & GUARDED != 0 {
                    sys::protect(page, sys::PAGE, u64::from(bits & !GUARDED));
                }
                bits & !GUARDED
            });
            s.shared.clear();
            s.code.clear();
            s.dirty_len = 0;
            s.overflowed = false;
            self.context.store(core::ptr::null_mut(), SeqCst);
        });
    }

    /// Whether the calling thread is the measured one, with a window open.
    pub(crate) fn is_measured_thread(&self) -> bool {
        let thread = self.thread.load(Relaxed);
        thread != 0 && thread == sys::thread_id() && self.is_measured_process()
    }

    /// False in a child that was forked while the window was open.
    pub(crate) fn is_measured_process(&self) -> bool {
        self.process.load(Relaxed) == sys::process_id()
    }

    /// Guards a page, before its code is read. `writable` is the protection the program gave it, if that has write
    /// permission; a page that was ever guarded in this window is guarded again whatever the caller believes.
    pub(crate) fn protect(&self, page: u64, writable: Option<u64>) {
        self.with(|s| {
            let known = s.pages.get(page).filter(|bits| bits & STALE == 0);
            let bits = match (known, writable) {
                (Some(bits), _) if bits & GUARDED != 0 => return,
                (Some(bits), _) => bits,
                (None, Some(prot)) => prot as u32,
                (None, None) => return,
            };
            if u64::from(bits) & sys::WRITE == 0 {
                return;
            }
            s.pages.insert(page, bits | GUARDED);
            sys::protect(page, sys::PAGE, u64::from(bits) & !sys::WRITE);
        });
    }

    /// Notes that `page` shows a part of a file that other pages may show as well.
    pub(crate) fn share(&self, page: u64, file: (u64, u64), offset: u64) {
        self.with(|s| {
            let known = s.shared.as_slice().iter().any(|p| p.page == page);
            if !known && s.shared.room() > 0 {
                s.shared.push(Shared { page, file, offset });
            }
        });
    }

    pub(crate) fn has_shared(&self) -> bool {
        self.with(|s| s.shared.len() > 0).unwrap_or(false)
    }

    /// For the fault handler: a write to `addr` was refused.
    pub(crate) fn fault(&self, addr: u64) -> Fault {
        let page = sys::page_of(addr);
        let release = |s: &mut State| match s.pages.get(page) {
            Some(bits) if bits & GUARDED != 0 => {
                s.pages.insert(page, bits & !GUARDED);
                sys::protect(page, sys::PAGE, u64::from(bits & !GUARDED));
                s.note(Dirty { start: page, end: page + sys::PAGE, remapped: false });
                self.noted.fetch_add(1, SeqCst);
                self.attention();
                Fault::Released
            }
            // Released by another thread, or given another protection by the program, since the write was refused.
            _ if sys::is_writable(addr) => Fault::Gone,
            _ => Fault::Unknown,
        };
        let outcome = if self.is_measured_process() {
            self.with(release)
        } else {
            // A child. It has one thread, and may have a copy of a lock that nobody will open.
            // SAFETY: no other thread of this process uses its copy; if the memory is shared (`vfork`), the parent waits.
            unsafe { (*self.state.get()).as_mut().map(release) }
        };
        outcome.unwrap_or(Fault::Unknown)
    }

    /// Makes all guarded pages writable, and notes them. False if there were none.
    pub(crate) fn release_all(&self) -> bool {
        self.with(|s| {
            let before = s.dirty_len;
            let State { pages, dirty, dirty_len, overflowed, .. } = s;
            pages.update(|page, bits| {
                if bits & GUARDED == 0 {
                    return bits;
                }
                sys::protect(page, sys::PAGE, u64::from(bits & !GUARDED));
                if *dirty_len == MAX_DIRTY {
                    *overflowed = true;
                } else {
                    dirty[*dirty_len] =
                        Dirty { start: page, end: page + sys::PAGE, remapped: false };
                    *dirty_len += 1;
                }
                bits & !GUARDED
            });
            if s.dirty_len == before {
                return false;
            }
            self.noted.fetch_add(1, SeqCst);
            self.attention();
            true
        })
        .unwrap_or(false)
    }

    /// Whether any page of the range has been writable at some time in this window, as far as the guard knows.
    pub(crate) fn knows_any(&self, start: u64, end: u64) -> bool {
        let inside = |(page, bits)| (start..end).contains(&page) && bits & STALE == 0;
        self.with(|s| s.pages.iter().any(inside)).unwrap_or(false)
    }

    /// Tells other threads where code is.
    pub(crate) fn know_code(&self, code: impl Iterator<Item = (u64, u64)>) {
        self.with(|s| {
            s.code.clear();
            for range in code.take(MAX_CODE) {
                s.code.push(range);
            }
        });
    }

    /// Whether there is code in the range, or there may be.
    pub(crate) fn may_hold_code(&self, start: u64, end: u64) -> bool {
        self.with(|s| {
            let first = s.code.as_slice().partition_point(|r| r.1 <= start);
            s.code.room() == 0 || s.code.as_slice().get(first).is_some_and(|r| r.0 < end)
        })
        .unwrap_or(false)
    }

    /// Notes that a mapping has changed: by the measured thread itself or, with `wait_until_seen`, by another.
    pub(crate) fn remapped(&self, start: u64, end: u64) {
        self.with(|s| {
            // What the program wants of these pages is to be asked anew.
            s.pages.remove_where(|page| (sys::page_of(start)..end).contains(&page));
            s.note(Dirty { start, end, remapped: true });
            self.noted.fetch_add(1, SeqCst);
            self.attention();
        });
    }

    /// Notes that the contents of a range have changed without a write, its protection staying as it is.
    pub(crate) fn contents_changed(&self, start: u64, end: u64) {
        self.with(|s| {
            s.pages.update(|page, bits| {
                if bits & GUARDED == 0 || !(start..end).contains(&page) {
                    return bits;
                }
                sys::protect(page, sys::PAGE, u64::from(bits & !GUARDED));
                bits & !GUARDED
            });
            s.note(Dirty { start, end, remapped: false });
            self.noted.fetch_add(1, SeqCst);
            self.attention();
        });
    }

    fn attention(&self) {
        let context = self.context.load(SeqCst);
        if !context.is_null() {
            // SAFETY: the arena is unmapped only after `close` has cleared the pointer, which takes the lock held here.
            unsafe { (*context).attention.store(1, SeqCst) };
        }
    }

    /// Returns when the measured thread can't run a translation without having seen all notes. For other threads.
    pub(crate) fn wait_until_seen(&self) {
        let mine = self.noted.load(SeqCst);
        let mut kicked = false;
        let mut turns = 0u32;
        while self.seen.load(SeqCst) < mine {
            let measured = self.thread.load(SeqCst);
            let Some(now) = self.place_of_measured().filter(|_| measured != 0) else {
                return;
            };
            match now {
                place::NATIVE | place::SYSCALL => return,
                place::CACHE if !kicked => {
                    sys::signal_thread(
                        self.process.load(Relaxed),
                        measured,
                        self.kick_signal.load(Relaxed),
                    );
                    kicked = true;
                }
                _ => {}
            }
            turns += 1;
            if turns.is_multiple_of(64) {
                sys::yield_now();
                // The place may have been left and entered again since the kick.
                kicked = !turns.is_multiple_of(4096);
            }
            core::hint::spin_loop();
        }
    }

    fn place_of_measured(&self) -> Option<u64> {
        self.with(|_| {
            let context = self.context.load(SeqCst);
            // SAFETY: see `attention`.
            (!context.is_null()).then(|| unsafe { (*context).place.load(SeqCst) })
        })
        .flatten()
    }

    /// Hands all notes to `f`, and says that they have been seen once `f` has returned for each. With `lost`, there were
    /// too many to keep, and everything is to be discarded.
    pub(crate) fn take_notes(&self, mut f: impl FnMut(Note)) {
        let Some((upto, len, lost)) = self.with(|s| {
            let context = self.context.load(SeqCst);
            if !context.is_null() {
                // SAFETY: see `attention`.
                unsafe { (*context).attention.store(0, SeqCst) };
            }
            (self.noted.load(SeqCst), s.dirty_len, core::mem::take(&mut s.overflowed))
        }) else {
            return;
        };
        if lost {
            f(Note::Lost);
        }
        for k in 0..len {
            if let Some(dirty) = self.with(|s| s.dirty[k]) {
                f(Note::Dirty(dirty));
            }
        }
        self.with(|s| {
            // Notes made meanwhile stay.
            s.dirty.copy_within(len..s.dirty_len.max(len), 0);
            s.dirty_len = s.dirty_len.saturating_sub(len);
        });
        self.seen.store(upto, SeqCst);
    }

    /// Whether notes wait.
    pub(crate) fn has_notes(&self) -> bool {
        self.seen.load(SeqCst) < self.noted.load(SeqCst)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    Dirty(Dirty),
    Lost,
}

impl State {
    /// Adds a note, and one for each other page that shows the same memory.
    fn note(&mut self, dirty: Dirty) {
        self.add(dirty);
        let Some(origin) = self.shared.as_slice().iter().find(|p| p.page == dirty.start).copied()
        else {
            return;
        };
        for k in 0..self.shared.len() {
            let other = self.shared.as_slice()[k];
            if other.page != origin.page
                && other.file == origin.file
                && other.offset == origin.offset
            {
                self.add(Dirty { start: other.page, end: other.page + sys::PAGE, remapped: false });
            }
        }
    }

    fn add(&mut self, dirty: Dirty) {
        if self.dirty_len == MAX_DIRTY {
            self.overflowed = true;
            return;
        }
        self.dirty[self.dirty_len] = dirty;
        self.dirty_len += 1;
    }
}

fn new_state() -> Option<State> {
    Some(State {
        pages: AddrMap::new(10)?,
        code: Table::new(MAX_CODE)?,
        shared: Table::new(MAX_SHARED)?,
        dirty: [Dirty { start: 0, end: 0, remapped: false }; MAX_DIRTY],
        dirty_len: 0,
        overflowed: false,
    })
}
