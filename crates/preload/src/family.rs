//! Processor time of the processes that this one has started, and those that they have, while they
//! run.
//!
//! The kernel's account of children has only those that have ended and were waited for. An op whose
//! work is done by a process that was started before the window would be none of it.

use crate::report::Line;
use crate::spent::clock_ns;
use crate::system::{address, call, process_number};
use core::sync::atomic::{AtomicI32, Ordering::Relaxed};
use libc::{c_int, c_long, clockid_t};

/// Processes that are looked at.
const MOST: usize = 256;

/// This process and its descendants. No part of the stack, which garbage collectors search.
static FAMILY: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];

/// Where a directory's entry has its length, and its name.
const LENGTH_AT: usize = 16;
const NAME_AT: usize = 19;

/// The time of all descendants that have not been waited for.
pub(crate) fn running_ns() -> u64 {
    FAMILY[0].store(process_number(), Relaxed);
    let mut known = 1;
    let mut looked_at = 0;
    let mut time = 0;
    while looked_at < known {
        let process = FAMILY[looked_at].load(Relaxed);
        looked_at += 1;
        each_thread(process, |thread| {
            each_child(process, thread, |child| {
                if let Some(place) = FAMILY.get(known) {
                    place.store(child, Relaxed);
                    known += 1;
                    time += clock_ns(clock_of(child));
                }
            });
        });
    }
    time
}

/// The kernel's name for the clock of a process's time (`CPUCLOCK_SCHED`).
const fn clock_of(process: c_int) -> clockid_t {
    (!process << 3) | 2
}

fn each_thread(process: c_int, mut found: impl FnMut(u64)) {
    let path = Line::new("/proc/").number(process.unsigned_abs().into()).text("/task");
    let mut buffer = [0; 1024];
    read_all(path, libc::SYS_getdents64, &mut buffer, |mut entries| {
        while let Some(&[low, high]) = entries.get(LENGTH_AT..LENGTH_AT + 2) {
            let length = usize::from(u16::from_ne_bytes([low, high]));
            let name = entries.get(NAME_AT..length).unwrap_or_default();
            numbers(name, &mut 0, &mut found);
            entries = entries.get(length.max(NAME_AT)..).unwrap_or_default();
        }
    });
}

fn each_child(process: c_int, thread: u64, mut found: impl FnMut(c_int)) {
    let path = Line::new("/proc/").number(process.unsigned_abs().into());
    let path = path.text("/task/").number(thread).text("/children");
    let mut buffer = [0; 512];
    // A number can lie across two pieces.
    let mut begun = 0;
    read_all(path, libc::SYS_read, &mut buffer, |piece| {
        numbers(piece, &mut begun, &mut |child| found(c_int::try_from(child).unwrap_or(0)));
    });
}

/// The decimal numbers of a text, each followed by something else.
fn numbers(text: &[u8], begun: &mut u64, found: &mut impl FnMut(u64)) {
    for byte in text {
        if byte.is_ascii_digit() {
            *begun = begun.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        } else if *begun != 0 {
            found(core::mem::take(begun));
        }
    }
}

/// Reads a file, or a directory's entries, piece by piece; what can't be read is empty.
fn read_all(path: Line, how: c_long, buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    let path = path.terminated();
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    let place = address(path.as_ptr());
    let at = [libc::AT_FDCWD.into(), place, flags.into(), 0, 0, 0];
    // SAFETY: the path is terminated.
    let file = unsafe { call(libc::SYS_openat, at) };
    if file < 0 {
        return;
    }
    loop {
        let room = c_long::try_from(buffer.len()).unwrap_or(0);
        // SAFETY: the buffer has that room, and the file is open.
        let length = unsafe { call(how, [file, address(buffer.as_ptr()), room, 0, 0, 0]) };
        let Some(piece) = usize::try_from(length).ok().and_then(|length| buffer.get(..length))
        else {
            break;
        };
        if piece.is_empty() {
            break;
        }
        take(piece);
    }
    // SAFETY: nobody else knows this descriptor.
    unsafe { call(libc::SYS_close, [file, 0, 0, 0, 0, 0]) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn a_grandchild_that_still_runs_is_of_the_family() {
        let before = running_ns();
        // A shell that waits for another one, which works and tells when it has.
        let work = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo; read x'; true";
        let mut child = Command::new("sh")
            .args(["-c", work])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        assert!(running_ns() > before + 1_000_000);
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn numbers_can_lie_across_pieces() {
        let (mut begun, mut found) = (0, Vec::new());
        for piece in ["12 3", "4 5", " ."] {
            numbers(piece.as_bytes(), &mut begun, &mut |number| found.push(number));
        }
        assert_eq!(found, [12, 34, 5]);
    }
}
