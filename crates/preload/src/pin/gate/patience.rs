//! How long the main thread waits for a turn to return.

use super::ESCAPED;
use super::helper::Helper;
use crate::system::{address, call};
use core::sync::atomic::Ordering::Relaxed;
use libc::timespec;

/// One look at a helper that has not returned.
const LOOK: timespec = timespec { tv_sec: 0, tv_nsec: 10_000_000 };
/// Looks at a sleeping thread before it is taken to be blocked elsewhere.
const LOOKS_ASLEEP: u32 = 10;
/// Looks at a running thread before it is taken to wait for the main thread in a loop, or to run
/// without end.
const LOOKS_RUNNING: u32 = 500;

/// Waits for the turn to return; leaves the helper to itself when it does not.
pub(super) fn await_return(helper: &Helper) {
    if helper.is_elsewhere.load(Relaxed) {
        helper.has_returned();
        return;
    }
    let (mut asleep, mut running) = (0, 0);
    while !helper.await_return(&LOOK) {
        // Under load a thread that could run waits long for a processor: its state, not the time,
        // tells whether it is blocked.
        let thread = helper.thread.load(Relaxed);
        // Without a number it has not begun yet.
        if thread == 0 || is_runnable(thread) {
            asleep = 0;
            running += 1;
        } else {
            asleep += 1;
        }
        if asleep >= LOOKS_ASLEEP || running >= LOOKS_RUNNING {
            helper.is_elsewhere.store(true, Relaxed);
            ESCAPED.fetch_add(1, Relaxed);
            return;
        }
    }
}

/// Whether the kernel says that the thread runs, could run, or waits for a disk.
pub(super) fn is_runnable(thread: i32) -> bool {
    let mut path = *b"/proc/self/task/0000000000/stat\0";
    let mut number = thread.unsigned_abs();
    for digit in path[16..26].iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
    // The kernel takes numbers without leading zeros only.
    let zeros = path[16..26].iter().take_while(|digit| **digit == b'0').count().min(9);
    path.copy_within(16 + zeros.., 16);
    let mut content = [0_u8; 128];
    let length = read(&path, &mut content);
    let content = content.get(..length).unwrap_or(&[]);
    // The state follows the name, which is in brackets and can itself hold any character.
    let name_end = content.iter().rposition(|byte| *byte == b')');
    let state = name_end.and_then(|end| content.get(end + 2));
    matches!(state, Some(b'R' | b'D'))
}

fn read(path: &[u8], content: &mut [u8; 128]) -> usize {
    // SAFETY: the path is terminated, the buffer as long as said, the descriptor closed once.
    unsafe {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let arguments = [libc::AT_FDCWD.into(), address(path.as_ptr()), flags.into(), 0, 0, 0];
        let file = call(libc::SYS_openat, arguments);
        if file < 0 {
            return 0;
        }
        let length = call(libc::SYS_read, [file, address(content.as_mut_ptr()), 128, 0, 0, 0]);
        call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        usize::try_from(length).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::thread_number;
    use std::sync::mpsc;

    #[test]
    fn a_thread_that_has_not_begun_yet_is_not_taken_to_be_asleep() {
        let helper = std::sync::Arc::new(Helper::new());
        assert!(helper.take());
        helper.begin();
        let late = std::thread::spawn({
            let helper = std::sync::Arc::clone(&helper);
            move || {
                std::thread::sleep(core::time::Duration::from_millis(400));
                helper.leave();
            }
        });
        await_return(&helper);
        assert!(!helper.is_elsewhere.load(Relaxed) && !helper.is_out.load(Relaxed));
        late.join().unwrap();
    }

    #[test]
    fn sleeping_and_running_threads_are_told_apart() {
        assert!(is_runnable(thread_number()));
        let (ours, theirs) = mpsc::channel();
        let (_keep, never) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            ours.send(thread_number()).unwrap();
            never.recv()
        });
        let thread = theirs.recv().unwrap();
        let sleeps = (0..500).any(|_| {
            std::thread::sleep(core::time::Duration::from_millis(2));
            !is_runnable(thread)
        });
        assert!(sleeps);
        assert!(!is_runnable(0));
    }
}
