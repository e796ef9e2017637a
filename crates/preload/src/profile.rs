//! The counter's profile of a section, written to a file: which code was executed how often.

use core::ffi::CStr;
use std::fmt::Write;
use tiergate_counter::{BlockCount, Profile, Transfer};
use tiergate_protocol::profile;

/// Writes the mappings of code, the executions of every block, and the transfers. An error can't be told to anyone
/// from here; the launcher finds the file missing or without its last line.
pub(crate) fn write(path: &CStr, found: &Profile) {
    let mut text = format!("{}\n", profile::HEADER);
    for line in std::fs::read_to_string("/proc/self/maps").unwrap_or_default().lines() {
        let is_code = line.split(' ').nth(1).is_some_and(|rights| rights.contains('x'));
        if is_code {
            // Writing to a string can't fail; so below.
            let _ = writeln!(text, "{} {line}", profile::MAPPING);
        }
    }
    for block in &found.blocks {
        let BlockCount { start, end, instructions, executions } = block;
        let _ = writeln!(text, "{} {start:x} {end:x} {instructions} {executions}", profile::BLOCK);
    }
    for Transfer { target, count } in &found.transfers {
        let _ = writeln!(text, "{} {target:x} {count}", profile::TRANSFER);
    }
    let _ = writeln!(text, "{}", profile::END);
    append(path, text.as_bytes());
}

fn append(path: &CStr, mut bytes: &[u8]) {
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
    // SAFETY: the path is terminated; `open` with O_CREAT takes the mode as its third argument.
    let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
    while file >= 0 && !bytes.is_empty() {
        // SAFETY: the buffer is as long as said.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => bytes = bytes.get(written..).unwrap_or_default(),
            _ => break,
        }
    }
    // SAFETY: the descriptor is this function's own, and closed once; an invalid one is refused.
    unsafe { libc::close(file) };
}
