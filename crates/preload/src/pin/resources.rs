//! Constant resource figures: what the process has used, and what the machine has left. Garbage
//! collectors that scan the stack find such numbers there and may take them for pointers.

use super::{Pin, clock, files, is_main, real};
use crate::report::Line;
use crate::system::{address, call, checked_int};
use libc::{c_int, timeval};

/// Kilobytes that the process is said to use at most.
const LARGEST_RESIDENT: i64 = 100_000;
/// Seconds since the machine's start.
const UPTIME: i64 = 100_000;
/// Processes on the machine.
const PROCESSES: u16 = 100;
/// Pages: of the address space, resident, shared, of code, of libraries, of data, dirty.
const PAGES: &[u8] = b"250000 25000 10000 10000 0 100000 0\n";

/// libc's `getrusage`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrusage(who: c_int, usage: *mut libc::rusage) -> c_int {
    let is_own = matches!(who, libc::RUSAGE_SELF | libc::RUSAGE_THREAD);
    if !Pin::Resources.is_on() || !is_own || usage.is_null() {
        // SAFETY: the kernel checks the arguments.
        return checked_int(unsafe {
            call(libc::SYS_getrusage, [who.into(), address(usage), 0, 0, 0, 0])
        });
    }
    let used = clock::timespec(clock::processor_time(is_main()));
    // SAFETY: zeros are a valid value of this structure of numbers.
    let mut value: libc::rusage = unsafe { core::mem::zeroed() };
    value.ru_utime = timeval { tv_sec: used.tv_sec, tv_usec: used.tv_nsec / 1_000 };
    value.ru_maxrss = LARGEST_RESIDENT;
    // SAFETY: the caller's pointer is valid where it is not null.
    unsafe { usage.write(value) };
    0
}

/// libc's `sysinfo`. The memory's size stays: engines size their heaps by it.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn sysinfo(info: *mut libc::sysinfo) -> c_int {
    // SAFETY: the kernel checks the argument.
    let result = checked_int(unsafe { call(libc::SYS_sysinfo, [address(info), 0, 0, 0, 0, 0]) });
    if result != 0 || !Pin::Resources.is_on() {
        return result;
    }
    // SAFETY: the kernel has just written there.
    if let Some(info) = unsafe { info.as_mut() } {
        info.uptime = UPTIME;
        info.loads = [0; 3];
        info.freeram = info.totalram / 2;
        info.freeswap = info.totalswap;
        info.sharedram = 0;
        info.bufferram = 0;
        info.procs = PROCESSES;
    }
    result
}

/// A file with the constant content of `/proc/self/statm`; `None` where the figures are real.
pub(super) fn pages() -> Option<c_int> {
    Pin::Resources.is_on().then(|| file_of(PAGES)).flatten()
}

/// A file like `/proc/meminfo`, by which half of the memory is left; `None` where the figures are
/// real.
pub(super) fn memory() -> Option<c_int> {
    if !Pin::Resources.is_on() {
        return None;
    }
    // SAFETY: zeros are a valid value of this structure of numbers.
    let mut info: libc::sysinfo = unsafe { core::mem::zeroed() };
    // SAFETY: the place is valid.
    unsafe { call(libc::SYS_sysinfo, [address(&raw mut info), 0, 0, 0, 0, 0]) };
    let kilobytes = |units: u64| units * u64::from(info.mem_unit) / 1_024;
    let (total, swap) = (kilobytes(info.totalram), kilobytes(info.totalswap));
    let figures = [
        ("MemTotal:", total),
        ("MemFree:", total / 2),
        ("MemAvailable:", total / 2),
        ("Buffers:", 0),
        ("Cached:", 0),
        ("SwapCached:", 0),
        ("SwapTotal:", swap),
        ("SwapFree:", swap),
        ("Shmem:", 0),
        ("SReclaimable:", 0),
    ];
    let text = figures.into_iter().fold(Line::new(""), |text, (name, figure)| {
        text.text(name).text(" ").number(figure).text(" kB\n")
    });
    file_of(text.bytes())
}

fn file_of(content: &[u8]) -> Option<c_int> {
    let file = new_file()?;
    write_at(file, content, 0).then_some(file)
}

/// A new file in memory, to be read from its beginning.
pub(super) fn new_file() -> Option<c_int> {
    let name = c"constant";
    let arguments = [address(name.as_ptr()), libc::MFD_CLOEXEC.into(), 0, 0, 0, 0];
    // SAFETY: the name is terminated.
    let file = unsafe { call(libc::SYS_memfd_create, arguments) };
    c_int::try_from(file).ok().filter(|file| *file >= 0)
}

/// Writes without moving the place that is read from. Returns whether it is there.
pub(super) fn write_at(file: c_int, content: &[u8], offset: i64) -> bool {
    let length = i64::try_from(content.len()).unwrap_or(0);
    let arguments = [file.into(), address(content.as_ptr()), length, offset, 0, 0];
    // SAFETY: the content is as long as said.
    unsafe { call(libc::SYS_pwrite64, arguments) == length }
}

/// libc's `fopen`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn fopen(
    path: *const libc::c_char,
    mode: *const libc::c_char,
) -> *mut libc::FILE {
    // SAFETY: the caller's arguments.
    unsafe { files::open_stream(path, mode, &real::FOPEN) }
}

/// libc's `fopen64`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn fopen64(
    path: *const libc::c_char,
    mode: *const libc::c_char,
) -> *mut libc::FILE {
    // SAFETY: the caller's arguments.
    unsafe { files::open_stream(path, mode, &real::FOPEN64) }
}
