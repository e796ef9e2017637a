//! Signals inside the window: handlers see what they would see natively, and the count goes on.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "the tests are about signal handlers")]
#![allow(clippy::cast_sign_loss, reason = "libc gives registers and their indices signed types")]

mod support;

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};
use support::{CodePage, in_each_form, mark};
use tiergate_counter::Incomplete;

type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::ucontext_t);

fn install(signal: i32, handler: Handler, flags: i32) {
    // SAFETY: a handler of the right type.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | flags;
        assert_eq!(libc::sigaction(signal, &raw const action, std::ptr::null_mut()), 0);
    }
}

fn reset(signal: i32) {
    // SAFETY: the default action.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

static FAULT_PC: AtomicU64 = AtomicU64::new(0);
static FAULT_REGS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

fn register(context: *mut libc::ucontext_t, index: i32) -> *mut i64 {
    // SAFETY: the frame of a running handler.
    unsafe { &raw mut (*context).uc_mcontext.gregs[index as usize] }
}

/// Notes where the fault was and goes on two bytes later (or at what rdx says, if that isn't 0).
extern "C" fn on_fault(_: i32, _: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: the frame of this handler.
    unsafe {
        let pc = register(context, libc::REG_RIP);
        FAULT_PC.store(*pc as u64, SeqCst);
        let wanted = [libc::REG_RSI, libc::REG_RDI, libc::REG_RCX, libc::REG_RBX];
        for (k, index) in wanted.into_iter().enumerate() {
            FAULT_REGS[k].store(*register(context, index) as u64, SeqCst);
        }
        let onward = *register(context, libc::REG_R9);
        *pc = onward;
        *register(context, libc::REG_RAX) = 77;
    }
}

#[test]
fn a_fault_shows_the_original_state() {
    in_each_form(|window| {
        install(libc::SIGSEGV, on_fault, 0);
        // Far from the arena, so that operands relative to the instruction pointer need a register set aside.
        let page = CodePage::at(0x3000_0000_0000, 4096);
        // push rbx; mov esi, 11; mov ecx, 22; mov ebx, 33; lea r9, [rip + out]; xor eax, eax; faulting instruction; ...
        // out: pop rbx; ret
        let setup = [
            0x53, 0xbe, 11, 0, 0, 0, 0xb9, 22, 0, 0, 0, 0xbb, 33, 0, 0, 0, 0x4c, 0x8d, 0x0d, 0x29,
            0, 0, 0, 0x31, 0xc0,
        ];
        let cases: [&[u8]; 5] = [
            // mov rdx, [rax]
            &[0x48, 0x8b, 0x10],
            // mov rdx, [rip + 0x10000000]: nothing is mapped there
            &[0x48, 0x8b, 0x15, 0, 0, 0, 0x10],
            // jmp [rax]
            &[0xff, 0x20],
            // call [rax + 8]
            &[0xff, 0x50, 8],
            // inc qword [rax]
            &[0x48, 0xff, 0x00],
        ];
        for case in cases {
            let mut code = setup.to_vec();
            let fault = code.len();
            code.extend_from_slice(case);
            code.resize(64, 0xcc);
            code.extend([0x5b, 0xc3]);
            page.write(0, &code);
            let (results, seen) = window.counted(|| {
                // SAFETY: a function was put there.
                [0u64; 3].map(|_| unsafe { page.call(0, 44) })
            });
            assert_eq!(results, [77; 3]);
            assert_eq!(FAULT_PC.load(SeqCst), page.at as u64 + fault as u64);
            let regs = [0, 1, 2, 3].map(|k| FAULT_REGS[k].load(SeqCst));
            assert_eq!(regs, [11, 44, 22, 33]);
            assert_eq!(seen.faults, 3);
            assert_eq!(seen.incomplete, None);
        }
        reset(libc::SIGSEGV);
    });
}

#[test]
fn a_fault_is_counted_up_to_the_instruction() {
    in_each_form(|window| {
        install(libc::SIGSEGV, on_fault, 0);
        let page = CodePage::new(4096);
        // lea r9, [rip + 10]; xor eax, eax; mov rax, [rax]; 5 × inc rax; out: ret
        page.write(
            0,
            &[
                0x4c, 0x8d, 0x0d, 20, 0, 0, 0, 0x31, 0xc0, 0x48, 0x8b, 0x00, 0x48, 0xff, 0xc0,
                0x48, 0xff, 0xc0, 0x48, 0xff, 0xc0, 0x48, 0xff, 0xc0, 0x48, 0xff, 0xc0, 0xc3,
            ],
        );
        let counts: [u64; 2] = [0u64, 100].map(|rounds| {
            let (_, seen) = window.counted(|| {
                for _ in 0..rounds {
                    // SAFETY: a function was put there.
                    std::hint::black_box(unsafe { page.call(0, 0) });
                }
            });
            seen.total()
        });
        reset(libc::SIGSEGV);
        let native = {
            // The same loop around a function of two instructions and a return: lea, xor, ret.
            page.write(9, &[0xc3]);
            let counts: [u64; 2] = [0u64, 100].map(|rounds| {
                let (_, seen) = window.counted(|| {
                    for _ in 0..rounds {
                        // SAFETY: a function was put there.
                        std::hint::black_box(unsafe { page.call(0, 0) });
                    }
                });
                seen.total()
            });
            counts[1] - counts[0]
        };
        assert_eq!(counts[1] - counts[0], native);
    });
}

static TICKS: AtomicU64 = AtomicU64::new(0);
static STRANGE: AtomicU64 = AtomicU64::new(0);
static LOW: AtomicU64 = AtomicU64::new(0);
static HIGH: AtomicU64 = AtomicU64::new(0);

/// Checks an invariant of the interrupted code: where it is, and that rbx is twice rcx, plus one between two instructions.
extern "C" fn on_tick(_: i32, _: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    TICKS.fetch_add(1, Relaxed);
    // SAFETY: the frame of this handler.
    unsafe {
        let pc = *register(context, libc::REG_RIP) as u64;
        if !(LOW.load(Relaxed)..HIGH.load(Relaxed)).contains(&pc) {
            return;
        }
        let rbx = *register(context, libc::REG_RBX) as u64;
        let rcx = *register(context, libc::REG_RCX) as u64;
        let offset = pc - LOW.load(Relaxed);
        // At 8 (behind `inc rcx`) rbx lags behind by two, at 12 and later it has caught up again.
        let expected = match offset {
            8 => rbx + 2 == 2 * rcx,
            3 | 5 | 12.. => rbx == 2 * rcx,
            0 | 1 => true,
            _ => false,
        };
        if !expected {
            STRANGE.fetch_add(1, Relaxed);
        }
    }
}

/// Sends a signal to the calling thread again and again.
struct Timer(libc::timer_t);

impl Timer {
    fn start(signal: i32, micros: i64) -> Self {
        // SAFETY: all structures are valid; zero is a valid value of the event.
        unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer: libc::timer_t = std::ptr::null_mut();
            assert_eq!(
                libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer),
                0
            );
            let every = libc::timespec { tv_sec: 0, tv_nsec: micros * 1000 };
            let times = libc::itimerspec { it_interval: every, it_value: every };
            assert_eq!(libc::timer_settime(timer, 0, &raw const times, std::ptr::null_mut()), 0);
            Self(timer)
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer made above.
        unsafe { libc::timer_delete(self.0) };
    }
}

#[test]
fn a_profilers_signal_sees_a_consistent_state() {
    in_each_form(|window| {
        install(libc::SIGALRM, on_tick, libc::SA_RESTART);
        let page = CodePage::new(4096);
        // 0: push rbx; 1: xor ecx, ecx; 3: xor ebx, ebx; 5: inc rcx; 8: lea rbx, [rcx + rcx]; 12: call f; 17: lea r8, [rip - 31];
        // 24: ... dec rdi; jnz 5 through an indirect jump; f: jmp [r9] style dispatch
        let code: &[u8] = &[
            0x53, // push rbx
            0x31, 0xc9, // xor ecx, ecx
            0x31, 0xdb, // xor ebx, ebx
            0x48, 0xff, 0xc1, // 5: inc rcx
            0x48, 0x8d, 0x1c, 0x09, // 8: lea rbx, [rcx + rcx]
            0xe8, 15, 0, 0, 0, // 12: call 32
            0x48, 0xff, 0xcf, // 17: dec rdi
            0x75, 0xef, // 20: jnz 5
            0x48, 0x89, 0xd8, // 22: mov rax, rbx
            0x5b, // 25: pop rbx
            0xc3, // 26: ret
            0xcc, 0xcc, 0xcc, 0xcc, 0xcc, //
            0x4c, 0x8d, 0x05, 2, 0, 0, 0, // 32: lea r8, [rip + 2]
            0x41, 0xff, 0xe0, // 39: jmp r8 (to 41: inside; see below)
        ];
        let mut code = code.to_vec();
        // lea r8 is to point behind the jump, at 42.
        code[35] = 3;
        code.push(0xc3);
        page.write(0, &code);
        LOW.store(page.at as u64, SeqCst);
        HIGH.store(page.at as u64 + code.len() as u64, SeqCst);
        const ROUNDS: u64 = 30_000_000;
        for shadow in [true, false] {
            TICKS.store(0, SeqCst);
            let timer = Timer::start(libc::SIGALRM, 100);
            let (result, seen) = window.counted_with(shadow, || {
                // SAFETY: a function was put there.
                unsafe { page.call(0, ROUNDS) }
            });
            drop(timer);
            assert_eq!(result, 2 * ROUNDS);
            assert_eq!(STRANGE.load(SeqCst), 0);
            assert!(TICKS.load(SeqCst) > 20, "{} ticks", TICKS.load(SeqCst));
            assert_eq!(seen.incomplete, None);
            assert!(seen.total() >= ROUNDS * 8, "{}", seen.total());
            assert!(seen.total() < ROUNDS * 8 + 1_000_000, "{}", seen.total());
        }
        reset(libc::SIGALRM);
    });
}

#[test]
fn counts_are_the_same_with_and_without_signals() {
    in_each_form(|window| {
        install(libc::SIGALRM, on_tick, libc::SA_RESTART);
        LOW.store(0, SeqCst);
        HIGH.store(0, SeqCst);
        let work = || {
            let mut x = 1u64;
            for k in 0..20_000_000u64 {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(k);
            }
            std::hint::black_box(x)
        };
        let (_, quiet) = window.counted(work);
        let timer = Timer::start(libc::SIGALRM, 100);
        let (_, noisy) = window.counted(work);
        drop(timer);
        reset(libc::SIGALRM);
        assert!(noisy.signals > 10);
        assert_eq!(quiet.total(), noisy.total());
    });
}

#[test]
fn handlers_and_masks_set_inside_the_window_work() {
    in_each_form(|window| {
        static CALLED: AtomicBool = AtomicBool::new(false);
        extern "C" fn called(_: i32, _: *mut libc::siginfo_t, _: *mut libc::ucontext_t) {
            CALLED.store(true, SeqCst);
        }
        CALLED.store(false, SeqCst);
        let (outcome, seen) = window.counted(|| {
            install(libc::SIGUSR1, called, 0);
            // SAFETY: signals of this process, to this thread.
            unsafe {
                let mut all: libc::sigset_t = std::mem::zeroed();
                let mut before: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&raw mut all);
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
                libc::pthread_kill(libc::pthread_self(), libc::SIGUSR1);
                let blocked = !CALLED.load(SeqCst);
                let mut now: libc::sigset_t = std::mem::zeroed();
                libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, &raw mut now);
                let told = libc::sigismember(&raw const now, libc::SIGSEGV) == 1;
                let delivered = CALLED.load(SeqCst);
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGUSR1, std::ptr::null(), &raw mut action);
                (blocked, told, delivered, action.sa_sigaction == called as *const () as usize)
            }
        });
        assert_eq!(outcome, (true, true, true, true));
        assert_eq!(seen.incomplete, None);
        // SAFETY: asks for the action.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGUSR1, std::ptr::null(), &raw mut action);
            assert_eq!(action.sa_sigaction, called as *const () as usize);
        }
        reset(libc::SIGUSR1);
    });
}

#[test]
fn a_mark_in_a_handler_is_refused_and_harmless() {
    in_each_form(|window| {
        extern "C" fn marks(_: i32, _: *mut libc::siginfo_t, _: *mut libc::ucontext_t) {
            mark();
        }
        install(libc::SIGUSR2, marks, 0);
        let (result, seen) = window.counted(|| {
            // SAFETY: a signal to this thread.
            unsafe { libc::raise(libc::SIGUSR2) }
        });
        assert_eq!(result, 0);
        assert_eq!(seen.incomplete, Some(Incomplete::Escaped));
        reset(libc::SIGUSR2);
    });
}

unsafe extern "C" {
    fn __sigsetjmp(buffer: *mut u64, save: i32) -> i32;
    fn siglongjmp(buffer: *mut u64, value: i32) -> !;
}

static mut JUMP: [u64; 64] = [0; 64];

#[test]
fn a_jump_out_of_a_handler_is_refused() {
    in_each_form(|window| {
        extern "C" fn jump(_: i32, _: *mut libc::siginfo_t, _: *mut libc::ucontext_t) {
            // SAFETY: the buffer was filled by the code that was interrupted.
            unsafe { siglongjmp(&raw mut JUMP[0], 1) };
        }
        install(libc::SIGUSR2, jump, 0);
        let ((), seen) = window.counted(|| {
            // SAFETY: no value with a destructor lives across the jump.
            unsafe {
                if __sigsetjmp(&raw mut JUMP[0], 1) == 0 {
                    libc::raise(libc::SIGUSR2);
                }
            }
        });
        assert_eq!(seen.incomplete, Some(Incomplete::Escaped));
        reset(libc::SIGUSR2);
    });
}
