//! The report: lines appended to a file, written outside of windows only. Formatted by hand,
//! because formatting through `std` can allocate from the engine's heap.

use core::ffi::CStr;

/// Bytes that a line can have.
const LONGEST: usize = 320;

/// A line under construction. What does not fit is cut; no line comes near the limit.
pub(crate) struct Line {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Line {
    pub(crate) fn new(word: &str) -> Self {
        Self { bytes: [0; LONGEST], length: 0 }.text(word)
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        for &byte in text.as_bytes() {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
        self
    }

    pub(crate) fn number(self, mut number: u64) -> Self {
        let mut digits = [b'0'; 20];
        let mut first = digits.len() - 1;
        for place in (0..digits.len()).rev() {
            digits[place] = b'0' + u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
            first = place;
            if number == 0 {
                break;
            }
        }
        self.text(core::str::from_utf8(&digits[first..]).unwrap_or("?"))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }

    /// The line with a zero at its end.
    pub(crate) fn terminated(mut self) -> [u8; LONGEST] {
        let end = self.length.min(self.bytes.len() - 1);
        self.bytes[end] = 0;
        self.bytes
    }

    /// Appends the line to the file. An error can't be told to anyone from here; the launcher
    /// finds the line missing and calls the reading incomplete.
    pub(crate) fn append_to(self, path: &CStr) {
        let line = self.text("\n");
        // SAFETY: the path is terminated, the buffer is as long as said, and the descriptor is
        // closed once. `open` with O_CREAT takes the mode as its third argument.
        unsafe {
            let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
            let file = libc::open(path.as_ptr(), flags, 0o600);
            if file >= 0 {
                libc::write(file, line.bytes.as_ptr().cast(), line.length);
                libc::close(file);
            }
        }
    }
}
