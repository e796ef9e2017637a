//! Direct branches between translations.
//!
//! Invariants: each link has a stub in the cold part that brings its number to the dispatcher; its site jumps either to
//! that stub or straight to the translation of its target. A bound link is in the target's list of incoming links, so
//! discarding a block can send every jump to it back to the stubs.
#![allow(clippy::cast_possible_truncation, reason = "the cache is smaller than 4 GB")]

use crate::cache::NONE;
use crate::emit;
use crate::memory::Table;
use crate::translate::Translator;

pub(crate) const MAX_LINKS: usize = 1 << 22;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkKind {
    Branch,
    /// A branch of generated code that may be a transfer to a file's: it is never bound.
    Transfer,
    /// In front of a system call, whose instruction is at the link's site.
    Syscall,
    /// Back from a system call, with something to attend to.
    AfterSyscall,
    /// The stack pointer left the stack it was on.
    StackLeft,
    /// The target can't be translated and is to be left for the processor to run.
    Foreign,
}

/// Addresses in the cache are kept relative to `Links::base`, as there are many links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) target: u64,
    /// The displacement to patch, of a branch.
    site: u32,
    stub: u32,
    /// The block it is bound to, or `NONE`.
    to: u32,
    /// The next link in the list of that block.
    next: u32,
    pub(crate) kind: LinkKind,
}

pub(crate) struct Links {
    table: Table<Link>,
    base: u64,
}

impl Links {
    pub(crate) fn new(base: u64) -> Option<Self> {
        Some(Self { table: Table::new(MAX_LINKS)?, base })
    }

    /// The address a link belongs to in the cache.
    pub(crate) fn site(&self, link: &Link) -> u64 {
        self.base + u64::from(link.site)
    }

    pub(crate) fn get(&self, id: u32) -> Link {
        self.table[id]
    }

    pub(crate) fn room(&self) -> usize {
        self.table.room()
    }

    pub(crate) fn clear(&mut self) {
        self.table.clear();
    }
}

impl Translator {
    /// Makes the displacement at `site` lead to `target`, at once if it is translated.
    pub(crate) fn link(&mut self, site: u64, target: u64) {
        let (id, stub) = self.link_stub(site, target, LinkKind::Branch);
        emit::retarget(site, stub);
        if let Some(block) = self.cache.at(target).filter(|_| !self.is_gate(target)) {
            self.bind(id, block);
        }
    }

    /// Emits a stub for a new link; returns its number and address. `site` is 0 where nothing belongs to it.
    pub(crate) fn link_stub(&mut self, site: u64, target: u64, kind: LinkKind) -> (u32, u64) {
        let slots = self.slots();
        let stub = self.cache.cold.at;
        let base = self.links.base;
        let id = self.links.table.push(Link {
            target,
            site: site.wrapping_sub(base) as u32,
            stub: (stub - base) as u32,
            to: NONE,
            next: NONE,
            kind,
        });
        self.cache.cold.store_imm(slots.exit_id, id);
        self.cache.cold.jmp_through(slots.link_entry);
        (id, stub)
    }

    /// Lets a link jump to a block.
    pub(crate) fn bind(&mut self, id: u32, block: u32) {
        let b = &mut self.cache.blocks[block];
        let link = &mut self.links.table[id];
        if link.to != NONE {
            return;
        }
        link.to = block;
        link.next = b.incoming;
        b.incoming = id;
        emit::retarget(self.links.base + u64::from(link.site), b.code);
    }

    /// Sends all links to a block back to their stubs.
    pub(crate) fn unbind_all(&mut self, block: u32) {
        let base = self.links.base;
        let mut id = core::mem::replace(&mut self.cache.blocks[block].incoming, NONE);
        while id != NONE {
            let link = &mut self.links.table[id];
            emit::retarget(base + u64::from(link.site), base + u64::from(link.stub));
            link.to = NONE;
            id = core::mem::replace(&mut link.next, NONE);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code, reason = "the tests look at the code that was written")]

    use super::*;
    use crate::session::Options;
    use crate::sys;
    use crate::translate::MAX_CHAIN;

    /// Where the jump of a link leads.
    fn leads_to(t: &Translator, id: u32) -> u64 {
        let site = t.links.site(&t.links.get(id));
        // SAFETY: the displacement of a jump in the code cache.
        let displacement = unsafe { (site as *const i32).read_unaligned() };
        (site + 4).wrapping_add_signed(i64::from(displacement))
    }

    #[test]
    fn a_link_follows_its_target() {
        let page = sys::map(0, sys::PAGE, sys::READ | sys::WRITE | sys::EXEC).expect("memory");
        // At 0: je 64; je 64; ret. At 64: ret.
        let code = [0x74, 62, 0x74, 60, 0xc3];
        // SAFETY: a fresh page.
        unsafe {
            core::ptr::copy_nonoverlapping(code.as_ptr(), page as *mut u8, code.len());
            ((page + 64) as *mut u8).write(0xc3);
        }
        let here = 0u8;
        let mut t = Translator::new(Options::default(), &raw const here as u64).expect("memory");
        t.block_at(page, false, MAX_CHAIN).expect("code");
        let ids: Vec<u32> = (0..u32::try_from(t.links.table.len()).expect("few"))
            .filter(|id| t.links.get(*id).target == page + 64)
            .collect();
        assert_eq!(ids.len(), 2);
        let stubs: Vec<u64> = ids.iter().map(|id| leads_to(&t, *id)).collect();
        assert_ne!(stubs[0], stubs[1]);

        // Translating the target doesn't bind by itself; taking the link does.
        let target = t.block_at(page + 64, false, MAX_CHAIN).expect("code");
        let translation = t.cache.blocks[target].code;
        for id in &ids {
            t.bind(*id, target);
            assert_eq!(leads_to(&t, *id), translation);
        }
        // Binding again changes nothing, and unbinding finds both.
        t.bind(ids[0], target);
        t.unbind_all(target);
        for (id, stub) in ids.iter().zip(stubs) {
            assert_eq!(leads_to(&t, *id), stub);
        }
        sys::unmap(page, sys::PAGE);
    }

    #[test]
    fn a_link_to_translated_code_is_bound_at_once() {
        let page = sys::map(0, sys::PAGE, sys::READ | sys::WRITE | sys::EXEC).expect("memory");
        // At 0: je 0; ret.
        // SAFETY: a fresh page.
        unsafe {
            core::ptr::copy_nonoverlapping([0x74u8, 0xfe, 0xc3].as_ptr(), page as *mut u8, 3)
        };
        let here = 0u8;
        let mut t = Translator::new(Options::default(), &raw const here as u64).expect("memory");
        let block = t.block_at(page, false, MAX_CHAIN).expect("code");
        assert_eq!(leads_to(&t, 0), t.cache.blocks[block].code);
        sys::unmap(page, sys::PAGE);
    }
}
