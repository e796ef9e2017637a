//! Code that changes, in every way that it can: what runs is never the translation of what was there before.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code")]
#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

mod support;

use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use support::{CodePage, in_each_form};
use tiergate_counter::Counter;

const PAGE: usize = 4096;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
const READ_EXEC: i32 = libc::PROT_READ | libc::PROT_EXEC;

/// `mov eax, value; ret`
fn constant(value: u32) -> Vec<u8> {
    let mut code = vec![0xb8];
    code.extend(value.to_le_bytes());
    code.push(0xc3);
    code
}

/// Calls the function at `at`, which the compiler knows nothing about.
fn call(at: *const u8, argument: u64) -> u64 {
    // SAFETY: the tests put a function there.
    unsafe {
        let f: extern "C" fn(u64) -> u64 = std::mem::transmute(at);
        f(argument)
    }
}

fn map(at: *mut u8, len: usize, prot: i32, flags: i32, fd: i32) -> *mut u8 {
    // SAFETY: at an address that the test owns, or a new one.
    let got = unsafe { libc::mmap(at.cast(), len, prot, flags, fd, 0) };
    assert_ne!(got, libc::MAP_FAILED);
    got.cast()
}

#[test]
fn an_instruction_changes_the_next_one() {
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        // mov [rip + 1], edi; mov eax, imm32; ret: the store is to the immediate.
        page.write(0, &[0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3]);
        let (results, seen) = window.counted(|| {
            let mut results = [0; 50];
            for (k, r) in results.iter_mut().enumerate() {
                *r = call(page.at, k as u64 * 3);
            }
            results
        });
        assert!(results.iter().enumerate().all(|(k, r)| *r == k as u64 * 3), "{results:?}");
        assert_eq!(seen.code_writes, 50);
        assert_eq!(seen.incomplete, None);
    });
}

#[test]
fn a_string_instruction_changes_its_own_page() {
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        // mov rsi, rdi; lea rdi, [rip + 8]; mov ecx, 4; rep movsb; mov eax, imm32; ret
        page.write(
            0,
            &[
                0x48, 0x89, 0xfe, 0x48, 0x8d, 0x3d, 8, 0, 0, 0, 0xb9, 4, 0, 0, 0, 0xf3, 0xa4, 0xb8,
                0, 0, 0, 0, 0xc3,
            ],
        );
        let (results, _) = window.counted(|| {
            let mut results = [0; 20];
            for (k, r) in results.iter_mut().enumerate() {
                let value = k as u32 * 7;
                *r = call(page.at, &raw const value as u64);
            }
            results
        });
        assert!(results.iter().enumerate().all(|(k, r)| *r == k as u64 * 7), "{results:?}");
    });
}

#[test]
fn a_function_is_rewritten_in_place() {
    in_each_form(|window| {
        let page = CodePage::new(4 * PAGE);
        let (good, seen) = window.counted(|| {
            let mut good = 0;
            for k in 0..200u32 {
                // Sometimes across two pages.
                let offset = if k % 3 == 0 { PAGE - 3 } else { 64 };
                page.write(offset, &constant(k));
                good += u32::from(call(page.at.wrapping_add(offset), 0) == u64::from(k));
            }
            good
        });
        assert_eq!(good, 200);
        assert!(seen.discarded_blocks > 100);
    });
}

#[test]
fn a_callee_rewrites_what_it_returns_to() {
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        // sub rsp, 8; call f; mov eax, imm32; add rsp, 8; ret; f (at 32): mov [rip + d], edi; ret
        page.write(
            0,
            &[0x48, 0x83, 0xec, 8, 0xe8, 23, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0x48, 0x83, 0xc4, 8, 0xc3],
        );
        page.write(32, &[0x89, 0x3d, 0xe4, 0xff, 0xff, 0xff, 0xc3]);
        for shadow in [true, false] {
            let (results, _) = window.counted_with(shadow, || {
                let mut results = [0; 30];
                for (k, r) in results.iter_mut().enumerate() {
                    *r = call(page.at, k as u64 + 5);
                }
                results
            });
            assert!(results.iter().enumerate().all(|(k, r)| *r == k as u64 + 5), "{results:?}");
        }
    });
}

#[test]
fn protection_goes_back_and_forth() {
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        let (good, seen) = window.counted(|| {
            let mut good = 0;
            for k in 0..50u32 {
                // SAFETY: the test's own page.
                unsafe {
                    libc::mprotect(page.at.cast(), PAGE, READ_WRITE);
                    page.write(0, &constant(k));
                    libc::mprotect(page.at.cast(), PAGE, READ_EXEC);
                }
                good += u32::from(call(page.at, 0) == u64::from(k));
            }
            // SAFETY: the test's own page.
            unsafe { libc::mprotect(page.at.cast(), PAGE, READ_WRITE | libc::PROT_EXEC) };
            for k in 0..50u32 {
                page.write(0, &constant(k));
                good += u32::from(call(page.at, 0) == u64::from(k));
            }
            good
        });
        assert_eq!(good, 100);
        assert!(seen.code_mappings_changed > 0);
    });
}

#[test]
fn an_instruction_goes_on_where_code_was_none() {
    in_each_form(|window| {
        let at =
            map(ptr::null_mut(), 2 * PAGE, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1);
        let protect = |page: usize| {
            // SAFETY: the test's own memory.
            unsafe { libc::mprotect(at.add(page * PAGE).cast(), PAGE, READ_EXEC) }
        };
        let crossing = PAGE - 2;
        for (offset, value) in [(0, 5), (crossing, 7)] {
            let code = constant(value);
            // SAFETY: inside the mapping.
            unsafe { ptr::copy_nonoverlapping(code.as_ptr(), at.add(offset), code.len()) };
        }
        assert_eq!(protect(0), 0);
        let (results, seen) = window.counted(|| {
            let before = call(at, 0);
            // The mappings were read by now, and hold the first page only.
            let changed = protect(1);
            // SAFETY: inside the mapping.
            (before, changed, call(unsafe { at.add(crossing) }, 0))
        });
        assert_eq!(results, (5, 0, 7));
        assert_eq!(seen.incomplete, None);
        // SAFETY: the test's own memory.
        unsafe { libc::munmap(at.cast(), 2 * PAGE) };
    });
}

#[test]
fn code_is_unmapped_and_other_code_mapped() {
    in_each_form(|window| {
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let at = map(ptr::null_mut(), PAGE, READ_WRITE | libc::PROT_EXEC, anonymous, -1);
        let (good, _) = window.counted(|| {
            let mut good = 0;
            for k in 0..50u32 {
                // SAFETY: the test's own page, replaced.
                unsafe {
                    libc::munmap(at.cast(), PAGE);
                    map(at, PAGE, READ_WRITE | libc::PROT_EXEC, anonymous | libc::MAP_FIXED, -1);
                    ptr::copy_nonoverlapping(constant(k).as_ptr(), at, 6);
                }
                good += u32::from(call(at, 0) == u64::from(k));
                // Over it, without unmapping first.
                map(at, PAGE, READ_WRITE | libc::PROT_EXEC, anonymous | libc::MAP_FIXED, -1);
                // SAFETY: the test's own page.
                unsafe { ptr::copy_nonoverlapping(constant(k + 1).as_ptr(), at, 6) };
                good += u32::from(call(at, 0) == u64::from(k + 1));
            }
            good
        });
        assert_eq!(good, 100);
    });
}

#[test]
fn code_is_moved_over_other_code() {
    in_each_form(|window| {
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = CodePage::new(PAGE);
        page.write(0, &constant(1));
        let (good, _) = window.counted(|| {
            let mut good = 0;
            for k in 0..30u32 {
                let other = map(ptr::null_mut(), PAGE, READ_WRITE | libc::PROT_EXEC, anonymous, -1);
                // SAFETY: the test's own pages.
                unsafe {
                    ptr::copy_nonoverlapping(constant(k).as_ptr(), other, 6);
                    good += u32::from(call(other, 0) == u64::from(k));
                    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
                    let moved = libc::mremap(other.cast(), PAGE, PAGE, flags, page.at);
                    assert_eq!(moved, page.at.cast());
                }
                good += u32::from(call(page.at, 0) == u64::from(k));
            }
            good
        });
        assert_eq!(good, 60);
    });
}

#[test]
fn two_mappings_show_one_page() {
    in_each_form(|window| {
        // SAFETY: a new file in memory.
        let fd = unsafe { libc::memfd_create(c"code".as_ptr(), 0) };
        // SAFETY: the file just made.
        assert_eq!(unsafe { libc::ftruncate(fd, PAGE as i64) }, 0);
        let code = map(ptr::null_mut(), PAGE, READ_EXEC, libc::MAP_SHARED, fd);
        let data = map(ptr::null_mut(), PAGE, READ_WRITE, libc::MAP_SHARED, fd);
        // Both mappings exist before the window opens; then one more appears inside it.
        let (good, _) = window.counted(|| {
            let mut good = 0;
            for k in 0..30u32 {
                // SAFETY: the test's own page.
                unsafe { ptr::copy_nonoverlapping(constant(k).as_ptr(), data, 6) };
                good += u32::from(call(code, 0) == u64::from(k));
            }
            let late = map(ptr::null_mut(), PAGE, READ_WRITE, libc::MAP_SHARED, fd);
            for k in 0..30u32 {
                // SAFETY: the test's own page.
                unsafe { ptr::copy_nonoverlapping(constant(k + 9).as_ptr(), late, 6) };
                good += u32::from(call(code, 0) == u64::from(k + 9));
            }
            good
        });
        assert_eq!(good, 60);
    });
}

#[test]
fn the_kernel_writes_code() {
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        let mut pipe = [0; 2];
        // SAFETY: two descriptors.
        assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
        let (good, seen) = window.counted(|| {
            let mut good = 0;
            for k in 0..20u32 {
                // SAFETY: six bytes from a constant, and into the test's own page.
                unsafe {
                    assert_eq!(libc::write(pipe[1], constant(k).as_ptr().cast(), 6), 6);
                    assert_eq!(libc::read(pipe[0], page.at.cast(), 6), 6);
                }
                good += u32::from(call(page.at, 0) == u64::from(k));
            }
            good
        });
        assert_eq!(good, 20);
        assert!(seen.system_calls_repeated > 0);
    });
}

#[test]
fn another_thread_writes_code() {
    const ROUNDS: u64 = 500;
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        // At 3, so that the immediate is aligned and can be written at once.
        page.write(3, &constant(0));
        let published = AtomicU64::new(0);
        let (started, stop) = (AtomicBool::new(false), AtomicBool::new(false));
        let at = page.at as usize;
        std::thread::scope(|s| {
            s.spawn(|| {
                while !started.load(Acquire) {
                    std::thread::yield_now();
                }
                for k in 1..=ROUNDS {
                    // SAFETY: the test's own page.
                    unsafe { ptr::write_volatile((at + 4) as *mut u32, k as u32) };
                    published.store(k, Release);
                    if stop.load(Relaxed) {
                        break;
                    }
                    std::thread::yield_now();
                }
            });
            let (stale, seen) = window.counted(|| {
                let mut stale = 0;
                started.store(true, Release);
                loop {
                    let least = published.load(Acquire);
                    stale += u32::from(call((at + 3) as *const u8, 0) < least);
                    if least == ROUNDS {
                        break stale;
                    }
                }
            });
            stop.store(true, Relaxed);
            assert_eq!(stale, 0);
            assert!(seen.foreign_code_writes > 10, "{}", seen.foreign_code_writes);
            assert_eq!(seen.incomplete, None);
        });
    });
}

#[test]
fn another_thread_changes_mappings_of_code() {
    const ROUNDS: u64 = 60;
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        page.write(0, &constant(0));
        let (published, taken) = (AtomicU64::new(0), AtomicU64::new(0));
        let at = page.at as usize;
        std::thread::scope(|s| {
            s.spawn(|| {
                for k in 1..=ROUNDS {
                    // As an interposed `mprotect` would.
                    let protect = |prot| {
                        // SAFETY: the test's own page.
                        unsafe { libc::mprotect(at as *mut libc::c_void, PAGE, prot) };
                        let may_be_code = prot & libc::PROT_EXEC != 0;
                        Counter::mapping_changed_by_other_thread(
                            at as u64,
                            PAGE as u64,
                            may_be_code,
                        );
                    };
                    protect(READ_WRITE);
                    // SAFETY: the test's own page, and the other thread waits.
                    unsafe {
                        ptr::copy_nonoverlapping(constant(k as u32).as_ptr(), at as *mut u8, 6)
                    };
                    protect(READ_EXEC);
                    published.store(k, Release);
                    while taken.load(Acquire) < k {
                        std::thread::yield_now();
                    }
                }
            });
            let (good, seen) = window.counted(|| {
                let mut good = 0;
                for k in 1..=ROUNDS {
                    while published.load(Acquire) < k {
                        std::hint::spin_loop();
                    }
                    good += u64::from(call(at as *const u8, 0) == k);
                    taken.store(k, Release);
                }
                good
            });
            assert_eq!(good, ROUNDS);
            assert_eq!(seen.incomplete, None);
        });
    });
}

#[test]
fn code_appears_whose_address_differs_in_the_upper_half_only() {
    const FOUR_GIGABYTES: usize = 1 << 32;
    in_each_form(|window| {
        let page = CodePage::new(PAGE);
        page.write(0, &constant(1));
        let elsewhere = (1..1000)
            .map(|k| page.at as usize - k * FOUR_GIGABYTES)
            .find(|at| CodePage::is_free(*at, PAGE))
            .expect("a free page");
        let ((before, twin, after), seen) = window.counted(|| {
            let before = call(page.at, 0) + call(page.at, 0);
            let other = CodePage::at(elsewhere, PAGE);
            other.write(0, &constant(100));
            let twin = call(other.at, 0);
            (before, twin, call(page.at, 0))
        });
        assert_eq!((before, twin, after), (2, 100, 1));
        assert_eq!(seen.incomplete, None);
    });
}
