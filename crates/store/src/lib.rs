//! Result files, baselines and locks on disk.
//!
//! Readers trust nothing: a file that is cut off, of another version, or at odds with itself is an
//! error that names it. Writers replace a file in one step.

mod acceptances;
mod baseline;
mod error;
mod files;
mod gate;
mod lock;
mod result;
mod schema;

pub use acceptances::{Acceptance, Acceptances};
pub use baseline::Baselines;
pub use error::StoreError;
pub use files::Loaded;
pub use gate::{Accepted, GATE_VERSION, GateFolder, GateRecord, GateResults, GateSide};
pub use lock::{Lock, LockEntry, lock_engine, merge_into_lock};
pub use result::{parse_result, read_result, write_result};
pub use schema::result_schema;
