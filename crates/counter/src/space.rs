//! The address space as the kernel reports it: which code may be translated, and which of it may change.
//!
//! Invariants: the list is sorted and free of overlaps. It may be older than the truth; the system calls of the measured
//! thread keep it right (`syscalls`), changes by other threads arrive through `guard`, and an address that is not in it
//! makes it be read again.
#![allow(unsafe_code, reason = "the file is read into a buffer that this module maps")]

use crate::guard::GUARD;
use crate::memory::Table;
use crate::sys;
use core::cell::Cell;
use core::ops::Range;

/// Regions that fit; V8 and JSC stay below two thousand, and each page of guarded code can split one.
const CAPACITY: usize = 1 << 17;
/// What the low half of an address counts up to.
const HALF: u64 = 1 << 32;
/// Room for the text of `/proc/self/maps`.
const TEXT: usize = 32 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) exec: bool,
    pub(crate) shared: bool,
    /// Offset, device and inode of the file; inode 0 is anonymous memory.
    pub(crate) offset: u64,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Stack,
    /// Code that only the guard keeps from being written.
    Guarded,
    /// Code that the kernel provides; it never changes.
    Vdso,
}

impl Region {
    /// Code here can't change without a system call that changes the mapping: a private file mapping without write
    /// permission, or the kernel's own.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.write
            && !self.shared
            && self.kind != Kind::Guarded
            && (self.inode != 0 || self.kind == Kind::Vdso)
    }
}

pub(crate) struct AddressSpace {
    regions: Table<Region>,
    text: u64,
    pub(crate) reads: u64,
    low_halves_unique: bool,
    /// Index of the region that was asked for last: the next question is mostly about the same.
    last: Cell<usize>,
}

impl AddressSpace {
    pub(crate) fn new() -> Option<Self> {
        let mut space = Self {
            regions: Table::new(CAPACITY)?,
            text: sys::map_anywhere(TEXT as u64, sys::READ | sys::WRITE)?,
            reads: 0,
            low_halves_unique: false,
            last: Cell::new(0),
        };
        space.refresh();
        Some(space)
    }

    /// Reads `/proc/self/maps` again.
    pub(crate) fn refresh(&mut self) {
        self.reads += 1;
        self.regions.clear();
        // SAFETY: the mapping is `TEXT` bytes of zeroed memory, used nowhere else.
        let text = unsafe { core::slice::from_raw_parts_mut(self.text as *mut u8, TEXT) };
        let len = sys::read_file(c"/proc/self/maps", text);
        for line in text[..len].split(|b| *b == b'\n') {
            if let Some(mut region) = parse_line(line)
                && self.regions.room() > 0
            {
                // Guarded pages look like ones without write permission.
                let looks_fixed = region.exec && region.is_fixed();
                if looks_fixed && GUARD.knows_any(region.start, region.end) {
                    region.kind = Kind::Guarded;
                }
                self.regions.push(region);
            }
        }
        self.low_halves_unique = self.compare_low_halves();
        self.tell_guard();
    }

    /// Tells the guard where code is.
    pub(crate) fn tell_guard(&self) {
        let code = self.all().iter().filter(|r| r.exec);
        GUARD.know_code(code.map(|r| (r.start, r.end)));
    }

    pub(crate) fn all(&self) -> &[Region] {
        self.regions.as_slice()
    }

    /// The region that holds `addr`, as last read.
    pub(crate) fn known(&self, addr: u64) -> Option<Region> {
        let all = self.all();
        let holds = |r: &&Region| (r.start..r.end).contains(&addr);
        if let Some(region) = all.get(self.last.get()).filter(holds) {
            return Some(*region);
        }
        let index = all.partition_point(|r| r.end <= addr);
        let region = all.get(index).filter(holds)?;
        self.last.set(index);
        Some(*region)
    }

    /// The executable and readable region that holds `addr`, read again if it isn't known as such.
    pub(crate) fn code(&mut self, addr: u64) -> Option<Region> {
        let is_code = |r: &Region| r.exec && r.read;
        if let Some(region) = self.known(addr).filter(is_code) {
            return Some(region);
        }
        self.refresh();
        self.known(addr).filter(is_code)
    }

    /// The end of the run of readable, executable regions that starts with the one holding `addr`, at most `limit` on.
    pub(crate) fn code_end(&self, addr: u64, limit: u64) -> u64 {
        if let Some(region) = self.known(addr)
            && region.exec
            && region.read
            && addr + limit <= region.end
        {
            return addr + limit;
        }
        let all = self.all();
        let mut index = all.partition_point(|r| r.end <= addr);
        let mut end = addr;
        while let Some(r) = all.get(index) {
            if r.start > end || !r.exec || !r.read || end >= addr + limit {
                break;
            }
            end = r.end;
            index += 1;
        }
        end.min(addr + limit)
    }

    /// No two executable addresses agree in their low 32 bits, so comparing those is comparing the whole.
    pub(crate) fn low_halves_unique(&self) -> bool {
        self.low_halves_unique
    }

    /// Whether an address of the range agrees in its low 32 bits with a known executable one elsewhere.
    pub(crate) fn shares_low_half(&self, start: u64, end: u64) -> bool {
        let low = |address: u64| address % HALF;
        let overlap = |a: (u64, u64), b: (u64, u64)| a.0 < b.1 && b.0 < a.1;
        let range = (low(start), low(start) + (end - start));
        let code = self
            .all()
            .iter()
            .filter(|r| r.exec && r.read && !overlap((r.start, r.end), (start, end)));
        range.1 > HALF
            || code
                .map(|r| (low(r.start), low(r.start) + (r.end - r.start)))
                .any(|r| overlap(r, range))
    }

    fn compare_low_halves(&self) -> bool {
        let mut ranges = [(0u64, 0u64); 256];
        let mut len = 0;
        // The last two pages that count are the vdso and vsyscall; the latter can't be read, hence not be translated.
        for r in self.all().iter().filter(|r| r.exec && r.read) {
            let (start, end) = (r.start % HALF, r.start % HALF + (r.end - r.start));
            if end > HALF || len == ranges.len() {
                return false;
            }
            ranges[len] = (start, end);
            len += 1;
        }
        ranges[..len].sort_unstable();
        ranges[..len].windows(2).all(|w| w[0].1 <= w[1].0)
    }
}

/// The mapping that holds an address; empty where there is none.
#[must_use]
pub fn mapping_of(address: u64) -> Range<u64> {
    let region = AddressSpace::new().and_then(|space| space.known(address));
    region.map_or(0..0, |r| r.start..r.end)
}

impl Drop for AddressSpace {
    fn drop(&mut self) {
        sys::unmap(self.text, TEXT as u64);
    }
}

/// `start-end perms offset dev inode path`
fn parse_line(line: &[u8]) -> Option<Region> {
    let mut fields = line.split(|b| *b == b' ').filter(|f| !f.is_empty());
    let mut range = fields.next()?.split(|b| *b == b'-');
    let (start, end) = (number(range.next()?, 16)?, number(range.next()?, 16)?);
    let perms = fields.next()?;
    let offset = number(fields.next()?, 16)?;
    let mut device = fields.next()?.split(|b| *b == b':');
    let device = number(device.next()?, 16)? << 32 | number(device.next()?, 16)?;
    let inode = number(fields.next()?, 10)?;
    let kind = match fields.next() {
        Some(b"[stack]") => Kind::Stack,
        Some(b"[vdso]") => Kind::Vdso,
        _ => Kind::Plain,
    };
    let has = |at: usize, byte| perms.get(at) == Some(&byte);
    Some(Region {
        start,
        end,
        read: has(0, b'r'),
        write: has(1, b'w'),
        exec: has(2, b'x'),
        shared: has(3, b's'),
        offset,
        device,
        inode,
        kind,
    })
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |sum, &d| {
        Some(sum.checked_mul(u64::from(radix))? + u64::from(char::from(d).to_digit(radix)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_understood() {
        let line = b"7f16e7e40000-7f16e7fd2000 r-xp 014c4000 fe:01 5308568                    /some/path with space";
        let r = parse_line(line).expect("a line");
        assert_eq!((r.start, r.end), (0x7f16_e7e4_0000, 0x7f16_e7fd_2000));
        assert_eq!((r.offset, r.device, r.inode), (0x14c_4000, 0xfe << 32 | 1, 5_308_568));
        assert!(r.read && r.exec && !r.write && !r.shared && r.is_fixed());
        assert_eq!(parse_line(b""), None);
        let stack =
            parse_line(b"7ffe0000-7fff0000 rw-p 00000000 00:00 0    [stack]").expect("a line");
        assert_eq!(stack.kind, Kind::Stack);
    }

    #[test]
    fn own_code_is_fixed_and_own_data_is_no_code() {
        let mut space = AddressSpace::new().expect("memory");
        let code = space.code(parse_line as *const () as u64).expect("own code");
        assert!(code.is_fixed());
        let local = 0u8;
        assert_eq!(space.code(&raw const local as u64), None);
        assert!(space.code_end(code.start, 1 << 40) >= code.end);
    }
}
