//! Discarding translations of code that has changed.
//!
//! Invariants: see `guard`: this runs in the dispatcher only. A discarded block is not found any more by address, by link
//! or by pad, and whoever still gets to its head (a return address on its way, the block laid out in front of it) finds a
//! jump to a fresh translation. Counters of discarded blocks are kept until the report.
#![allow(unsafe_code, reason = "the head of a discarded block is overwritten")]

use crate::cache::NONE;
use crate::emit::Cursor;
use crate::guard::{Dirty, GUARD, Note};
use crate::links::LinkKind;
use crate::pads::JMP_LEN;
use crate::space::Region;
use crate::sys;
use crate::translate::Translator;

impl Translator {
    /// Guards a page of code that can change, together with every other page that shows the same memory.
    pub(crate) fn guard_page(&mut self, page: u64) {
        let Some(region) = self.space.known(page) else {
            return;
        };
        // What isn't code as far as is known is not read either, and its true protection may be another by now.
        if region.is_fixed() || !region.exec {
            return;
        }
        GUARD.protect(page, writable(&region));
        if region.shared {
            self.guard_aliases(page, &region);
        }
    }

    fn guard_aliases(&mut self, page: u64, region: &Region) {
        let file = (region.device, region.inode);
        let offset = region.offset + (page - region.start);
        GUARD.share(page, file, offset);
        for k in 0..self.space.all().len() {
            let r = self.space.all()[k];
            let end = r.offset + (r.end - r.start);
            if r.shared && (r.device, r.inode) == file && (r.offset..end).contains(&offset) {
                let alias = r.start + (offset - r.offset);
                GUARD.share(alias, file, offset);
                GUARD.protect(alias, writable(&r));
            }
        }
    }

    /// Notes that a block depends on the pages it was read from, as far as they can change.
    pub(crate) fn register_pages(&mut self, block: u32, start: u64, end: u64) {
        for page in sys::pages(start, end) {
            let fixed = self.space.known(page).is_some_and(|r| r.is_fixed());
            if !fixed {
                self.cache.add_to_page(page, block);
            }
        }
    }

    /// Acts on everything the guard has noted.
    pub(crate) fn heed_notes(&mut self) {
        while GUARD.has_notes() {
            GUARD.take_notes(|note| match note {
                Note::Lost => {
                    self.space.refresh();
                    self.discard_all();
                }
                Note::Dirty(dirty) => self.discard_range(dirty),
            });
        }
    }

    fn discard_range(&mut self, dirty: Dirty) {
        self.tally.invalidations += 1;
        if dirty.remapped {
            // Fixed code is trusted without registration, by its blocks and by look-ahead from elsewhere.
            let touches_fixed = self
                .space
                .all()
                .iter()
                .any(|r| r.exec && r.is_fixed() && r.start < dirty.end && dirty.start < r.end);
            if self.read_space_again() {
                return;
            }
            if touches_fixed {
                self.discard_all();
                return;
            }
        }
        for page in sys::pages(dirty.start, dirty.end) {
            while let Some(block) = self.cache.take_from_page(page) {
                self.discard(block);
            }
        }
    }

    /// Reads the mappings again. If code has appeared that agrees with other code in the low half of its addresses,
    /// everything is discarded, as nothing in the cache could tell the two apart; true if so.
    pub(crate) fn read_space_again(&mut self) -> bool {
        self.space.refresh();
        self.discard_if_confused()
    }

    /// The second half of `read_space_again`.
    pub(crate) fn discard_if_confused(&mut self) -> bool {
        let confused = self.low_halves_unique && !self.space.low_halves_unique();
        if confused {
            self.discard_all();
        }
        confused
    }

    fn discard(&mut self, id: u32) {
        let block = self.cache.blocks[id];
        if !block.valid {
            return;
        }
        self.tally.discarded_blocks += 1;
        if !self.cache.has_room() || self.links.room() == 0 {
            self.discard_all();
            return;
        }
        self.unbind_all(id);
        self.cache.forget(id);
        if block.pad != NONE {
            self.remove_pad(block.pad);
        }
        // A link of its own replaces the head.
        let site = block.code + 1;
        let (_, stub) = self.link_stub(site, block.start, LinkKind::Branch);
        let mut head = Cursor { at: block.code, end: block.code + u64::from(JMP_LEN) };
        head.jmp(stub);
    }

    /// Discards everything. Counters are added up first.
    pub(crate) fn discard_all(&mut self) {
        self.tally.flushes += 1;
        self.keep_counts();
        self.cache.clear();
        self.links.clear();
        self.pads.clear();
        if let Some(accumulator) = &mut self.accumulator {
            accumulator.clear();
        }
        self.low_halves_unique = self.space.low_halves_unique();
        // SAFETY: the context lives as long as the translator.
        let rsp = unsafe { (*self.arena.context).regs[crate::context::RSP] };
        self.prepare(rsp);
    }
}

fn writable(region: &Region) -> Option<u64> {
    if !region.write {
        return None;
    }
    let exec = if region.exec { sys::EXEC } else { 0 };
    Some(sys::READ | sys::WRITE | exec)
}
