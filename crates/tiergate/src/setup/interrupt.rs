//! Signals that end a run early.

use crate::failure::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tiergate_model::ExitStatus;

/// A flag that the first interrupt sets, so that what is measured is kept; the second one ends
/// the process at once, and the engines with it.
pub(crate) fn interrupt_flag() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let code = i32::from(ExitStatus::Interrupted.code());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, code, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .map_err(|error| Failure::incomplete(format!("can't listen for signals: {error}")))?;
    }
    Ok(interrupted)
}
