//! A library to preload into a program, which counts between two calls of `getrusage` by the main thread.
//!
//! `TIERGATE_DRIVER` turns it on and names the file for the report. With `TIERGATE_DRIVER_MODE=plain` it only takes the
//! time; with `copies` it makes copies of the process for the example `oracle` (see `copies`). `TIERGATE_DRIVER_SKIP` calls
//! are ignored at first; `TIERGATE_DRIVER_MARKS` is the number of sub-windows (1). `TIERGATE_DRIVER_PROFILE` names a file for
//! the executions of every address, `TIERGATE_DRIVER_BLOCKS` limits the blocks kept, `TIERGATE_DRIVER_RETURNS=table` does
//! without the shadow of the stack, `TIERGATE_DRIVER_FORM=memory` without the vector register that keeps the total, and `TIERGATE_DRIVER_CLOCK=virtual` lets the clocks advance by a microsecond per reading,
//! for counts that don't depend on time.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "functions of libc are interposed")]
#![allow(missing_docs, reason = "the functions are libc's")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "system calls return negative error numbers in registers"
)]

mod clock;
mod copies;

use clock::real_time;
use copies::Role;
use iced_x86::{Decoder, DecoderOptions};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tiergate_counter::{BlockCount, Counter, Observations, Onward, Options, OwnAllocator, Profile};

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
    let result = unsafe { system_call(libc::SYS_getrusage, [who, usage, 0, 0]) };
    let Some(report) = setting(c"TIERGATE_DRIVER").filter(|_| is_main_thread()) else {
        return Onward::native(result);
    };
    let mode = setting(c"TIERGATE_DRIVER_MODE");
    let plain = mode.as_deref() == Some("plain");
    let number = |name| setting(name).and_then(|v| v.parse::<u64>().ok());
    let skip: u64 = number(c"TIERGATE_DRIVER_SKIP").unwrap_or(0);
    let marks: u64 = number(c"TIERGATE_DRIVER_MARKS").unwrap_or(1);
    let call = CALLS.fetch_add(1, Relaxed);
    if call == skip {
        OPENED_AT.store(real_time(libc::CLOCK_MONOTONIC), Relaxed);
        CPU_AT.store(real_time(libc::CLOCK_THREAD_CPUTIME_ID), Relaxed);
        if plain {
            return Onward::native(result);
        }
        if mode.as_deref() == Some(copies::MODE) {
            let own = tiergate_counter::mapping_of(on_getrusage as *const () as u64);
            if copies::make(getrusage as *const () as u64, &own) == Role::Stepped {
                return Onward::native(result);
            }
        }
        let returns = setting(c"TIERGATE_DRIVER_RETURNS");
        let options = Options::default()
            .gate(getrusage as *const () as u64)
            .uncounted_around(on_getrusage as *const () as u64)
            .shadow_returns(returns.as_deref() != Some("table"))
            .profile(setting(c"TIERGATE_DRIVER_PROFILE").is_some() && !copies::keeps_total_only())
            .accumulator(setting(c"TIERGATE_DRIVER_FORM").as_deref() != Some("memory"))
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
        if copies::is_copy() {
            copies::end();
        }
    }
    Onward::native(result)
}

fn save(times: &str, observations: &Observations, profile: Option<&Profile>) {
    let Some(report) = setting(c"TIERGATE_DRIVER") else {
        return;
    };
    let mut text = format!("total {}\n{times}", observations.total());
    if let Some(profile) = profile {
        let _ = writeln!(text, "blocks executed {}", profile.blocks.len());
    }
    let _ = writeln!(text, "{observations:#?}");
    write_file(&(report + &copies::suffix()), &text);
    if let (Some(path), Some(profile)) = (setting(c"TIERGATE_DRIVER_PROFILE"), profile) {
        write_file(&(path + &copies::suffix()), &by_address(&profile.blocks));
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

fn is_main_thread() -> bool {
    // SAFETY: no arguments, no effect.
    unsafe { libc::getpid() == system_call(libc::SYS_gettid, [0; 4]) as i32 }
}

/// # Safety
/// As for the system call.
unsafe fn system_call(number: i64, arguments: [u64; 4]) -> u64 {
    let result: u64;
    let [a, b, c, d] = arguments;
    // SAFETY: the kernel's calling convention.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}
