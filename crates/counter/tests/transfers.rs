//! Transfers from generated code to that of files: every kind of branch, counted by target; nothing else changes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about machine code")]

mod support;

use std::hint::black_box;
use support::{CodePage, Window, exclusive};

const ROUNDS: u64 = 50;

#[inline(never)]
extern "C" fn called_directly(x: u64) -> u64 {
    black_box(x) + 1
}

#[inline(never)]
extern "C" fn called_through_a_register(x: u64) -> u64 {
    black_box(x) + 2
}

#[inline(never)]
extern "C" fn called_at_last(x: u64) -> u64 {
    black_box(x) + 4
}

fn address(f: extern "C" fn(u64) -> u64) -> u64 {
    f as *const () as u64
}

/// A page near this program's code, so that direct branches reach it.
fn page_near_this_program() -> CodePage {
    let near = usize::try_from(address(called_directly)).expect("an address") & !0xfff;
    (1..0x7000)
        .map(|k| near - k * 0x1_0000)
        .find(|at| CodePage::is_free(*at, 4096))
        .map(|at| CodePage::at(at, 4096))
        .expect("a free page near the program")
}

/// A displacement of four bytes from `end` to `target`.
fn to(target: u64, end: u64) -> [u8; 4] {
    i32::try_from(target.wrapping_sub(end).cast_signed()).expect("near").to_le_bytes()
}

/// `f(x)`: calls one function directly, one through a register, itself twice inside the page, and ends by a jump to a third:
/// directly if `x` is even, else by a conditional branch.
fn generated(page: &CodePage) -> Vec<u8> {
    let at = page.at as u64;
    let mut code = vec![0x53, 0x48, 0x89, 0xfb]; // push rbx; mov rbx, rdi
    let end = |code: &Vec<u8>, len: usize| at + (code.len() + len) as u64;
    code.push(0xe8); // call called_directly
    code.extend(to(address(called_directly), end(&code, 4)));
    code.extend([0x48, 0x89, 0xc7]); // mov rdi, rax
    code.extend([0x48, 0xb8]); // mov rax, called_through_a_register
    code.extend(address(called_through_a_register).to_le_bytes());
    code.extend([0xff, 0xd0]); // call rax
    code.extend([0xe8, 0, 0, 0, 0]); // call the next instruction
    code.extend([0x48, 0x83, 0xc4, 0x08]); // add rsp, 8
    code.extend([0x48, 0x89, 0xc7, 0x0f, 0xba, 0xe3, 0x00, 0x5b]); // mov rdi, rax; bt ebx, 0; pop rbx
    code.extend([0x0f, 0x82]); // jc called_at_last
    code.extend(to(address(called_at_last), end(&code, 4)));
    code.push(0xe9); // jmp called_at_last
    code.extend(to(address(called_at_last), end(&code, 4)));
    code
}

fn rounds(page: &CodePage) -> u64 {
    (0..ROUNDS)
        .map(|x| {
            // SAFETY: code as above is at the start of the page.
            unsafe { page.call(0, x) }
        })
        .sum()
}

fn check(window: &Window<'_>, shadow: bool) {
    let page = page_near_this_program();
    page.write(0, &generated(&page));
    let expected: u64 = (0..ROUNDS).map(|x| x + 1 + 2 + 4).sum();
    assert_eq!(rounds(&page), expected);
    let (sum, plain) = window.counted_with(shadow, || rounds(&page));
    assert_eq!(sum, expected);
    let (sum, seen, transfers) = window.counted_with_transfers(shadow, || rounds(&page));
    assert_eq!(sum, expected);
    assert_eq!(seen.counts, plain.counts, "counting transfers changes no count");
    let count = |f| {
        let at = address(f);
        transfers.iter().find(|one| one.target == at).map(|one| one.count)
    };
    assert_eq!(count(called_directly), Some(ROUNDS));
    assert_eq!(count(called_through_a_register), Some(ROUNDS));
    assert_eq!(count(called_at_last), Some(ROUNDS));
    assert_eq!(transfers.iter().map(|one| one.count).sum::<u64>(), 3 * ROUNDS, "{transfers:?}");
}

#[test]
fn branches_of_every_kind_are_counted() {
    let window = exclusive();
    check(&window, true);
    check(&window, false);
}

#[test]
fn none_are_counted_unless_asked_for() {
    let window = exclusive();
    let page = page_near_this_program();
    page.write(0, &generated(&page));
    let (_, _) = window.counted(|| rounds(&page));
    let (_, _, transfers) = window.counted_with_transfers(true, || 0);
    assert_eq!(transfers, []);
}
