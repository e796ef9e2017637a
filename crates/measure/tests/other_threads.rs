//! What other threads of a measured process do to code, seen through the preloaded library: this
//! binary runs itself with the library and lets it count.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code and mappings")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use nix::libc;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::{env, fs, ptr, thread};
use tiergate_measure::harness;
use tiergate_protocol::{environment, instrument, report, shape};

const PAGE: usize = 4096;
/// Present in the process that is measured.
const MEASURED: &str = "MEASURED_BY_THE_TEST";
const ROUNDS: u64 = 40;
const READ_EXEC: i32 = libc::PROT_READ | libc::PROT_EXEC;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
const ALL: i32 = READ_WRITE | libc::PROT_EXEC;

/// `mov eax, value; ret`
fn code(value: u64) -> [u8; 6] {
    let [a, b, c, d, ..] = value.to_le_bytes();
    [0xb8, a, b, c, d, 0xc3]
}

fn call(at: usize) -> u64 {
    // SAFETY: code as made above is there.
    unsafe { std::mem::transmute::<usize, extern "C" fn() -> u64>(at)() }
}

fn map(at: usize, protection: i32, fixed: i32) -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed;
    // SAFETY: replaces only pages of this test.
    let at = unsafe { libc::mmap(at as *mut libc::c_void, PAGE, protection, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at as usize
}

fn protect(at: usize, protection: i32) {
    // SAFETY: a page of this test.
    assert_eq!(unsafe { libc::mprotect(at as *mut libc::c_void, PAGE, protection) }, 0);
}

fn write(at: usize, value: u64) {
    // SAFETY: a page of this test, writable now.
    unsafe { ptr::copy_nonoverlapping(code(value).as_ptr(), at as *mut u8, 6) };
}

/// In the measured process: another thread replaces the code at one address by `change`, again and
/// again, and this one must see each version at once. In the test: runs that process.
#[track_caller]
fn sees_every_version(test: &str, first: i32, change: impl Fn(usize, u64) + Sync) {
    if env::var_os(MEASURED).is_none() {
        return run_measured(test);
    }
    let at = map(0, READ_WRITE, 0);
    write(at, 0);
    protect(at, first);
    let (published, taken) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..=ROUNDS {
                change(at, value);
                published.store(value, SeqCst);
                while taken.load(SeqCst) < value {
                    thread::yield_now();
                }
            }
        });
        let mut right = 0;
        // SAFETY: the first does nothing but arm, the others are the marks.
        unsafe {
            libc::kill(0, 0);
            libc::getppid();
        }
        for value in 1..=ROUNDS {
            while published.load(SeqCst) < value {
                std::hint::spin_loop();
            }
            right += u64::from(call(at) == value);
            taken.store(value, SeqCst);
        }
        // SAFETY: see above.
        unsafe { libc::getppid() };
        assert_eq!(right, ROUNDS, "stale code ran");
    });
}

#[track_caller]
fn run_measured(test: &str) {
    let harness = harness::unpack().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let marks = folder.path().join("marks");
    let output = Command::new(env::current_exe().unwrap())
        .args([test, "--exact", "--test-threads=1"])
        .env(MEASURED, "1")
        .env("LD_PRELOAD", harness.preload.unwrap())
        .env(environment::REPORT, &marks)
        .env(environment::INSTRUMENT, instrument::COUNTER)
        .env(environment::SHAPE, shape::SPAN)
        .env(environment::MARKS, "2")
        .env(environment::SECTIONS, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{text}\n{}", output.status, told(&marks));
    assert!(text.contains("1 passed"), "{text}");
    let lines = told(&marks);
    assert!(lines.lines().any(|line| line.starts_with(report::COUNTED)), "{lines}");
    assert!(!lines.contains(report::INCOMPLETE), "{lines}");
}

fn told(marks: &Path) -> String {
    fs::read_to_string(marks).unwrap_or_default()
}

#[test]
fn protection_is_changed_to_write_and_back() {
    sees_every_version("protection_is_changed_to_write_and_back", READ_EXEC, |at, value| {
        protect(at, READ_WRITE);
        write(at, value);
        protect(at, READ_EXEC);
    });
}

#[test]
fn protection_is_widened_once() {
    sees_every_version("protection_is_widened_once", READ_EXEC, |at, value| {
        if value == 1 {
            protect(at, ALL);
        }
        write(at, value);
    });
}

#[test]
fn a_page_is_unmapped_and_mapped_again() {
    sees_every_version("a_page_is_unmapped_and_mapped_again", READ_EXEC, |at, value| {
        // SAFETY: the test's page, in which nothing runs now.
        assert_eq!(unsafe { libc::munmap(at as *mut libc::c_void, PAGE) }, 0);
        assert_eq!(map(at, READ_WRITE, libc::MAP_FIXED_NOREPLACE), at);
        write(at, value);
        protect(at, READ_EXEC);
    });
}

#[test]
fn a_page_is_replaced_by_a_mapping() {
    sees_every_version("a_page_is_replaced_by_a_mapping", READ_EXEC, |at, value| {
        assert_eq!(map(at, ALL, libc::MAP_FIXED), at);
        write(at, value);
    });
}

#[test]
fn a_page_is_moved_over_another() {
    sees_every_version("a_page_is_moved_over_another", READ_EXEC, |at, value| {
        let new = map(0, READ_WRITE, 0);
        write(new, value);
        protect(new, READ_EXEC);
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let (from, to) = (new as *mut libc::c_void, at as *mut libc::c_void);
        // SAFETY: both are the test's pages, and nothing runs in them now.
        assert_eq!(unsafe { libc::mremap(from, PAGE, PAGE, flags, to) }, to);
    });
}

#[test]
fn a_thread_that_blocks_all_signals_writes_code() {
    sees_every_version("a_thread_that_blocks_all_signals_writes_code", ALL, |at, value| {
        // SAFETY: masks of this thread, which ends after the test.
        unsafe {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            if value % 2 == 0 {
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut());
            } else {
                libc::sigprocmask(libc::SIG_BLOCK, &raw const all, ptr::null_mut());
            }
        }
        write(at, value);
    });
}
