//! A library to preload into a program, which counts between two calls of `getrusage` by the main thread.
//!
//! `TIERGATE_DRIVER` turns it on and names the file for the report. With `TIERGATE_DRIVER_MODE=plain` it only takes the
//! time, and tells a tracer where the window is (see the example `oracle`). `TIERGATE_DRIVER_SKIP` calls are ignored at first;
//! `TIERGATE_DRIVER_MARKS` is the number of sub-windows (1). `TIERGATE_DRIVER_PROFILE` names a file for the executions of
//! every address, `TIERGATE_DRIVER_BLOCKS` limits the blocks kept, `TIERGATE_DRIVER_RETURNS=table` does without the shadow of the stack, and `TIERGATE_DRIVER_CLOCK=virtual`
//! lets the clocks advance by a microsecond per reading, for counts that don't depend on time.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "functions of libc are interposed")]
#![allow(missing_docs, reason = "the functions are libc's")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "system calls return negative error numbers in registers"
)]

use iced_x86::{Decoder, DecoderOptions};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tiergate_counter::{BlockCount, Counter, Observations, Onward, Options, OwnAllocator};

#[global_allocator]
static ALLOCATOR: OwnAllocator = OwnAllocator::new();

static CALLS: AtomicU64 = AtomicU64::new(0);
static OPENED_AT: AtomicU64 = AtomicU64::new(0);
static CPU_AT: AtomicU64 = AtomicU64::new(0);

tiergate_counter::marked_function!(
    #[unsafe(no_mangle)]
    getrusage => on_getrusage
);

extern "C" fn on_getrusage(who: u64, usage: u64) -> Onward {
    // SAFETY: the program's own system call.
    let result = unsafe { system_call(libc::SYS_getrusage, who, usage) };
    // SAFETY: no arguments, no effect.
    let main_thread = unsafe { libc::getpid() == system_call(libc::SYS_gettid, 0, 0) as i32 };
    let Some(report) = setting(c"TIERGATE_DRIVER").filter(|_| main_thread) else {
        return Onward::native(result);
    };
    let plain = setting(c"TIERGATE_DRIVER_MODE").as_deref() == Some("plain");
    let number = |name| setting(name).and_then(|v| v.parse::<u64>().ok());
    let skip: u64 = number(c"TIERGATE_DRIVER_SKIP").unwrap_or(0);
    let marks: u64 = number(c"TIERGATE_DRIVER_MARKS").unwrap_or(1);
    let call = CALLS.fetch_add(1, Relaxed);
    if call == skip {
        OPENED_AT.store(real_time(libc::CLOCK_MONOTONIC), Relaxed);
        CPU_AT.store(real_time(libc::CLOCK_THREAD_CPUTIME_ID), Relaxed);
        if plain {
            announce(getrusage as *const () as u64);
            return Onward::native(result);
        }
        let returns = setting(c"TIERGATE_DRIVER_RETURNS");
        let options = Options::default()
            .gate(getrusage as *const () as u64)
            .uncounted_around(on_getrusage as *const () as u64)
            .shadow_returns(returns.as_deref() != Some("table"))
            .max_blocks(number(c"TIERGATE_DRIVER_BLOCKS").map_or(usize::MAX, |n| n as usize))
            .on_exit(|o| save("", o, None));
        return match Counter::open(options) {
            Ok(()) => Onward::translated(result),
            Err(refusal) => {
                write_file(&report, &format!("refused: {refusal}\n"));
                Onward::native(result)
            }
        };
    }
    if call > skip && call < skip + marks && Counter::is_open() {
        Counter::mark();
        return Onward::translated(result);
    }
    if call == skip + marks {
        let wall = real_time(libc::CLOCK_MONOTONIC) - OPENED_AT.load(Relaxed);
        let cpu = real_time(libc::CLOCK_THREAD_CPUTIME_ID) - CPU_AT.load(Relaxed);
        let times = format!("wall_us {} cpu_us {}\n", wall / 1000, cpu / 1000);
        if plain {
            write_file(&report, &times);
        } else if let Some((observations, profile)) = Counter::close_with_profile() {
            save(&times, &observations, Some(&profile));
        } else {
            write_file(&report, "no window was open\n");
        }
    }
    Onward::native(result)
}

fn save(times: &str, observations: &Observations, profile: Option<&[BlockCount]>) {
    let Some(report) = setting(c"TIERGATE_DRIVER") else {
        return;
    };
    let mut text = format!("total {}\n{times}", observations.total());
    if let Some(profile) = profile {
        let _ = writeln!(text, "blocks executed {}", profile.len());
    }
    let _ = writeln!(text, "{observations:#?}");
    write_file(&report, &text);
    if let (Some(path), Some(profile)) = (setting(c"TIERGATE_DRIVER_PROFILE"), profile) {
        write_file(&path, &by_address(profile));
    }
}

/// Executions of each instruction, `address count` in hexadecimal and decimal.
fn by_address(profile: &[BlockCount]) -> String {
    let mut counts = BTreeMap::<u64, u64>::new();
    for block in profile {
        let len = (block.end - block.start) as usize;
        // SAFETY: code of this process, still mapped.
        let bytes = unsafe { std::slice::from_raw_parts(block.start as *const u8, len) };
        for i in Decoder::with_ip(64, bytes, block.start, DecoderOptions::NONE) {
            *counts.entry(i.ip()).or_default() += block.executions;
        }
    }
    let mut text = String::new();
    for (address, count) in counts {
        let _ = writeln!(text, "{address:x} {count}");
    }
    text
}

fn setting(name: &CStr) -> Option<String> {
    // SAFETY: the program doesn't change its environment while this runs.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: a value of the environment ends in zero.
    unsafe { CStr::from_ptr(value) }.to_str().ok().map(str::to_owned)
}

/// Tells a tracer that the window begins with the return from this function, and ends at `gate`.
fn announce(gate: u64) {
    let own = tiergate_counter::mapping_of(on_getrusage as *const () as u64);
    // SAFETY: the kernel ignores the arguments of this call.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") libc::SYS_getppid => _, in("rdi") ANNOUNCEMENT, in("rsi") gate,
            in("rdx") own.start, in("r10") own.end, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
}

/// First argument of the call by which `announce` speaks.
const ANNOUNCEMENT: u64 = 0x7469_6572_6761_7465;

/// Without libc's buffers, as it may be called at the end of the process.
fn write_file(path: &str, text: &str) {
    let Ok(path) = CString::new(path) else {
        return;
    };
    // SAFETY: path and text are valid for the calls.
    unsafe {
        let fd = libc::open(
            path.as_ptr(),
            libc::O_CREAT | libc::O_TRUNC | libc::O_WRONLY | libc::O_CLOEXEC,
            0o644,
        );
        libc::write(fd, text.as_ptr().cast(), text.len());
        libc::close(fd);
    }
}

/// # Safety
/// As for the system call.
unsafe fn system_call(number: i64, first: u64, second: u64) -> u64 {
    let result: u64;
    // SAFETY: the kernel's calling convention.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number => result, in("rdi") first, in("rsi") second,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

fn real_time(clock: i32) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes `time`.
    unsafe { system_call(libc::SYS_clock_gettime, clock as u64, &raw mut time as u64) };
    (Duration::from_secs(time.tv_sec as u64) + Duration::from_nanos(time.tv_nsec as u64)).as_nanos()
        as u64
}

static VIRTUAL: AtomicI32 = AtomicI32::new(0);
static VIRTUAL_NOW: AtomicU64 = AtomicU64::new(1_000_000_000_000);
const STEP: u64 = 1000;
/// The real-time clock's distance from the monotonic one.
const EPOCH: u64 = 1_700_000_000;

fn is_virtual() -> bool {
    if VIRTUAL.load(Relaxed) == 0 {
        let on = setting(c"TIERGATE_DRIVER_CLOCK").as_deref() == Some("virtual");
        VIRTUAL.store(if on { 2 } else { 1 }, Relaxed);
    }
    // SAFETY: no arguments, no effect.
    let main_thread = unsafe { libc::getpid() == system_call(libc::SYS_gettid, 0, 0) as i32 };
    VIRTUAL.load(Relaxed) == 2 && main_thread
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: i32, time: *mut libc::timespec) -> i32 {
    if !is_virtual() {
        // SAFETY: the program's own call.
        return unsafe { system_call(libc::SYS_clock_gettime, clock as u64, time as u64) } as i32;
    }
    let now = VIRTUAL_NOW.fetch_add(STEP, Relaxed);
    let epoch = if clock == libc::CLOCK_REALTIME { EPOCH } else { 0 };
    // SAFETY: the caller's structure.
    unsafe {
        (*time).tv_sec = (now / 1_000_000_000 + epoch) as i64;
        (*time).tv_nsec = (now % 1_000_000_000) as i64;
    }
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut libc::timeval, _zone: *mut libc::c_void) -> i32 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both structures are valid.
    unsafe {
        let result = clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        (*time).tv_sec = now.tv_sec;
        (*time).tv_usec = now.tv_nsec / 1000;
        result
    }
}
