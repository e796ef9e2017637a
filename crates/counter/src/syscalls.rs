//! System calls of the measured thread.
//!
//! Most run in place, unchanged. The dispatcher looks at each beforehand and acts on those that change code, signals,
//! threads or the counter's own standing; of some it also looks at the outcome.
//!
//! Invariant: the program sees the results that it would see natively: the actions and masks it asked for, not those that
//! the kernel was given.
#![allow(unsafe_code, reason = "arguments of system calls are the program's pointers")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "registers carry numbers, addresses and negative error numbers alike"
)]

use crate::actions::{self, ACTIONS, SIGNAL_END};
use crate::context::{R10, RAX, RCX, RDI, RDX, RSI};
use crate::dispatch::Resume;
use crate::entry;
use crate::guard::GUARD;
use crate::report::Incomplete;
use crate::session;
use crate::signals;
use crate::sys::{self, SigAction};
use crate::translate::Translator;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// A system call to look at again when it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    number: i64,
    args: [u64; 4],
}

const R11: usize = 11;

impl Translator {
    fn regs(&mut self) -> &mut [u64; 16] {
        // SAFETY: the context lives as long as the translator; translated code isn't running.
        unsafe { &mut (*self.arena.context).regs }
    }

    /// In front of the system call instruction at `code`; `next` is the original address behind it.
    pub(crate) fn before_syscall(&mut self, code: u64, next: u64) -> Resume {
        self.going_to = next;
        let regs = *self.regs();
        let number = regs[RAX] as i64;
        self.tally.count_syscall(number);
        match number {
            libc::SYS_mmap
            | libc::SYS_munmap
            | libc::SYS_mprotect
            | libc::SYS_pkey_mprotect
            | libc::SYS_mremap
            | libc::SYS_madvise
            | libc::SYS_shmat => self.await_outcome(number),
            // What may write to guarded memory is refused by the kernel instead of faulting.
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_readv
            | libc::SYS_preadv
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg
            | libc::SYS_getrandom => self.await_outcome(number),
            _ if self.options.after_wake.is_some() && may_wake(number, regs[RSI]) => {
                self.await_outcome(number);
            }
            libc::SYS_rt_sigaction => {
                if let Some(result) = self.set_action(&regs) {
                    return self.emulated(result, next);
                }
            }
            libc::SYS_rt_sigprocmask => {
                if let Some(result) = self.set_mask(&regs) {
                    return self.emulated(result, next);
                }
            }
            libc::SYS_rt_sigreturn => session::give_up(Incomplete::SignalReturn),
            libc::SYS_arch_prctl => session::give_up(Incomplete::SegmentBase),
            libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => {
                let is_thread = number == libc::SYS_clone
                    && regs[RDI] & libc::CLONE_THREAD as u64 != 0
                    || number == libc::SYS_clone3
                        && clone3_flags(regs[RDI]) & libc::CLONE_THREAD as u64 != 0;
                if is_thread {
                    self.tally.threads_started += 1;
                } else {
                    self.tally.children_started += 1;
                }
                return Resume::syscall(self.emit_clone(code, next));
            }
            libc::SYS_exit | libc::SYS_exit_group => session::ending(self, Incomplete::Exited),
            libc::SYS_execve | libc::SYS_execveat => session::ending(self, Incomplete::Executed),
            _ => {}
        }
        Resume::syscall(code)
    }

    fn await_outcome(&mut self, number: i64) {
        let regs = *self.regs();
        self.awaited = Some(Awaited { number, args: [regs[RDI], regs[RSI], regs[RDX], regs[R10]] });
        // SAFETY: the context lives as long as the translator.
        unsafe { (*self.arena.context).attention.store(1, SeqCst) };
    }

    /// Behind a system call that was awaited.
    pub(crate) fn after_syscall(&mut self) {
        let Some(Awaited { number, args }) = self.awaited.take() else {
            return;
        };
        let result = self.regs()[RAX] as i64;
        if let Some(call) = self.options.after_wake.filter(|_| may_wake(number, args[1])) {
            call();
        }
        match number {
            libc::SYS_mmap if result > 0 => {
                self.mapping_changed(result as u64, args[1], args[2] & sys::EXEC != 0)
            }
            libc::SYS_munmap if result == 0 => self.mapping_changed(args[0], args[1], false),
            libc::SYS_mprotect | libc::SYS_pkey_mprotect => {
                self.mapping_changed(args[0], args[1], args[2] & sys::EXEC != 0)
            }
            libc::SYS_mremap if result > 0 => {
                self.mapping_changed(args[0], args[1], false);
                self.mapping_changed(result as u64, args[2], true);
            }
            libc::SYS_shmat if result > 0 => self.mapping_changed(result as u64, 1, true),
            libc::SYS_madvise if result == 0 && !is_mere_advice(args[2]) => {
                let end = args[0].saturating_add(args[1].next_multiple_of(sys::PAGE));
                if self.holds_code(args[0], end) {
                    GUARD.contents_changed(args[0], end);
                    self.look_for_shared_memory();
                }
            }
            _ => {
                if result == sys::EFAULT && GUARD.release_all() {
                    // Once more, with all memory as the program thinks it is.
                    self.tally.syscalls_repeated += 1;
                    let all = [args[0], args[1], args[2], args[3], self.regs()[8], self.regs()[9]];
                    // SAFETY: the program's own system call.
                    let again = unsafe { sys::call(number, all) };
                    self.regs()[RAX] = again as u64;
                }
            }
        }
    }

    fn holds_code(&self, start: u64, end: u64) -> bool {
        self.space.all().iter().any(|r| r.exec && r.start < end && start < r.end)
    }

    /// A mapping changed; of interest if code was or may now be there, or if memory may be shown twice.
    fn mapping_changed(&mut self, start: u64, len: u64, may_be_code: bool) {
        let end = start.saturating_add(len.next_multiple_of(sys::PAGE));
        if self.holds_code(start, end) {
            self.tally.code_mappings_changed += 1;
            GUARD.remapped(start, end);
        } else if may_be_code && self.space.shares_low_half(start, end) {
            // Otherwise the mappings are read when control first gets there.
            self.read_space_again();
        }
        self.look_for_shared_memory();
    }

    /// A new view of guarded memory may have appeared, or its contents have changed in all views: looks for all of them
    /// again.
    fn look_for_shared_memory(&mut self) {
        if GUARD.has_shared() {
            self.space.refresh();
            self.discard_all();
        }
    }

    /// Does a call's work itself: `rax` is the result.
    fn emulated(&mut self, result: i64, next: u64) -> Resume {
        // SAFETY: the context lives as long as the translator.
        let flags = unsafe { (*self.arena.context).rflags };
        let regs = self.regs();
        regs[RAX] = result as u64;
        regs[RCX] = next;
        regs[R11] = flags;
        self.go_to(next, false)
    }

    /// `rt_sigaction`: the table takes the program's action, the kernel gets ours. `None`: the kernel is to answer.
    fn set_action(&mut self, regs: &[u64; 16]) -> Option<i64> {
        let signal = i32::try_from(regs[RDI]).ok()?;
        let (new, old) = (regs[RSI], regs[RDX]);
        let valid = (1..SIGNAL_END).contains(&signal) && regs[R10] == 8;
        if !valid || signal == libc::SIGKILL || signal == libc::SIGSTOP {
            return None;
        }
        let before = ACTIONS.get(signal);
        let mut action = SigAction::default();
        if new != 0 {
            let size = size_of::<SigAction>();
            if !copy(new, &raw mut action as u64, size) {
                return Some(sys::EFAULT);
            }
            let kick = GUARD.kick_signal.load(Relaxed);
            ACTIONS.set(signal, &action);
            if actions::is_handler(&action) || actions::needed(kick) & actions::bit(signal) != 0 {
                let ours = actions::ours(
                    signal,
                    kick,
                    &action,
                    signals::handler as *const () as u64,
                    entry::restorer as *const () as u64,
                );
                sys::sig_action(signal, Some(&ours));
            } else {
                sys::sig_action(signal, Some(&action));
            }
        }
        if old != 0 && !copy(&raw const before as u64, old, size_of::<SigAction>()) {
            return Some(sys::EFAULT);
        }
        Some(0)
    }

    /// `rt_sigprocmask`: what the counter needs stays unblocked.
    fn set_mask(&mut self, regs: &[u64; 16]) -> Option<i64> {
        let (how, new, old) = (regs[RDI], regs[RSI], regs[RDX]);
        if new == 0 || regs[R10] != 8 {
            return None;
        }
        let mut set = 0u64;
        if !copy(new, &raw mut set as u64, 8) {
            return Some(sys::EFAULT);
        }
        let needed = actions::needed(GUARD.kick_signal.load(Relaxed));
        let hidden = self.hidden_mask;
        let how = i32::try_from(how).ok()?;
        self.hidden_mask = match how {
            libc::SIG_BLOCK => hidden | set & needed,
            libc::SIG_UNBLOCK => hidden & !set,
            libc::SIG_SETMASK => set & needed,
            _ => return None,
        };
        let passed = if how == libc::SIG_UNBLOCK { set } else { set & !needed };
        let before = sys::sig_mask(how, passed) | hidden;
        if old != 0 && !copy(&raw const before as u64, old, 8) {
            return Some(sys::EFAULT);
        }
        Some(0)
    }

    /// A clone's child goes on natively, the parent behind the call's own instruction at `code`.
    fn emit_clone(&mut self, code: u64, next: u64) -> u64 {
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        let cold = &mut self.cache.cold;
        let start = cold.at;
        cold.bytes(&SYSCALL);
        cold.bytes(&[0x48, 0x89, 0xc1]); // mov rcx, rax
        cold.jrcxz(crate::pads::JMP_LEN);
        cold.jmp(code + SYSCALL.len() as u64);
        if let Some(accumulator) = &self.accumulator {
            accumulator.emit_load(cold);
        }
        cold.load_imm(crate::emit::RCX, next);
        cold.jmp_far(next);
        start
    }
}

/// Advice that leaves the contents as they are.
fn is_mere_advice(advice: u64) -> bool {
    !matches!(advice as i32, libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_REMOVE)
}

/// Whether a call may wake a thread that sleeps: on a futex, or for a file that is written to. `second` is its second
/// argument.
fn may_wake(number: i64, second: u64) -> bool {
    let waits = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET, libc::FUTEX_LOCK_PI];
    let command = second as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    match number {
        libc::SYS_futex => !waits.contains(&command),
        libc::SYS_write | libc::SYS_writev | libc::SYS_sendto | libc::SYS_sendmsg => true,
        _ => false,
    }
}

fn clone3_flags(args: u64) -> u64 {
    let mut flags = 0u64;
    copy(args, &raw mut flags as u64, 8);
    flags
}

const EPERM: i64 = -(libc::EPERM as i64);
const ENOSYS: i64 = -(libc::ENOSYS as i64);

/// Copies within this process; false instead of a fault when one side isn't mapped.
fn copy(from: u64, to: u64, len: usize) -> bool {
    let local = [to, len as u64];
    let remote = [from, len as u64];
    let pid = sys::process_id() as u64;
    // SAFETY: the kernel checks both ranges; the destination is the program's, or a local of the caller.
    let copied = unsafe {
        sys::call(
            libc::SYS_process_vm_readv,
            [pid, local.as_ptr() as u64, 1, remote.as_ptr() as u64, 1, 0],
        )
    };
    match copied {
        EPERM | ENOSYS => {
            // Containers may forbid the call: then the program's pointers are trusted.
            // SAFETY: as far as the program's pointers are right.
            unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, len) };
            true
        }
        n => n == len as i64,
    }
}
