//! What is held constant for a process: told to the preloaded library, or done here.

use super::caches::give_own_caches;
use super::invocation::Invocation;
use super::scratch::Scratch;
use crate::Fault;
use tiergate_model::Pinned;
use tiergate_protocol::{environment, pin};

/// The kernel makes the bytes at `exec`, and only the process that starts another one can hold it
/// there.
const SEED_NOT_HELD: &str = "`seed`: the engine is started by a program that leaves it to the \
     kernel, or tracing is forbidden here";

/// Prepares a process for which all this is to be held.
///
/// # Errors
/// When its own files can't be made.
pub(super) fn hold(
    held: &[&str],
    invocation: &mut Invocation,
    scratch: &Scratch,
) -> Result<(), Fault> {
    if held.contains(&pin::SEED) {
        invocation.fix_seed();
    }
    if held.contains(&pin::CACHES) {
        give_own_caches(scratch, &mut invocation.command)?;
    }
    if !held.is_empty() {
        invocation.set(environment::PINS, held.join(","));
    }
    Ok(())
}

/// What was held in a process that has ended: what the library reports, and what was done here.
pub(super) fn told(held: &[&str], reported: Option<Pinned>, fixed_seed: bool) -> Option<Pinned> {
    let mut pinned = reported.or_else(|| (!held.is_empty()).then(Pinned::default))?;
    if fixed_seed {
        pinned.held.push(pin::SEED.to_owned());
    } else if held.contains(&pin::SEED) {
        pinned.lifted = Some(SEED_NOT_HELD.to_owned());
    }
    if held.contains(&pin::CACHES) {
        pinned.held.push(pin::CACHES.to_owned());
    }
    Some(pinned)
}

/// The least share of the work, done by others, that is no helper's of the engine: where the gate
/// holds these back there is none of theirs.
pub(super) fn share_elsewhere(held: &[&str]) -> f64 {
    if held.iter().any(|name| name.starts_with(pin::GATE)) { 0.02 } else { 0.3 }
}
