//! Whether something outside of this process can end a wait: then time must not be skipped.

use crate::environment::variable;
use crate::system::{address, call};
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

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

/// The descriptor by which the program that has started this one speaks with it; -1 for none.
static CHANNEL: AtomicI32 = AtomicI32::new(-1);

/// Where Node is told the descriptor.
const CHANNEL_VARIABLE: &str = "NODE_CHANNEL_FD";

/// Looks for a channel. To be called while the dynamic loader initialises libraries.
pub(super) fn find_channel() {
    let value = variable(CHANNEL_VARIABLE).and_then(|value| value.to_str().ok()?.parse().ok());
    CHANNEL.store(value.unwrap_or(-1), Relaxed);
}

/// Whether the channel is still open.
pub(super) fn may_send() -> bool {
    let channel = CHANNEL.load(Relaxed);
    channel >= 0 && is_socket(channel)
}

fn is_socket(file: i32) -> bool {
    let mut status = core::mem::MaybeUninit::<libc::stat>::uninit();
    let arguments = [file.into(), address(status.as_mut_ptr()), 0, 0, 0, 0];
    // SAFETY: the place is as large as what the kernel writes.
    let result = unsafe { call(libc::SYS_fstat, arguments) };
    // SAFETY: it is written where the call succeeds.
    result == 0 && unsafe { status.assume_init() }.st_mode & libc::S_IFMT == libc::S_IFSOCK
}

fn has_children() -> bool {
    const P_ALL: i64 = 0;
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the call without a place for its result only looks, and takes no child's end away.
    let result = unsafe { call(libc::SYS_waitid, [P_ALL, 0, 0, flags.into(), 0, 0]) };
    result == 0
}
