//! Signals that end a run early.

use crate::failure::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tiergate_model::ExitStatus;

/// A flag that ends all processes: it is set by an interruption, and when the time is up.
pub(crate) fn stop_after(
    limit: Option<Duration>,
    interrupted: &Arc<AtomicBool>,
) -> Result<Arc<AtomicBool>, Failure> {
    let Some(limit) = limit else { return Ok(Arc::clone(interrupted)) };
    let stop = Arc::new(AtomicBool::new(interrupted.load(Ordering::Relaxed)));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&stop)).map_err(deaf)?;
    }
    let at_the_end = Arc::clone(&stop);
    // It sleeps beside the readings and wakes once.
    thread::spawn(move || {
        thread::sleep(limit);
        at_the_end.store(true, Ordering::Relaxed);
    });
    Ok(stop)
}

fn deaf(error: io::Error) -> Failure {
    Failure::incomplete(format!("can't listen for signals: {error}"))
}

/// A flag that the first interrupt sets, so that what is measured is kept; the second one ends
/// the process at once, and the engines with it.
pub(crate) fn interrupt_flag() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let code = i32::from(ExitStatus::Interrupted.code());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, code, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .map_err(deaf)?;
    }
    Ok(interrupted)
}
