//! From a block of the application's code to its translation.
//!
//! Invariants: a translation does what the original does, to the same registers, flags and memory (below the stack pointer
//! excepted), and counts its block once on the way. Pages that can change are guarded before they are read.
//! Blocks that follow one another in the source are laid out in that order, up to `MAX_CHAIN`, so that the usual way on is
//! the next byte.
#![allow(
    clippy::cast_possible_truncation,
    reason = "offsets inside a block's translation are below 64 KB, see `decode::MAX_INSTRUCTIONS`"
)]

use crate::accumulator::{self, Accumulator};
use crate::arena::Arena;
use crate::cache::{Block, Boundary, CodeCache, NONE, SetAside};
use crate::context::{Context, JUMP_ENTRIES, place};
use crate::counts::Counts;
use crate::decode::{self, Insn, Role};
use crate::emit::RCX;
use crate::flags;
use crate::keys;
use crate::links::{LinkKind, Links};
use crate::memory::Table;
use crate::opcodes::Form;
use crate::pads::{JMP_LEN, Pads};
use crate::report::Tally;
use crate::returns::{Shadow, emit_table_jump};
use crate::session::Options;
use crate::signals::Pending;
use crate::space::AddressSpace;
use crate::sys;
use crate::syscalls::Awaited;
use crate::transfers::Transfers;
use core::mem::offset_of;

/// Blocks translated in one go.
pub(crate) const MAX_CHAIN: usize = 12;
/// Bytes that are surely guarded from a block's start; the page that holds the last of them is decoded to its end.
const READ_AHEAD: u64 = 64;

/// Marks in one window, at most.
const MAX_MARKS: usize = 1 << 16;

pub(crate) struct Translator {
    pub(crate) arena: Arena,
    pub(crate) cache: CodeCache,
    pub(crate) links: Links,
    pub(crate) pads: Pads,
    pub(crate) space: AddressSpace,
    /// `None`: returns go through the jump table.
    pub(crate) shadow: Option<Shadow>,
    /// Where a pad that doesn't match goes in the end.
    pub(crate) miss_stub: u64,
    /// Where a return goes whose shadow doesn't match.
    pub(crate) return_miss: u64,
    /// Offset of the jump table from the gs base.
    pub(crate) jump_offset: u32,
    /// Copy of `AddressSpace::low_halves_unique` that all code in the cache relies on.
    pub(crate) low_halves_unique: bool,
    pub(crate) options: Options,
    pub(crate) tally: Tally,
    pub(crate) pending: Pending,
    /// Protection keys are enabled.
    pub(crate) has_keys: bool,
    /// The next chain has one block only.
    pub(crate) next_chain_is_single: bool,
    /// The original address that the thread is on its way to.
    pub(crate) going_to: u64,
    /// Signals that the program believes blocked, and that the counter needs unblocked.
    pub(crate) hidden_mask: u64,
    /// Instructions counted at each mark.
    pub(crate) marks: Table<u64>,
    pub(crate) counts: Counts,
    /// What keeps the total, where no block is counted for itself.
    pub(crate) accumulator: Option<Accumulator>,
    /// Where transfers from generated code are counted.
    pub(crate) transfers: Option<Transfers>,
    /// The system call that the dispatcher is to look at again when it is done, with its arguments.
    pub(crate) awaited: Option<Awaited>,
    /// The block being translated: in memory of its own, as it is large.
    block: *mut decode::Block,
    slots: Slots,
}

/// Addresses of the context's words, for translated code.
#[derive(Clone, Copy)]
pub(crate) struct Slots {
    pub(crate) spilled_rcx: u64,
    pub(crate) scratch: u64,
    pub(crate) target: u64,
    pub(crate) exit_id: u64,
    pub(crate) place: u64,
    pub(crate) attention: u64,
    pub(crate) link_entry: u64,
    pub(crate) indirect_entry: u64,
    pub(crate) transfer_entry: u64,
}

impl Slots {
    fn of(context: *mut Context) -> Self {
        let at = |offset: usize| context as u64 + offset as u64;
        Self {
            spilled_rcx: at(offset_of!(Context, spilled_rcx)),
            scratch: at(offset_of!(Context, scratch)),
            target: at(offset_of!(Context, target)),
            exit_id: at(offset_of!(Context, exit_id)),
            place: at(offset_of!(Context, place)),
            attention: at(offset_of!(Context, attention)),
            link_entry: at(offset_of!(Context, link_entry)),
            indirect_entry: at(offset_of!(Context, indirect_entry)),
            transfer_entry: at(offset_of!(Context, transfer_entry)),
        }
    }
}

impl Translator {
    /// A translator with nothing translated, for a thread whose stack pointer is `rsp`; `None` when memory or a suitable
    /// gap in the address space is lacking.
    pub(crate) fn new(mut options: Options, rsp: u64) -> Option<Self> {
        let mut space = AddressSpace::new()?;
        if let Some(region) = space.known(options.uncounted_around) {
            options = options.uncounted(region.start..region.end);
        }
        let near = space.all().iter().find(|r| r.exec).map_or(0, |r| r.start);
        let arena = Arena::new(&mut space, near)?;
        let shadow = if options.shadow_returns && std::is_x86_feature_detected!("bmi2") {
            Shadow::new(&space, rsp, arena.end)
        } else {
            None
        };
        let transfers = if options.transfers { Some(Transfers::new()?) } else { None };
        let total_only = options.accumulator && !options.profile && accumulator::is_available();
        let accumulator = total_only.then(|| Accumulator::new(&arena));
        let mut translator = Self {
            cache: CodeCache::new(&arena, options.max_blocks)?,
            links: Links::new(arena.code)?,
            pads: Pads::new()?,
            low_halves_unique: space.low_halves_unique(),
            space,
            shadow,
            miss_stub: 0,
            return_miss: 0,
            jump_offset: u32::try_from(offset_of!(Context, jumps)).ok()?,
            options,
            tally: Tally::new(),
            going_to: 0,
            hidden_mask: 0,
            marks: Table::new(MAX_MARKS)?,
            counts: Counts::new()?,
            accumulator,
            transfers,
            pending: Pending::new(),
            has_keys: keys::enabled(),
            next_chain_is_single: false,
            awaited: None,
            block: decode::Block::allocate()?,
            slots: Slots::of(arena.context),
            arena,
        };
        translator.prepare(rsp);
        Some(translator)
    }

    /// Emits what all translations refer to, into an empty cache.
    pub(crate) fn prepare(&mut self, rsp: u64) {
        self.cache.has_room();
        self.miss_stub = self.cache.cold.at;
        self.cache.cold.jmp_through(self.slots.indirect_entry);
        for entry in 0..JUMP_ENTRIES {
            self.set_jump(entry, self.miss_stub);
        }
        self.prepare_returns(rsp);
    }

    pub(crate) fn slots(&self) -> Slots {
        self.slots
    }

    /// Sets one entry of the jump table.
    #[allow(unsafe_code, reason = "the jump table is shared with translated code")]
    pub(crate) fn set_jump(&mut self, entry: usize, code: u64) {
        // SAFETY: the context lives as long as the arena; the measured thread isn't in translated code.
        unsafe { (*self.arena.context).jumps[entry] = code };
    }

    /// A function that is run as it is, not translated.
    pub(crate) fn is_gate(&self, addr: u64) -> bool {
        self.options.gates.contains(&addr)
    }

    /// Whether the instruction at an original address belongs to the program's count.
    pub(crate) fn is_counted(&self, addr: u64) -> bool {
        !self.options.uncounted.iter().any(|r| r.contains(&addr))
    }

    /// The block at `addr`, translated now if need be; `with_pad` when an indirect branch is on its way there. `None` when
    /// there is no code that could be translated.
    pub(crate) fn block_at(&mut self, addr: u64, with_pad: bool, chain: usize) -> Option<u32> {
        if let Some(block) = self.cache.at(addr) {
            return Some(block);
        }
        keys::reading_all(self.has_keys, || self.translate(addr, with_pad, chain))
    }

    fn translate(&mut self, addr: u64, with_pad: bool, chain: usize) -> Option<u32> {
        self.space.code(addr)?;
        self.discard_if_confused();
        // SAFETY: allocated for this translator; no other reference to it exists, as `translate` doesn't call itself.
        #[allow(unsafe_code, reason = "the decoded block lies in memory of its own")]
        let block = unsafe { &mut *self.block };
        let mut first = None;
        let mut pc = addr;
        for _ in 0..chain {
            let known = self.is_gate(pc) || self.cache.at(pc).is_some();
            if known || !(self.decode(block, pc) || first.is_none() && self.decode_anew(block, pc))
            {
                break;
            }
            block.ways_on(|target| self.cache.fetch(target));
            let pad = (first.is_none() && with_pad).then(|| self.emit_pad(pc));
            let id = self.emit_block(block);
            first.get_or_insert(id);
            if let Some(pad) = pad {
                self.cache.blocks[id].pad = self.insert_pad(pad);
            }
            match self.emit_end(block, id) {
                Some(next) => pc = next,
                None => return first,
            }
        }
        let first = first?;
        let site = self.cache.hot.jmp(self.miss_stub);
        self.link(site, pc);
        Some(first)
    }

    /// Tries again where known code ends in the middle of an instruction: what follows may have become code since the
    /// mappings were read.
    fn decode_anew(&mut self, block: &mut decode::Block, pc: u64) -> bool {
        if pc + decode::LONGEST <= block.readable {
            return false;
        }
        self.read_space_again();
        self.decode(block, pc)
    }

    /// Guards and decodes the block at `pc`.
    fn decode(&mut self, block: &mut decode::Block, pc: u64) -> bool {
        let Some(region) = self.space.known(pc).filter(|r| r.exec && r.read) else {
            return false;
        };
        let mut end = region.end;
        if !region.is_fixed() || pc + READ_AHEAD > region.end {
            end = sys::page_of(pc + READ_AHEAD - 1) + sys::PAGE;
            for page in sys::pages(pc, end) {
                self.guard_page(page);
            }
        }
        block.decode(&self.space, pc, end)
    }

    /// Emits the decoded block up to its last instruction.
    fn emit_block(&mut self, block: &decode::Block) -> u32 {
        let counts = self.is_counted(block.start);
        let placement =
            if self.accumulator.is_some() { Some(0) } else { block.place_counter(&self.space) };
        let insns = block.insns();
        let code = self.cache.hot.at;
        let id = self.cache.add(Block {
            start: block.start,
            end: block.end,
            code,
            code_end: code,
            count: insns.len() as u16,
            reps: insns.iter().filter(|n| n.facts.form == Form::Repeated).count() as u16,
            counted_from: 0,
            valid: true,
            counts,
            keeps_flags: placement.is_none(),
            gives_vector: self.accumulator.is_some()
                && insns.last().is_some_and(|n| n.facts.role == Role::UsesAccumulator),
            syscall: insns.last().is_some_and(|n| n.facts.role == Role::Syscall),
            boundaries: self.cache.boundaries.len() as u32,
            incoming: NONE,
            pad: NONE,
        });
        self.register_pages(id, block.start, block.end);
        let last = insns.len() - 1;
        let copied = if matches!(insns[last].facts.role, Role::Plain | Role::StackLoad) {
            last + 1
        } else {
            last
        };
        let counted_at = placement.unwrap_or(0);
        // Runs of instructions that are copied as they are go in one piece.
        let mut run = block.start;
        for (k, insn) in insns.iter().enumerate() {
            let rewritten = k < copied && insn.facts.displacement != 0;
            if k == counted_at || rewritten || k == copied {
                self.cache.hot.code(run, insn.addr, block.readable);
                run = insn.addr;
            }
            let pending = insn.addr - run;
            self.push_boundary(self.cache.hot.at + pending - code, insn.addr - block.start);
            if k == counted_at {
                self.emit_counter(id, placement.is_some());
                self.cache.blocks[id].counted_from = (self.cache.hot.at - code) as u16;
            }
            if rewritten {
                self.copy(insn);
                run = insn.next();
            }
        }
        if copied > last {
            self.cache.hot.code(run, block.end, block.readable);
        }
        id
    }

    fn push_boundary(&mut self, code: u64, original: u64) {
        self.cache.boundaries.push(Boundary { code: code as u16, original: original as u16 });
    }

    /// An addition to the accumulator; else `inc [counter]`, or its like without flags.
    fn emit_counter(&mut self, id: u32, flags_dead: bool) {
        if let Some(accumulator) = &mut self.accumulator {
            let block = self.cache.blocks[id];
            let (instructions, repeated) =
                if block.counts { (block.count, block.reps) } else { (0, 0) };
            accumulator.emit_add(&mut self.cache.hot, instructions, repeated);
            return;
        }
        let counter = self.cache.counter_of(id);
        let scratch = self.slots.scratch;
        let hot = &mut self.cache.hot;
        if flags_dead {
            hot.rip(&[0x48, 0xff, 0x05], counter, 0);
        } else {
            hot.store(scratch, RCX);
            hot.load(RCX, counter);
            hot.bytes(&[0x48, 0x8d, 0x49, 0x01]); // lea rcx, [rcx + 1]
            hot.store(counter, RCX);
            hot.load(RCX, scratch);
        }
    }

    /// Emits how the block ends. Returns where control goes on if that is to be laid out next.
    fn emit_end(&mut self, block: &decode::Block, id: u32) -> Option<u64> {
        let (start, end) = (block.start, block.end);
        let insn = *block.insns().last()?;
        let watched = self.watches(block);
        let last = self.emit_last(&insn, start, end, watched);
        let here = self.cache.hot.at;
        let b = &mut self.cache.blocks[id];
        b.code_end = match last {
            End::FallsThrough { code_end, .. } | End::Stops { code_end } => code_end,
            End::Leads { .. } | End::Leaves => here,
        };
        let code = match last {
            End::FallsThrough { code_end, .. } | End::Stops { code_end } => {
                (code_end - b.code) as u16
            }
            End::Leads { .. } | End::Leaves => u16::MAX,
        };
        self.cache.boundaries.push(Boundary { code, original: (end - start) as u16 });
        match last {
            End::FallsThrough { .. } => Some(end),
            End::Leads { next } => Some(next),
            End::Stops { .. } | End::Leaves => None,
        }
    }

    fn emit_last(&mut self, insn: &Insn, start: u64, end: u64, watched: bool) -> End {
        match insn.facts.role {
            Role::Plain => self.falls_through(),
            Role::StackLoad => {
                if self.shadow.is_some() {
                    let code_end = self.cache.hot.at;
                    let (_, left) = self.link_stub(0, end, LinkKind::StackLeft);
                    self.emit_stack_check(left);
                    return End::FallsThrough { code_end };
                }
                self.falls_through()
            }
            Role::UsesAccumulator => {
                self.emit_with_vector(insn);
                self.falls_through()
            }
            Role::Syscall => self.emit_syscall(end),
            Role::Jump if watched && self.may_transfer_to(insn.branch_target()) => {
                let site = self.cache.hot.jmp(self.miss_stub);
                self.lead(site, insn.branch_target(), watched);
                End::Leaves
            }
            Role::Jump => End::Leads { next: insn.branch_target() },
            Role::Conditional => {
                let raw = insn.raw();
                let opcode = raw[raw.len() - if decode::is_near(raw) { 5 } else { 2 }];
                let site = self.cache.hot.jcc(opcode & 15, self.miss_stub);
                self.lead(site, insn.branch_target(), watched);
                self.falls_through()
            }
            Role::CountConditional => {
                const JMP_SHORT_LEN: u8 = 2;
                let raw = insn.raw();
                let hot = &mut self.cache.hot;
                hot.bytes(&raw[..raw.len() - 1]);
                hot.bytes(&[JMP_SHORT_LEN, 0xeb, JMP_LEN]);
                let site = hot.jmp(self.miss_stub);
                self.lead(site, insn.branch_target(), watched);
                self.falls_through()
            }
            Role::Call => {
                let site = self.begin_call(end);
                let jump = self.cache.hot.jmp(self.miss_stub);
                self.lead(jump, insn.branch_target(), watched);
                self.end_call(site, end, scope(start, end));
                End::Leads { next: end }
            }
            Role::IndirectCall => {
                let before = self.spill_rcx();
                self.load_branch_operand(insn);
                let site = self.begin_call(end);
                self.end_indirect(before, watched);
                self.end_call(site, end, scope(start, end));
                End::Leads { next: end }
            }
            Role::IndirectJump => {
                let before = self.spill_rcx();
                self.load_branch_operand(insn);
                self.end_indirect(before, watched);
                End::Leaves
            }
            Role::Return => {
                self.emit_return(match *insn.raw() {
                    [.., 0xc2, low, high] => u32::from(u16::from_le_bytes([low, high])),
                    _ => 0,
                });
                End::Leaves
            }
            Role::Trap => {
                self.cache.hot.bytes(insn.raw());
                let code_end = self.cache.hot.at;
                let site = self.cache.hot.jmp(self.miss_stub);
                self.link(site, end);
                End::Stops { code_end }
            }
            Role::Foreign => {
                let (_, stub) = self.link_stub(0, insn.addr, LinkKind::Foreign);
                self.cache.hot.jmp(stub);
                End::Leaves
            }
        }
    }

    /// An instruction that is to find the program's value in the register that counts.
    fn emit_with_vector(&mut self, insn: &Insn) {
        if let Some(accumulator) = &self.accumulator {
            accumulator.emit_give(&mut self.cache.hot);
        }
        if insn.facts.displacement != 0 {
            self.copy(insn);
        } else {
            self.cache.hot.bytes(insn.raw());
        }
        if let Some(accumulator) = &self.accumulator {
            accumulator.emit_take(&mut self.cache.hot);
        }
    }

    /// The system call goes to the dispatcher first, comes back for the instruction itself, and visits the dispatcher
    /// again if something wants attention. The kernel clobbers rcx, so it is free afterwards.
    fn emit_syscall(&mut self, end: u64) -> End {
        let slots = self.slots;
        let waiting = self.cache.hot.at + SYSCALL_EXIT_LEN;
        let (_, stub) = self.link_stub(waiting, end, LinkKind::Syscall);
        let (_, after) = self.link_stub(0, end, LinkKind::AfterSyscall);
        let hot = &mut self.cache.hot;
        hot.jmp(stub);
        debug_assert_eq!(hot.at, waiting);
        hot.bytes(&[0x0f, 0x05]);
        let code_end = hot.at;
        hot.bytes(&[0xb9]); // mov ecx, CACHE
        hot.imm32(place::CACHE as u32);
        // An exchange is a full barrier: a writer that still saw `SYSCALL` has left its mark in `attention` before.
        hot.rip(&[0x48, 0x87, 0x0d], slots.place, 0); // xchg [place], rcx
        hot.load(RCX, slots.attention);
        hot.jrcxz(JMP_LEN);
        hot.jmp(after);
        hot.load_imm(RCX, end);
        End::FallsThrough { code_end }
    }

    fn falls_through(&self) -> End {
        End::FallsThrough { code_end: self.cache.hot.at }
    }

    fn spill_rcx(&mut self) -> u64 {
        self.cache.hot.store(self.slots.spilled_rcx, RCX);
        self.cache.hot.at
    }

    fn end_indirect(&mut self, spilled_from: u64, watched: bool) {
        let hot = &mut self.cache.hot;
        if watched {
            hot.store(self.slots.target, RCX);
            hot.jmp_through(self.slots.transfer_entry);
        } else {
            emit_table_jump(hot, self.slots.target, self.jump_offset);
        }
        self.cache.set_aside.push(SetAside {
            start: spilled_from,
            end: self.cache.hot.at,
            reg: RCX.0,
            slot: self.slots.spilled_rcx,
        });
    }
}

const SYSCALL_EXIT_LEN: u64 = JMP_LEN as u64;

/// How a block's translation ends.
enum End {
    /// At `code_end` the thread is, cleanly, in front of the next original instruction, which is laid out next.
    FallsThrough { code_end: u64 },
    /// Likewise, but nothing is to be laid out.
    Stops { code_end: u64 },
    /// What comes next in the original is at `next`.
    Leads { next: u64 },
    /// It doesn't go on here.
    Leaves,
}

fn scope(start: u64, end: u64) -> flags::Scope {
    flags::Scope { start: sys::page_of(start), end: sys::page_of(end - 1) + sys::PAGE }
}

impl Drop for Translator {
    fn drop(&mut self) {
        decode::Block::free(self.block);
    }
}
