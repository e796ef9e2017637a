//! One fresh, pinned process per reading.
//!
//! [`harness`] is what runs inside the engine, [`process`] starts and ends engines,
//! [`instrument`] counts, an [`executor`] puts them together for one bench file, one sizing run
//! or one reading, [`run`] takes all readings of all benches, and
//! [`pairs`] those of two sides that are compared. A [`profile`] says where a window's instructions
//! went.

pub mod executor;
mod fault;
pub mod fingerprint;
pub mod harness;
pub mod instrument;
mod marks;
pub mod pairs;
pub mod process;
pub mod profile;
pub mod run;
pub mod trace;

pub use fault::Fault;
