//! Counts every user-space instruction that one thread executes between two marks.
//!
//! The crate is a binary translator from x86-64 to x86-64 that lives in the measured process. Before the first mark the
//! program runs natively. At the mark, `Counter::open` prepares an arena, and the thread returns from the marked function
//! into the dispatcher instead of its caller: from there on it executes translations of its code, which do the same and
//! count. At the last mark, `Counter::close` puts everything back, and the thread runs on natively.
//!
//! How it works, from the bottom up: `opcodes` with its tables and `decode` find blocks, `flags` where counting disturbs nothing, `rewrite`
//! copies single instructions, `translate` whole blocks into the `cache`, counted in the `accumulator` or each for itself; `links`, `pads` and `returns` lead from block to
//! block, `entry` and `dispatch` handle what leaves the cache. `guard` and `invalidate` keep translations true when code changes,
//! `transfers` adds to profiles, `signals`, `frame`, `position` and `actions` keep signals true, `syscalls` those system calls that matter. `session` is
//! the public interface, `report` what comes out.
//!
//! Only x86-64 Linux is supported; elsewhere the crate is empty.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod accumulator;
mod actions;
mod alloc;
mod arena;
mod cache;
mod context;
mod counts;
mod decode;
mod dispatch;
mod emit;
mod entry;
mod flags;
mod frame;
mod guard;
mod index;
mod invalidate;
mod keys;
mod links;
mod memory;
mod opcode_tables;
mod opcodes;
mod pads;
mod position;
mod report;
mod returns;
mod rewrite;
mod session;
mod signals;
mod space;
mod sys;
mod syscalls;
mod transfers;
mod translate;

pub use alloc::OwnAllocator;
pub use entry::{Onward, TARGET_OFFSET, go_on_translated};
pub use report::{BlockCount, Incomplete, Observations, Profile};
pub use session::{Counter, Options, Refusal};
pub use space::mapping_of;
pub use transfers::Transfer;
