//! Signals while a window is open.
//!
//! Every signal that the program handles comes here first. Handlers of the program run as they are, outside of the
//! translator; they see a frame with the original program counter and every register as it would be natively.
//!
//! - In another thread, or in a child process: the program's handler is called, nothing else.
//! - A fault on a guarded page or on the returns' shadow: made good here, the program never knows.
//! - A fault of the program: the frame is put right and the program's handler called; whatever program counter it leaves
//!   in the frame goes to the translator.
//! - Any other signal at a clean position: likewise. Elsewhere in the cache: the thread is stepped, instruction by
//!   instruction, to a clean position. In the dispatcher: it is noted, and the stepping starts on the way out.
//!
//! Invariant: while a handler of the program runs, `place` is `NATIVE` and nothing depends on code in the cache staying as
//! it is: the frame goes back into the cache only if its program counter is unchanged and no page became dirty.
#![allow(unsafe_code, reason = "signal handlers work on the kernel's frames")]
#![allow(clippy::cast_sign_loss, reason = "signal numbers are small and positive")]

use crate::actions::{self, ACTIONS, SIG_DFL, bit};
use crate::context::{Context, place};
use crate::decode;
use crate::entry;
use crate::frame::{self, Frame};
use crate::guard::{Fault, GUARD};
use crate::keys;
use crate::position::Position;
use crate::report::Incomplete;
use crate::session;
use crate::sys;
use crate::translate::Translator;
use core::ffi::c_void;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// Signals that came at a moment when they couldn't be handed on.
const MAX_PENDING: usize = 64;
const INFO_SIZE: usize = 128;
const TRAP_TRACE: i32 = 2;

#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Info([u8; INFO_SIZE]);

/// The handlers' own state; touched by the measured thread only, with signals blocked.
pub(crate) struct Pending {
    signals: [(i32, Info); MAX_PENDING],
    len: usize,
    /// The thread is being stepped to a clean position.
    stepping: bool,
    /// The thread is to visit the dispatcher at the next clean position.
    to_dispatcher: bool,
    /// The address of an instruction that runs natively, for one step, as it writes to a page it may lie on itself.
    native_step: u64,
    /// The thread left translated code where the program had its vector register.
    vector_given: bool,
    /// Handlers of the program that interrupted translated code and haven't returned.
    pub(crate) active: u32,
}

impl Pending {
    pub(crate) const fn new() -> Self {
        Self {
            signals: [(0, Info([0; INFO_SIZE])); MAX_PENDING],
            len: 0,
            stepping: false,
            to_dispatcher: false,
            native_step: 0,
            vector_given: false,
            active: 0,
        }
    }

    /// Whether the dispatcher has to make the thread trap on its way out.
    pub(crate) fn waits(&self) -> bool {
        self.len > 0 || self.to_dispatcher
    }

    /// The dispatcher has been visited.
    pub(crate) fn visited(&mut self) {
        self.to_dispatcher = false;
    }
}

/// The handler that the kernel knows.
pub(crate) extern "C" fn handler(signal: i32, info: *mut c_void, context: *mut c_void) {
    // SAFETY: the kernel calls with a frame.
    let frame = unsafe { Frame::new(context) };
    if !GUARD.is_measured_thread() {
        elsewhere(signal, info, &frame);
        return;
    }
    // SAFETY: this is the measured thread, and the handler runs either while translated code or a handler of the program
    // is interrupted, when the dispatcher holds no reference, or in the dispatcher, when only `pending` and the context
    // are touched.
    let Some(translator) = (unsafe { session::translator() }) else {
        elsewhere(signal, info, &frame);
        return;
    };
    Visit { t: translator, signal, info, frame }.run();
}

/// A signal in a thread that isn't measured.
fn elsewhere(signal: i32, info: *mut c_void, frame: &Frame) {
    if signal == libc::SIGSEGV {
        // SAFETY: the kernel's siginfo of a fault.
        let (addr, _) = unsafe { fault_address(info) };
        if is_refused(info) && frame.is_write() {
            match GUARD.fault(addr) {
                Fault::Released => {
                    if GUARD.is_measured_process() {
                        GUARD.foreign_writes.fetch_add(1, Relaxed);
                        GUARD.wait_until_seen();
                    }
                    return;
                }
                Fault::Gone => return,
                Fault::Unknown => {}
            }
        }
    }
    let kick = GUARD.kick_signal.load(Relaxed);
    if signal == kick && !actions::is_handler(&ACTIONS.get(signal)) {
        return;
    }
    call_program(signal, info, frame);
}

/// # Safety
/// `info` must be the kernel's siginfo.
unsafe fn fault_address(info: *mut c_void) -> (u64, bool) {
    // SAFETY: the promise of the caller.
    unsafe {
        let info = info.cast::<libc::siginfo_t>();
        ((*info).si_addr() as u64, (*info).si_code > 0)
    }
}

/// A fault on mapped memory that denies the access; not one by a protection key, which guarding doesn't cause.
fn is_refused(info: *mut c_void) -> bool {
    const SEGV_ACCERR: i32 = 2;
    // SAFETY: the kernel's siginfo.
    unsafe { (*info.cast::<libc::siginfo_t>()).si_code == SEGV_ACCERR }
}

/// Calls the program's handler, with the signals blocked that the program wants blocked. A signal without a handler gets
/// its default action, which for those that come here ends the process, as it would have natively.
fn call_program(signal: i32, info: *mut c_void, frame: &Frame) {
    let action = ACTIONS.get(signal);
    if !actions::is_handler(&action) {
        // SAFETY: the kernel's siginfo.
        let (_, synchronous) = unsafe { fault_address(info) };
        // The kernel doesn't let a fault be ignored.
        if action.handler == SIG_DFL || synchronous {
            default_action(signal);
        }
        // What doesn't happen again by itself is sent again.
        if action.handler == SIG_DFL && (!synchronous || signal == libc::SIGTRAP) {
            sys::signal_thread(sys::process_id(), sys::thread_id(), signal);
        }
        return;
    }
    if action.flags & libc::SA_RESETHAND as u64 != 0 {
        ACTIONS.set(signal, &sys::SigAction::default());
    }
    let mut mask = frame.mask() | action.mask;
    if action.flags & libc::SA_NODEFER as u64 == 0 {
        mask |= bit(signal);
    }
    let before =
        sys::sig_mask(libc::SIG_SETMASK, mask & !actions::needed(GUARD.kick_signal.load(Relaxed)));
    // SAFETY: the program gave this address as a handler; a handler of one argument ignores the others.
    unsafe {
        let f: extern "C" fn(i32, *mut c_void, *mut c_void) = core::mem::transmute(action.handler);
        f(signal, info, frame.pointer());
    }
    sys::sig_mask(libc::SIG_SETMASK, before);
}

/// Gives the signal back to the kernel, which ends the process when it happens again.
fn default_action(signal: i32) {
    sys::sig_action(signal, Some(&sys::SigAction::default()));
}

/// One signal in the measured thread.
struct Visit<'a> {
    t: &'a mut Translator,
    signal: i32,
    info: *mut c_void,
    frame: Frame,
}

impl Visit<'_> {
    fn context(&self) -> &Context {
        // SAFETY: the context lives as long as the translator.
        unsafe { &*self.t.arena.context }
    }

    fn run(mut self) {
        // SAFETY: the kernel's siginfo.
        let (addr, synchronous) = unsafe { fault_address(self.info) };
        if self.signal == libc::SIGSEGV && is_refused(self.info) && self.ours(addr) {
            return;
        }
        match self.signal {
            libc::SIGTRAP if self.is_step() => self.step(),
            libc::SIGSEGV
            | libc::SIGBUS
            | libc::SIGILL
            | libc::SIGFPE
            | libc::SIGTRAP
            | libc::SIGSYS
                if synchronous =>
            {
                self.program_fault();
            }
            s if s == GUARD.kick_signal.load(Relaxed) => {
                self.t.pending.to_dispatcher = true;
                self.arrive_or_step();
            }
            _ => {
                self.t.tally.signals += 1;
                self.queue();
                self.arrive_or_step();
            }
        }
    }

    /// Makes a fault good that the counter itself is the cause of.
    fn ours(&mut self, addr: u64) -> bool {
        if self.t.shadow.as_ref().is_some_and(|s| s.back(addr)) {
            return true;
        }
        if !self.frame.is_write() {
            return false;
        }
        match GUARD.fault(addr) {
            Fault::Unknown => return false,
            Fault::Gone => return true,
            Fault::Released => {}
        }
        self.t.tally.write_faults += 1;
        let pc = self.frame.pc();
        if !self.t.cache.contains(pc) {
            // A handler of the program, or a native step: it goes on writing, and the way back looks at the notes.
            return true;
        }
        let Some(position) = self.t.cache.position(pc) else {
            return true;
        };
        self.t.cache.restore_set_aside(pc, &mut self.frame);
        self.t.leave_block(position);
        self.t.pending.vector_given = position.vector_given;
        let repeated =
            keys::reading_all(self.t.has_keys, || decode::is_repeated_at(position.original));
        if repeated && sys::page_of(position.original) != sys::page_of(addr) {
            // One step would be one of many rounds. In a chain of one block, nothing guards the page again before.
            self.t.next_chain_is_single = true;
            self.redirect(position.original);
        } else {
            self.t.pending.native_step = position.original;
            self.frame.set_pc(position.original);
            self.frame.set_trap_flag(true);
            self.set_place(place::NATIVE);
        }
        true
    }

    fn is_step(&self) -> bool {
        // SAFETY: the kernel's siginfo.
        let code = unsafe { (*self.info.cast::<libc::siginfo_t>()).si_code };
        code == TRAP_TRACE
            && (self.t.pending.stepping
                || self.t.pending.native_step != 0
                || self.context().rflags & frame::TRAP != 0)
    }

    /// The thread has executed one instruction with the trap flag set.
    fn step(&mut self) {
        self.t.tally.steps += 1;
        let pc = self.frame.pc();
        let native = self.t.pending.native_step;
        if native != 0 {
            if pc != native {
                self.t.pending.native_step = 0;
                self.t.count_alone(native);
                self.frame.set_trap_flag(false);
                self.redirect(pc);
            }
            return;
        }
        self.arrive_or_step();
    }

    /// Hands the waiting signals on if this is the moment; else sees to it that the moment comes.
    fn arrive_or_step(&mut self) {
        let pc = self.frame.pc();
        let place_now = self.context().place.load(SeqCst);
        self.t.pending.stepping = false;
        self.frame.set_trap_flag(false);
        if self.t.cache.contains(pc) {
            match self.t.cache.position(pc).filter(|p| p.clean) {
                Some(position) => self.arrive(position),
                None => self.keep_stepping(),
            }
        } else if entry::is_after_flags(pc) {
            self.keep_stepping();
        } else if place_now == place::DISPATCH || entry::is_in_entry(pc) {
            // The flags that the dispatcher gives back make the thread trap once it is back.
            // SAFETY: a word of the context, which only this thread uses; or the word that is about to be popped.
            unsafe {
                (*self.t.arena.context).rflags |= frame::TRAP;
                if entry::is_at_pop_flags(pc) {
                    *(self.frame.sp() as *mut u64) |= frame::TRAP;
                }
            }
        } else if self.t.pending.native_step != 0 {
            // Between the fault and the step.
            self.frame.set_trap_flag(true);
            self.seen_by_program(Self::hand_on);
        } else {
            // In a handler of the program or a gate: the state is the program's own.
            self.t.pending.to_dispatcher = false;
            self.hand_on();
        }
    }

    fn keep_stepping(&mut self) {
        self.t.pending.stepping = true;
        self.frame.set_trap_flag(true);
    }

    /// At a clean position.
    fn arrive(&mut self, position: Position) {
        let pc = self.frame.pc();
        let place_before = self.context().place.load(SeqCst);
        self.clear_dispatcher_trap();
        let mut target = position.original;
        if self.t.pending.len > 0 {
            self.frame.set_pc(target);
            self.set_place(place::NATIVE);
            self.t.pending.active += 1;
            self.seen_by_program(Self::hand_on);
            self.t.pending.active -= 1;
            self.set_place(place_before);
            target = self.frame.pc();
        }
        if target == position.original && !self.t.pending.to_dispatcher && !GUARD.has_notes() {
            self.frame.set_pc(pc);
        } else {
            self.t.leave_block(position);
            self.redirect(target);
        }
    }

    /// Does what shows the frame of translated code to the program.
    fn seen_by_program(&mut self, f: impl FnOnce(&mut Self)) {
        let given = self.t.pending.vector_given;
        self.show_vector(given);
        f(self);
        if let Some(accumulator) = self.t.accumulator.as_ref().filter(|_| !given) {
            accumulator.hide_from_program(&mut self.frame);
        }
    }

    /// Puts the program's vector register in the frame, unless it is `given` there.
    fn show_vector(&mut self, given: bool) {
        if let Some(accumulator) = self.t.accumulator.as_ref().filter(|_| !given) {
            accumulator.show_to_program(&mut self.frame);
        }
    }

    fn clear_dispatcher_trap(&self) {
        // SAFETY: a word of the context, which only this thread uses.
        unsafe { (*self.t.arena.context).rflags &= !frame::TRAP };
    }

    /// Calls the program's handlers for all waiting signals.
    fn hand_on(&mut self) {
        while self.t.pending.len > 0 {
            self.t.pending.len -= 1;
            let (signal, mut info) = self.t.pending.signals[0];
            self.t.pending.signals.copy_within(1.., 0);
            if actions::is_handler(&ACTIONS.get(signal)) {
                call_program(signal, (&raw mut info).cast(), &self.frame);
            } else if ACTIONS.get(signal).handler == SIG_DFL {
                default_action(signal);
                sys::signal_thread(sys::process_id(), sys::thread_id(), signal);
            }
        }
    }

    fn queue(&mut self) {
        let pending = &mut self.t.pending;
        if pending.len == MAX_PENDING {
            session::give_up(Incomplete::SignalsLost);
            return;
        }
        // SAFETY: the kernel's siginfo has this size.
        let info = unsafe { self.info.cast::<Info>().read() };
        pending.signals[pending.len] = (self.signal, info);
        pending.len += 1;
    }

    /// A fault that the program made itself.
    fn program_fault(&mut self) {
        self.t.tally.faults += 1;
        let pc = self.frame.pc();
        let action = ACTIONS.get(self.signal);
        if !self.t.cache.contains(pc) {
            // Native code: a handler of the program, a gate, a native step, or code that couldn't be translated.
            if self.t.pending.native_step == pc {
                self.seen_by_program(|visit| call_program(visit.signal, visit.info, &visit.frame));
                self.t.pending.native_step = 0;
                let target = self.frame.pc();
                self.redirect(target);
            } else {
                call_program(self.signal, self.info, &self.frame);
            }
            return;
        }
        let Some(position) = self.t.cache.position(pc) else {
            // Not an instruction of the program: nothing to put right, and nothing to go on from.
            default_action(self.signal);
            return;
        };
        self.t.cache.restore_set_aside(pc, &mut self.frame);
        self.t.leave_block(position);
        self.t.pending.vector_given = position.vector_given;
        self.set_place(place::NATIVE);
        if !actions::is_handler(&action) {
            session::give_up(Incomplete::Crashed);
            // A trap reports the address behind it; natively it is to be hit again.
            let again =
                if self.signal == libc::SIGTRAP { position.last } else { position.original };
            self.frame.set_pc(again);
            self.show_vector(position.vector_given);
            default_action(self.signal);
            return;
        }
        self.frame.set_pc(position.original);
        self.t.pending.active += 1;
        self.seen_by_program(|visit| call_program(visit.signal, visit.info, &visit.frame));
        self.t.pending.active -= 1;
        let target = self.frame.pc();
        self.redirect(target);
    }

    /// Sends the thread to the dispatcher, to go on at an original address with the registers in the frame.
    fn redirect(&mut self, target: u64) {
        self.t.pending.to_dispatcher = false;
        self.t.pending.stepping = false;
        // SAFETY: words of the context, which only this thread uses.
        unsafe { (*self.t.arena.context).target = target };
        self.set_place(place::DISPATCH);
        self.frame.set_trap_flag(false);
        let given = core::mem::take(&mut self.t.pending.vector_given);
        self.frame.set_pc(if given { entry::begin() } else { entry::reenter() });
    }

    fn set_place(&self, place: u64) {
        self.context().place.store(place, SeqCst);
    }
}
