//! What happens each time translated code comes out of the cache.
//!
//! Invariants: this runs on the measured thread, on a stack of its own, with no program counter in the cache; so this is
//! where translations and links change, and nowhere else. Before it lets the thread go on, every note of the guard has
//! been acted on.
#![allow(clippy::cast_possible_truncation, reason = "a link's number is below 2^32")]

use crate::context::{Context, RCX, exit, place};
use crate::frame;
use crate::guard::GUARD;
use crate::links::LinkKind;
use crate::report::Incomplete;
use crate::session;
use crate::sys;
use crate::translate::{MAX_CHAIN, Translator};
use core::sync::atomic::{Ordering::SeqCst, fence};

/// Where the thread goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resume {
    pub(crate) at: u64,
    pub(crate) place: u64,
}

impl Resume {
    pub(crate) fn cache(at: u64) -> Self {
        Self { at, place: place::CACHE }
    }

    pub(crate) fn syscall(at: u64) -> Self {
        Self { at, place: place::SYSCALL }
    }

    /// At an original address, natively.
    pub(crate) fn native(at: u64) -> Self {
        Self { at, place: place::NATIVE }
    }
}

/// Called by the assembly in `entry`; returns the address to jump to.
#[allow(unsafe_code, reason = "the context is shared with translated code")]
pub(crate) extern "C" fn dispatch() -> u64 {
    // SAFETY: this is the measured thread, and the only code on it that uses the translator now; handlers of signals that
    // interrupt it keep to `pending` and the context.
    let Some(t) = (unsafe { session::translator() }) else {
        unreachable!("translated code runs only while a window is open");
    };
    // Whoever found this thread outside of translated code and didn't wait has left its note before: `place` is stored
    // before the notes are looked at, which the processor wouldn't keep to by itself.
    fence(SeqCst);
    let begun = sys::ticks();
    t.tally.dispatches += 1;
    t.pending.visited();
    let context = t.arena.context;
    loop {
        let resume = t.exit();
        // SAFETY: the context lives as long as the translator.
        unsafe {
            (*context).next_place = resume.place;
            if t.pending.waits() && resume.place != place::SYSCALL {
                (*context).rflags |= frame::TRAP;
            }
            if !GUARD.has_notes() || resume.place == place::SYSCALL || resume.place == place::NATIVE
            {
                t.tally.dispatch_ticks += sys::ticks().wrapping_sub(begun);
                return resume.at;
            }
            // A note came in between: the block may be gone. Its address is where to go on.
            (*context).exit_kind = exit::REENTER;
            (*context).target = t.going_to;
        }
    }
}

impl Translator {
    fn context(&mut self) -> &mut Context {
        // SAFETY: the context lives as long as the translator; translated code isn't running.
        #[allow(unsafe_code, reason = "the context is shared with translated code")]
        unsafe {
            &mut *self.arena.context
        }
    }

    /// Handles one exit from translated code, after the notes, which can change what it leads to.
    fn exit(&mut self) -> Resume {
        let context = self.context();
        let (kind, id, target) = (context.exit_kind, context.exit_id, context.target);
        if kind == exit::LINK {
            return self.exit_by_link(id as u32);
        }
        self.heed_notes();
        let resume = self.go_to(target, kind == exit::INDIRECT);
        if kind == exit::TRANSFER {
            self.note_transfer(target);
        }
        resume
    }

    fn exit_by_link(&mut self, id: u32) -> Resume {
        // What the link says is looked at before the notes, by which everything can be discarded.
        let link = self.links.get(id);
        let site = self.links.site(&link);
        let call = (link.kind == LinkKind::Syscall).then(|| self.cache.position(site)).flatten();
        let call = call.map(|position| (self.cache.blocks[position.block], position));
        let flushes = self.tally.flushes;
        self.heed_notes();
        let discarded = self.tally.flushes != flushes;
        match link.kind {
            LinkKind::Branch if discarded => self.go_to(link.target, false),
            LinkKind::Branch => self.follow(id, link.target),
            LinkKind::Transfer => {
                let resume = self.go_to(link.target, false);
                self.note_transfer(link.target);
                resume
            }
            LinkKind::Syscall => match call.filter(|_| discarded) {
                Some((block, position)) => {
                    self.leave(&block, &position);
                    self.go_to(position.original, false)
                }
                None => self.before_syscall(site, link.target),
            },
            LinkKind::AfterSyscall => {
                let context = self.context();
                context.regs[RCX] = link.target;
                context.attention.store(0, SeqCst);
                self.after_syscall();
                self.heed_notes();
                self.go_to(link.target, false)
            }
            LinkKind::StackLeft => {
                self.tally.stack_switches += 1;
                self.shadow = None;
                self.discard_all();
                self.go_to(link.target, false)
            }
            LinkKind::Foreign => {
                session::give_up(Incomplete::ForeignCode(link.target));
                Resume::native(link.target)
            }
        }
    }

    /// Goes on at an original address; `indirect` when the branch there should find its way alone the next time.
    pub(crate) fn go_to(&mut self, target: u64, indirect: bool) -> Resume {
        self.going_to = target;
        if self.is_gate(target) {
            return Resume::native(target);
        }
        self.make_room();
        let Some(block) = self.translation_of(target, indirect) else {
            session::give_up(Incomplete::ForeignCode(target));
            return Resume::native(target);
        };
        if indirect && self.cache.blocks[block].pad == crate::cache::NONE {
            self.add_pad_for(block);
        }
        Resume::cache(self.cache.blocks[block].code)
    }

    fn follow(&mut self, id: u32, target: u64) -> Resume {
        self.going_to = target;
        if self.is_gate(target) {
            return Resume::native(target);
        }
        if self.make_room() {
            return self.go_to(target, false);
        }
        let flushes = self.tally.flushes;
        let Some(block) = self.translation_of(target, false) else {
            session::give_up(Incomplete::ForeignCode(target));
            return Resume::native(target);
        };
        if self.tally.flushes == flushes {
            self.bind(id, block);
        }
        Resume::cache(self.cache.blocks[block].code)
    }

    fn translation_of(&mut self, target: u64, indirect: bool) -> Option<u32> {
        let chain = if core::mem::take(&mut self.next_chain_is_single) { 1 } else { MAX_CHAIN };
        self.block_at(target, indirect, chain)
    }

    /// Discards everything when memory runs short; true if so.
    fn make_room(&mut self) -> bool {
        const PADS: usize = 16;
        const LINKS: usize = 16 * MAX_CHAIN;
        let enough = self.cache.has_room() && self.pads.room() > PADS && self.links.room() > LINKS;
        if !enough {
            self.discard_all();
        }
        !enough
    }
}
