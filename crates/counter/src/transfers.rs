//! Transfers from generated code to code of files, for profiles.
//!
//! What an engine generates lies in memory that can change, what it was built of in mappings of files that can't. A branch
//! from the one to what is, or may be, the other visits the dispatcher each time, where it is counted by its target; returns
//! are no transfers. So counting them is slow, but exact, and the instructions counted are the same as without.
//!
//! Invariant: no link and no pad leads from generated code to code of files while transfers are counted.

use crate::decode::Block;
use crate::emit;
use crate::links::LinkKind;
use crate::memory::{AddrMap, Table};
use crate::translate::Translator;

const MAX_TARGETS: usize = 1 << 18;

/// How often control went from generated code to an address in a file's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The address.
    pub target: u64,
    /// How often.
    pub count: u64,
}

/// Present where transfers are counted.
pub(crate) struct Transfers {
    places: AddrMap,
    counts: Table<Transfer>,
}

impl Transfers {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { places: AddrMap::new(10)?, counts: Table::new(MAX_TARGETS)? })
    }

    fn add(&mut self, target: u64) {
        if let Some(place) = self.places.get(target) {
            self.counts[place].count += 1;
        } else if self.counts.room() > 0 {
            self.places.insert(target, self.counts.push(Transfer { target, count: 1 }));
        }
    }

    /// In the order of their addresses.
    pub(crate) fn sorted(&self) -> Vec<Transfer> {
        let mut all = self.counts.as_slice().to_vec();
        all.sort_unstable_by_key(|one| one.target);
        all
    }
}

impl Translator {
    /// Whether branches of a block are to be looked at: it is generated code, and transfers are counted.
    pub(crate) fn watches(&self, block: &Block) -> bool {
        self.transfers.is_some() && self.space.known(block.start).is_some_and(|r| !r.is_fixed())
    }

    /// Whether a direct branch may be a transfer.
    pub(crate) fn may_transfer_to(&self, target: u64) -> bool {
        self.space.known(target).is_none_or(|region| region.is_fixed())
    }

    /// Makes the displacement at `site`, of a branch in a block that is `watched` or not, lead to `target`.
    pub(crate) fn lead(&mut self, site: u64, target: u64, watched: bool) {
        if watched && self.may_transfer_to(target) {
            let (_, stub) = self.link_stub(0, target, LinkKind::Transfer);
            emit::retarget(site, stub);
        } else {
            self.link(site, target);
        }
    }

    /// A branch of generated code goes to `target`, whose mapping has been looked up.
    pub(crate) fn note_transfer(&mut self, target: u64) {
        let is_file = self.space.known(target).is_some_and(|region| region.is_fixed());
        if let Some(transfers) = self.transfers.as_mut().filter(|_| is_file) {
            transfers.add(target);
        }
    }
}
