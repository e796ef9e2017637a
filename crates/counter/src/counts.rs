//! From counters to instructions.
//!
//! Invariant: the sum over all rows of instructions times executions is the number of instructions executed, at any moment
//! at which no program counter is inside a block. Counting a block counts the whole block; one that was left in the middle,
//! by a fault or because its page changed, is corrected here. Where only the total is kept (`accumulator`) there are no rows.

use crate::cache::{Block, MAX_BLOCKS};
use crate::decode;
use crate::memory::Table;
use crate::position::Position;
use crate::report::BlockCount;
use crate::translate::Translator;
use std::collections::BTreeMap;

const MAX_LEFT: usize = 1 << 20;

/// What doesn't come from the counters of present blocks.
pub(crate) struct Counts {
    /// Blocks that are gone.
    gone: Table<BlockCount>,
    pub(crate) blocks_gone: u64,
    repeated_gone: u64,
    /// Blocks left in the middle.
    left: Table<Left>,
    /// The sum of `gone` and `left`, which stays right when their tables are full.
    instructions: u64,
}

#[derive(Clone, Copy)]
struct Left {
    start: u64,
    end: u64,
    count: u16,
    /// The first instruction that was not executed.
    at: u64,
    done: u16,
    counted: bool,
}

impl Counts {
    pub(crate) fn new() -> Option<Self> {
        Some(Self {
            gone: Table::new(MAX_BLOCKS * 4)?,
            blocks_gone: 0,
            repeated_gone: 0,
            left: Table::new(MAX_LEFT)?,
            instructions: 0,
        })
    }
}

impl Translator {
    /// Blocks that count and have run, where each is counted for itself.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Block, u64)> + '_ {
        let counted = if self.accumulator.is_none() { self.cache.blocks.as_slice() } else { &[] };
        let blocks = counted.iter().copied().zip(0u32..);
        blocks
            .map(|(b, id)| (b, self.cache.executions(id)))
            .filter(|(b, executions)| b.counts && *executions > 0)
    }

    /// Instructions so far; to be asked while the program has its own registers.
    pub(crate) fn instructions(&self) -> u64 {
        let counted: u64 = match &self.accumulator {
            Some(accumulator) => accumulator.sums()[0],
            None => self.rows().map(|(b, n)| u64::from(b.count) * n).sum(),
        };
        self.counts.instructions.wrapping_add(counted)
    }

    /// Executions of instructions with a repeat prefix so far.
    pub(crate) fn repeated_instructions(&self) -> u64 {
        let counted: u64 = match &self.accumulator {
            Some(accumulator) => accumulator.sums()[1],
            None => self.rows().map(|(b, n)| u64::from(b.reps) * n).sum(),
        };
        self.counts.repeated_gone + counted
    }

    /// Takes over the counts of all blocks before they are discarded.
    pub(crate) fn keep_counts(&mut self) {
        let counted = if self.accumulator.is_none() { self.cache.blocks.len() } else { 0 };
        for id in 0..counted {
            let id = u32::try_from(id).unwrap_or(u32::MAX);
            let block = self.cache.blocks[id];
            let executions = self.cache.executions(id);
            if !block.counts || executions == 0 {
                continue;
            }
            self.counts.instructions =
                self.counts.instructions.wrapping_add(u64::from(block.count) * executions);
            self.counts.repeated_gone += u64::from(block.reps) * executions;
            if self.counts.gone.room() > 0 {
                self.counts.gone.push(row(&block, executions));
            }
        }
        self.counts.blocks_gone += self.cache.blocks.len() as u64;
    }

    /// The thread leaves a block at this position, not to come back.
    pub(crate) fn leave_block(&mut self, position: Position) {
        let block = self.cache.blocks[position.block];
        self.leave(&block, &position);
    }

    /// The same for a block that may have been discarded by now.
    pub(crate) fn leave(&mut self, block: &Block, position: &Position) {
        if !block.counts {
            return;
        }
        self.note_left(Left {
            start: block.start,
            end: block.end,
            count: block.count,
            at: position.original,
            done: position.done,
            counted: position.counted,
        });
    }

    /// The instruction at `addr` was executed by itself.
    pub(crate) fn count_alone(&mut self, addr: u64) {
        if self.is_counted(addr) {
            self.note_left(Left {
                start: addr,
                end: addr,
                count: 1,
                at: addr,
                done: 1,
                counted: false,
            });
        }
    }

    fn note_left(&mut self, left: Left) {
        let whole = if left.counted { u64::from(left.count) } else { 0 };
        let counts = &mut self.counts;
        counts.instructions =
            counts.instructions.wrapping_add(u64::from(left.done)).wrapping_sub(whole);
        if counts.left.room() > 0 {
            counts.left.push(left);
        }
    }

    /// Executions of each block, in the order of their addresses; an address can be in several rows. None where only the
    /// total is kept.
    pub(crate) fn profile(&self) -> Vec<BlockCount> {
        if self.accumulator.is_some() {
            return Vec::new();
        }
        // A piece of code can have been translated several times.
        let mut executions = BTreeMap::<(u64, u64, u32), u64>::new();
        let gone = self.counts.gone.as_slice().iter().copied();
        for r in gone.chain(self.rows().map(|(b, n)| row(&b, n))) {
            *executions.entry((r.start, r.end, r.instructions)).or_default() += r.executions;
        }
        for left in self.counts.left.as_slice() {
            if left.counted
                && let Some(n) = executions.get_mut(&(left.start, left.end, u32::from(left.count)))
            {
                *n -= 1;
            }
            let end = if left.start == left.end {
                left.start + decode::length_at(left.start)
            } else {
                left.at
            };
            if left.done > 0 {
                *executions.entry((left.start, end, u32::from(left.done))).or_default() += 1;
            }
        }
        executions
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|((start, end, instructions), executions)| BlockCount {
                start,
                end,
                instructions,
                executions,
            })
            .collect()
    }
}

fn row(block: &Block, executions: u64) -> BlockCount {
    BlockCount {
        start: block.start,
        end: block.end,
        instructions: u32::from(block.count),
        executions,
    }
}
