//! Whether something outside of this process can end a wait: then time must not be skipped.

use crate::system::call;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether the process has ever connected to, or been reached by, anything.
static CONNECTED: AtomicBool = AtomicBool::new(false);

/// Notes a connection. Those to this very process count too: they only make waits real.
pub(in super::super) fn note_connection() {
    CONNECTED.store(true, Relaxed);
}

/// Whether there are connections, or children that may end.
pub(super) fn can_act() -> bool {
    CONNECTED.load(Relaxed) || has_children()
}

fn has_children() -> bool {
    const P_ALL: i64 = 0;
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the call without a place for its result only looks, and takes no child's end away.
    let result = unsafe { call(libc::SYS_waitid, [P_ALL, 0, 0, flags.into(), 0, 0]) };
    result == 0
}
