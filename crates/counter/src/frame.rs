//! The registers of an interrupted thread, as the kernel hands them to a signal handler.
#![allow(unsafe_code, reason = "the frame is the kernel's, reached by pointer")]
#![allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "libc gives the frame's registers signed types and its indices a signed type"
)]

use core::ffi::c_void;

const TRAP_FLAG: u64 = 1 << 8;

/// Places in the frame of the registers in the order of their encoding.
const PLACES: [i32; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

/// A frame; valid as long as the handler that got it runs.
pub(crate) struct Frame(*mut libc::ucontext_t);

impl Frame {
    /// # Safety
    /// `context` must be the third argument of a running signal handler.
    pub(crate) unsafe fn new(context: *mut c_void) -> Self {
        Self(context.cast())
    }

    fn word(&self, index: i32) -> *mut i64 {
        // SAFETY: by the promise of `new`, and the index is one of libc's.
        unsafe { &raw mut (*self.0).uc_mcontext.gregs[index as usize] }
    }

    fn get(&self, index: i32) -> u64 {
        // SAFETY: see `word`.
        unsafe { *self.word(index) as u64 }
    }

    fn set(&mut self, index: i32, value: u64) {
        // SAFETY: see `word`.
        unsafe { *self.word(index) = value.cast_signed() }
    }

    pub(crate) fn pc(&self) -> u64 {
        self.get(libc::REG_RIP)
    }

    pub(crate) fn set_pc(&mut self, pc: u64) {
        self.set(libc::REG_RIP, pc);
    }

    pub(crate) fn sp(&self) -> u64 {
        self.get(libc::REG_RSP)
    }

    /// Sets a register by its number in the encoding.
    pub(crate) fn set_reg(&mut self, reg: u8, value: u64) {
        self.set(PLACES[usize::from(reg & 15)], value);
    }

    /// Whether the thread is to trap after its next instruction.
    pub(crate) fn set_trap_flag(&mut self, on: bool) {
        let flags = self.get(libc::REG_EFL);
        let flags = if on { flags | TRAP_FLAG } else { flags & !TRAP_FLAG };
        self.set(libc::REG_EFL, flags);
    }

    /// Whether the access that faulted was a write.
    pub(crate) fn is_write(&self) -> bool {
        const WRITE: u64 = 1 << 1;
        self.get(libc::REG_ERR) & WRITE != 0
    }

    /// A vector register from number 16 on, all of it; `None` if the frame doesn't hold it, as its value is zero.
    ///
    /// The layout is that of `struct _fpstate` in Linux's `asm/sigcontext.h`, behind which the state follows in the standard
    /// form of `xsave` (Intel's manual, volume 1, 13.4).
    pub(crate) fn vector(&self, number: usize) -> Option<*mut [u64; 8]> {
        const MAGIC: u32 = 0x4650_5853;
        const MAGIC_AT: usize = 464;
        const STATE_HELD_AT: usize = 512;
        const HIGH_VECTORS: u32 = 7;
        // SAFETY: by the promise of `new`; the kernel's area ends behind its legacy part unless the magic number is there.
        unsafe {
            let state = (*self.0).uc_mcontext.fpregs.cast::<u8>();
            if state.is_null() || state.add(MAGIC_AT).cast::<u32>().read_unaligned() != MAGIC {
                return None;
            }
            let held = state.add(STATE_HELD_AT).cast::<u64>().read_unaligned();
            if held & 1 << HIGH_VECTORS == 0 {
                return None;
            }
            let part = core::arch::x86_64::__cpuid_count(0xd, HIGH_VECTORS).ebx as usize;
            Some(state.add(part + (number - 16) * size_of::<[u64; 8]>()).cast())
        }
    }

    /// The signals that were blocked when the signal came.
    pub(crate) fn mask(&self) -> u64 {
        // SAFETY: the kernel's mask is the first word of libc's larger type.
        unsafe { *(&raw const (*self.0).uc_sigmask).cast::<u64>() }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.0.cast()
    }
}

pub(crate) const TRAP: u64 = TRAP_FLAG;
