//! The library that is loaded into the engine's process with `LD_PRELOAD`. It overrides the two
//! libc functions that make up the marks, and tells the instrument when the window opens and
//! closes; and those whose answers would differ between two runs, or which the counter must know of.
//!
//! Invariants:
//! - In every process that was not started to be measured the overridden functions do what libc's
//!   do and nothing else; so do the marks' before a section is armed.
//! - Nothing here allocates, locks or starts a thread: the engine's heap and threads are as they
//!   would be without the library.
//! - Between two marks there are no system calls of the library's own but those that switch the
//!   kernel's counter on and off.
//! - What the library itself reads of the system, it reads by system calls of its own: libc's
//!   functions may be its own overrides.

#![allow(unsafe_code, reason = "overrides libc functions and talks to instruments in assembly")]

mod callgrind;
mod counter;
mod environment;
mod family;
mod mappings;
mod masks;
mod opened;
mod overrides;
mod perf;
mod pin;
mod plan;
#[cfg(target_arch = "x86_64")]
mod profile;
mod report;
mod section;
mod spent;
mod system;
mod trace;

/// What the counter's tables need never comes from the engine's own heap.
#[cfg(target_arch = "x86_64")]
#[global_allocator]
static ALLOCATOR: tiergate_counter::OwnAllocator = tiergate_counter::OwnAllocator::new();
