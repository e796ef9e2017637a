//! The trace instrument's part: the engine's traces and our marks in one file, in the order in
//! which they happened.
//!
//! V8 prints its traces to C's `stdout`, JavaScriptCore to `stderr`. That variable gets a stream of
//! our own in its place, and the marks are printed to the very same stream: whatever the buffering,
//! two writes to one stream by one thread keep their order. The program's own output goes to the
//! descriptors 1 and 2, which stay as they are, and so does not come between.

use crate::report::Line;
use crate::system::{process_number, thread_number};
use core::ffi::{CStr, c_char};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};
use libc::FILE;
use tiergate_protocol::{trace, traced};

unsafe extern "C" {
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
}

/// Ours, while this process is traced.
static STREAM: AtomicPtr<FILE> = AtomicPtr::new(null_mut());
/// Marks of the first thread so far.
static MARKS: AtomicU64 = AtomicU64::new(0);

/// Puts our stream in the place of the engine's. To be called while there is one thread.
pub(crate) fn begin(path: &CStr, engines_stream: &CStr) {
    // SAFETY: path and mode are terminated. glibc documents both variables as ones that a program
    // may set, and nothing has printed yet. A null stream is never stored.
    unsafe {
        let stream = libc::fopen(path.as_ptr(), c"ae".as_ptr());
        if stream.is_null() {
            return;
        }
        // A process that is ended from outside then loses no line that it had printed.
        libc::setvbuf(stream, null_mut(), libc::_IOLBF, BUFFER);
        if engines_stream.to_bytes() == traced::STDERR.as_bytes() {
            stderr = stream;
        } else {
            stdout = stream;
        }
        STREAM.store(stream, Relaxed);
    }
}

/// Longer than any line, so that lines stay whole.
const BUFFER: usize = 1 << 16;

/// A mark, armed or not.
pub(crate) fn mark() {
    if is_traced_thread() {
        let number = MARKS.fetch_add(1, Relaxed) + 1;
        print(Line::new(trace::MARK).text(" ").number(number));
    }
}

/// The beginning of a section.
pub(crate) fn arm(section: u64) {
    if is_traced_thread() {
        print(Line::new(trace::ARM).text(" ").number(section));
    }
}

fn is_traced_thread() -> bool {
    !STREAM.load(Relaxed).is_null() && thread_number() == process_number()
}

fn print(line: Line) {
    let text = line.text("\n").terminated();
    // SAFETY: the stream stays open until the process ends, the text is terminated.
    unsafe { libc::fputs(text.as_ptr().cast::<c_char>(), STREAM.load(Relaxed)) };
}
