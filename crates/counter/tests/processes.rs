//! Children, threads, and ways to end inside the window.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests fork, crash and run machine code")]
#![allow(clippy::exit, reason = "to end inside the window is tested")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small"
)]

mod support;

use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use support::{CodePage, exclusive, in_each_form, mark};
use tiergate_counter::{Counter, Incomplete};

#[test]
fn a_forked_child_runs_natively() {
    in_each_form(|window| {
        let (statuses, seen) = window.counted(|| {
            [7, 8, 9].map(|code| {
                // SAFETY: the child makes one system call.
                unsafe {
                    let pid = libc::fork();
                    if pid == 0 {
                        libc::_exit(code);
                    }
                    let mut status = 0;
                    libc::waitpid(pid, &raw mut status, 0);
                    libc::WEXITSTATUS(status)
                }
            })
        });
        assert_eq!(statuses, [7, 8, 9]);
        assert_eq!(seen.children_started, 3);
        assert_eq!(seen.incomplete, None);
    });
}

#[test]
fn a_forked_child_writes_code() {
    in_each_form(|window| {
        let page = CodePage::new(4096);
        page.write(0, &[0xb8, 3, 0, 0, 0, 0xc3]);
        let (statuses, seen) = window.counted(|| {
            // SAFETY: a function was put there; the child only writes to it, calls it, and leaves.
            unsafe {
                let mut results = [page.call(0, 0), 0, 0];
                let pid = libc::fork();
                if pid == 0 {
                    page.write(1, &[5]);
                    libc::_exit(page.call(0, 0) as i32);
                }
                let mut status = 0;
                libc::waitpid(pid, &raw mut status, 0);
                results[1] = libc::WEXITSTATUS(status) as u64;
                results[2] = page.call(0, 0);
                results
            }
        });
        assert_eq!(statuses, [3, 5, 3]);
        assert_eq!(seen.code_writes, 0);
    });
}

#[test]
fn a_spawned_program_runs_natively() {
    in_each_form(|window| {
        let (output, seen) =
            window.counted(|| Command::new("/bin/echo").arg("hi").output().expect("echo"));
        assert_eq!(output.stdout, b"hi\n");
        assert_eq!(seen.children_started, 1);
    });
}

#[test]
fn threads_started_inside_run_natively() {
    in_each_form(|window| {
        let work = |n: u64| (0..n).fold(1u64, |x, k| std::hint::black_box(x.wrapping_mul(3) ^ k));
        let expected: Vec<u64> = (0..4).map(|k| work(k * 10_000)).collect();
        let (results, seen) = window.counted(|| {
            let threads: Vec<_> =
                (0..4).map(|k| std::thread::spawn(move || work(k * 10_000))).collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).collect::<Vec<_>>()
        });
        assert_eq!(results, expected);
        assert_eq!(seen.threads_started, 4);
        assert_eq!(seen.incomplete, None);
    });
}

#[test]
fn what_may_wake_another_thread_is_told_and_costs_nothing() {
    static WOKEN: AtomicU64 = AtomicU64::new(0);
    static WORD: AtomicU32 = AtomicU32::new(0);
    in_each_form(|window| {
        WOKEN.store(0, Relaxed);
        let futex = |command: i32| {
            // SAFETY: the word lives on; a wait for another value comes back at once.
            unsafe { libc::syscall(libc::SYS_futex, WORD.as_ptr(), command, 1, 0, 0, 0) }
        };
        let work = || {
            let woken = futex(libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG);
            let refused = futex(libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG);
            // SAFETY: a zero-length write reads nothing.
            let written = unsafe { libc::write(-1, [0_u8].as_ptr().cast(), 0) };
            (woken, refused, written)
        };
        let (expected, plain) = window.counted(work);
        assert_eq!(expected, (0, -1, -1));
        let call = || {
            WOKEN.fetch_add(1, Relaxed);
        };
        let (results, told) = window.counted_with_waker(call, work);
        assert_eq!((results, told.total()), (expected, plain.total()));
        assert_eq!(WOKEN.load(Relaxed), 2, "the wake and the write, not the wait");
    });
}

#[test]
fn sub_windows_add_up() {
    in_each_form(|window| {
        let page = CodePage::new(4096);
        // dec rdi; jnz; ret: two instructions per round
        page.write(0, &[0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3]);
        let ((), seen) = window.counted(|| {
            for rounds in [1000, 2000, 4000] {
                // SAFETY: a function was put there.
                unsafe { page.call(0, rounds) };
                mark();
            }
        });
        assert_eq!(seen.counts.len(), 4);
        // What is around the loop is the same each time, but for the first, which differs by the loop's own beginning.
        assert_eq!(seen.counts[2] - seen.counts[1], 4000);
    });
}

#[test]
fn discarding_everything_again_and_again_changes_nothing() {
    in_each_form(|window| {
        // Varied code that allocates nothing: the state of the heap would show in the count.
        let work = || {
            let mut numbers: [u32; 60] = std::array::from_fn(|k| k as u32 * 7919 % 1009);
            numbers.sort_unstable();
            let mut text = [0u8; 4096];
            let mut rest = &mut text[..];
            for n in numbers {
                write!(rest, "{n:x} {:.2} ", f64::from(n) / 7.0).expect("room");
            }
            let left = rest.len();
            text.iter().map(|b| u64::from(*b)).sum::<u64>() + left as u64
        };
        let expected = work();
        // So few blocks that they are discarded all the time. The depth of the stack is the same.
        let [(result, plenty), (other, little)] =
            [usize::MAX, 100].map(|most| window.counted_with_most(most, work));
        assert_eq!((result, other), (expected, expected));
        assert!(little.flushes > 5, "{}", little.flushes);
        assert_eq!(little.total(), plenty.total());
    });
}

#[test]
fn panics_unwind_through_translated_code() {
    in_each_form(|window| {
        let (results, seen) = window.counted(|| {
            [1, 2, 3].map(|k| {
                std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(k)))
                    .expect_err("it panicked")
                    .downcast::<i32>()
                    .map(|v| *v)
                    .unwrap_or(0)
            })
        });
        assert_eq!(results, [1, 2, 3]);
        assert_eq!(seen.incomplete, None);
    });
}

#[test]
fn code_that_uses_the_gs_segment_is_refused_and_runs() {
    in_each_form(|window| {
        let page = CodePage::new(4096);
        // rdgsbase rax; mov eax, 5; ret
        page.write(0, &[0xf3, 0x48, 0x0f, 0xae, 0xc8, 0xb8, 5, 0, 0, 0, 0xc3]);
        // SAFETY: a function was put there.
        let (result, seen) = window.counted(|| unsafe { page.call(0, 0) });
        assert_eq!(result, 5);
        assert_eq!(seen.incomplete, Some(Incomplete::ForeignCode(page.at as u64)));
    });
}

/// Runs one of the ignored tests below in a process of its own.
fn child(name: &str) -> Output {
    Command::new(std::env::current_exe().expect("own path"))
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .expect("own program")
}

#[test]
fn ending_inside_the_window() {
    let output = child("child_exits");
    assert_eq!(output.status.code(), Some(42));
}

#[test]
#[ignore = "ends its process: run by `ending_inside_the_window`"]
fn child_exits() {
    let leave: fn() = || std::process::exit(42);
    exclusive().counted(leave);
}

#[test]
fn crashing_inside_the_window() {
    assert_eq!(child("child_crashes").status.signal(), Some(libc::SIGSEGV));
    assert_eq!(child("child_traps").status.signal(), Some(libc::SIGTRAP));
    assert_eq!(child("child_aborts").status.signal(), Some(libc::SIGABRT));
    assert_eq!(child("child_jumps_to_nowhere").status.signal(), Some(libc::SIGSEGV));
    let overflow = child("child_overflows_its_stack");
    assert_eq!(overflow.status.signal(), Some(libc::SIGABRT));
    let message = String::from_utf8_lossy(&overflow.stderr).into_owned();
    assert!(message.contains("has overflowed its stack"), "{message}");
}

#[test]
#[ignore = "ends its process: run by `crashing_inside_the_window`"]
fn child_crashes() {
    // SAFETY: the crash is the purpose.
    exclusive()
        .counted(|| unsafe { std::ptr::read_volatile(std::hint::black_box(64usize) as *const u8) });
}

#[test]
#[ignore = "ends its process: run by `crashing_inside_the_window`"]
fn child_traps() {
    let page = CodePage::new(4096);
    page.write(0, &[0x90, 0xcc, 0xc3]);
    // SAFETY: a function was put there.
    exclusive().counted(|| unsafe { page.call(0, 0) });
}

#[test]
#[ignore = "ends its process: run by `crashing_inside_the_window`"]
fn child_aborts() {
    let leave: fn() = || std::process::abort();
    exclusive().counted(leave);
}

#[test]
#[ignore = "ends its process: run by `crashing_inside_the_window`"]
fn child_jumps_to_nowhere() {
    exclusive().counted(|| {
        // SAFETY: the crash is the purpose.
        unsafe {
            let f: extern "C" fn() = std::mem::transmute(std::hint::black_box(64usize));
            f();
        }
    });
}

#[test]
#[ignore = "ends its process: run by `crashing_inside_the_window`"]
fn child_overflows_its_stack() {
    #[allow(unconditional_recursion, reason = "the overflow is the purpose")]
    fn deeper(n: u64) -> u64 {
        let large = [n; 64];
        std::hint::black_box(deeper(n + 1) + std::hint::black_box(&large)[3])
    }
    exclusive().counted(|| deeper(0));
}

#[test]
fn a_library_that_another_thread_maps_anew_changes_no_count() {
    const CALLS: u64 = 4000;
    const PAGE: usize = 4096;
    let file = std::fs::File::open("/proc/self/exe").expect("this program");
    let map = |at: *mut libc::c_void| {
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        let fixed = if at.is_null() { 0 } else { libc::MAP_FIXED };
        let flags = libc::MAP_PRIVATE | fixed;
        // SAFETY: a new mapping, or in place of the one before.
        unsafe { libc::mmap(at, PAGE, protection, flags, file.as_raw_fd(), 0) }
    };
    // SAFETY: asks for a number.
    let work = || (0..CALLS).map(|_| unsafe { libc::syscall(libc::SYS_getppid) }).sum::<i64>();
    in_each_form(|window| {
        let library = map(std::ptr::null_mut()) as usize;
        assert_ne!(library as *mut libc::c_void, libc::MAP_FAILED);
        let (expected, quiet) = window.counted(work);
        let stop = AtomicBool::new(false);
        std::thread::scope(|s| {
            s.spawn(|| {
                while !stop.load(Relaxed) {
                    map(library as *mut libc::c_void);
                    Counter::mapping_changed_by_other_thread(library as u64, PAGE as u64, true);
                }
            });
            let mut discarded = 0;
            while discarded < 20 {
                let (sum, seen) = window.counted(work);
                assert_eq!((sum, seen.incomplete), (expected, None));
                assert_eq!(seen.total(), quiet.total());
                discarded += seen.flushes;
            }
            stop.store(true, Relaxed);
        });
        // SAFETY: the test's own mapping.
        unsafe { libc::munmap(library as *mut libc::c_void, PAGE) };
    });
}
