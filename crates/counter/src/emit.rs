//! Writing machine code.
//!
//! Invariant: a cursor writes only between its position and its end; whoever translates makes sure beforehand that the
//! largest possible translation fits (`CodeCache::has_room`).
#![allow(unsafe_code, reason = "machine code is written to memory reserved for it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "displacements are checked to fit where they are computed"
)]

/// A register by its number in the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reg(pub(crate) u8);

pub(crate) const RAX: Reg = Reg(0);
pub(crate) const RCX: Reg = Reg(1);

/// A position in the code cache.
pub(crate) struct Cursor {
    pub(crate) at: u64,
    pub(crate) end: u64,
}

impl Cursor {
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        debug_assert!(self.at + bytes.len() as u64 <= self.end);
        // SAFETY: see the head of the module.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at as *mut u8, bytes.len());
        }
        self.at += bytes.len() as u64;
    }

    /// Copies `[from, to)`, code that can be read up to `readable`.
    #[inline]
    pub(crate) fn code(&mut self, from: u64, to: u64, readable: u64) {
        const STEP: u64 = 16;
        let end = self.at + (to - from);
        if to + STEP > readable {
            // SAFETY: the caller's code, and see the head of the module.
            unsafe {
                core::ptr::copy_nonoverlapping(
                    from as *const u8,
                    self.at as *mut u8,
                    (to - from) as usize,
                );
            }
        } else {
            let mut done = 0;
            while done < to - from {
                // SAFETY: as above; what is written too much is overwritten by what is emitted next.
                unsafe {
                    let step = ((from + done) as *const u128).read_unaligned();
                    ((self.at + done) as *mut u128).write_unaligned(step);
                }
                done += STEP;
            }
        }
        self.at = end;
        debug_assert!(self.at + STEP <= self.end);
    }

    pub(crate) fn imm32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn imm64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    /// `opcode` with an operand relative to the instruction pointer; `tail` bytes of immediate follow the displacement.
    pub(crate) fn rip(&mut self, opcode: &[u8], address: u64, tail: u64) {
        let next = self.at + opcode.len() as u64 + 4 + tail;
        self.bytes(opcode);
        self.imm32(address.wrapping_sub(next) as u32);
    }

    /// `mov [address], reg`
    pub(crate) fn store(&mut self, address: u64, reg: Reg) {
        let Reg(r) = reg;
        self.rip(&[0x48 | r >> 3 << 2, 0x89, 0x05 | (r & 7) << 3], address, 0);
    }

    /// `mov reg, [address]`
    pub(crate) fn load(&mut self, reg: Reg, address: u64) {
        let Reg(r) = reg;
        self.rip(&[0x48 | r >> 3 << 2, 0x8b, 0x05 | (r & 7) << 3], address, 0);
    }

    /// `mov reg, value`, in the shortest form.
    pub(crate) fn load_imm(&mut self, reg: Reg, value: u64) {
        let Reg(r) = reg;
        if let Ok(low) = u32::try_from(value) {
            if r >= 8 {
                self.bytes(&[0x41]);
            }
            self.bytes(&[0xb8 | r & 7]);
            self.imm32(low);
        } else {
            self.bytes(&[0x48 | r >> 3, 0xb8 | r & 7]);
            self.imm64(value);
        }
    }

    /// `jmp target`; returns the address of the displacement.
    pub(crate) fn jmp(&mut self, target: u64) -> u64 {
        self.bytes(&[0xe9]);
        self.rel32(target)
    }

    /// `jcc target`; returns the address of the displacement.
    pub(crate) fn jcc(&mut self, condition: u8, target: u64) -> u64 {
        self.bytes(&[0x0f, 0x80 | condition]);
        self.rel32(target)
    }

    fn rel32(&mut self, target: u64) -> u64 {
        let site = self.at;
        self.imm32(0);
        retarget(site, target);
        site
    }

    /// `jrcxz` over the next `over` bytes.
    pub(crate) fn jrcxz(&mut self, over: u8) {
        self.bytes(&[0xe3, over]);
    }

    /// `movzx ecx, cx`
    pub(crate) fn low_word_of_rcx(&mut self) {
        self.bytes(&[0x0f, 0xb7, 0xc9]);
    }

    /// `jmp gs:[rcx*8 + offset]`
    pub(crate) fn jmp_gs_table(&mut self, offset: u32) {
        self.bytes(&[0x65, 0xff, 0x24, 0xcd]);
        self.imm32(offset);
    }

    /// `mov qword [address], value`
    pub(crate) fn store_imm(&mut self, address: u64, value: u32) {
        self.rip(&[0x48, 0xc7, 0x05], address, 4);
        self.imm32(value);
    }

    /// `jmp [address]`
    pub(crate) fn jmp_through(&mut self, address: u64) {
        self.rip(&[0xff, 0x25], address, 0);
    }

    /// `jmp target` to anywhere: the address follows the instruction.
    pub(crate) fn jmp_far(&mut self, target: u64) {
        self.bytes(&[0xff, 0x25, 0, 0, 0, 0]);
        self.imm64(target);
    }
}

/// Points the 32-bit displacement at `site` to `target`.
pub(crate) fn retarget(site: u64, target: u64) {
    let rel = target.wrapping_sub(site + 4) as i64;
    debug_assert!(i32::try_from(rel).is_ok());
    // SAFETY: `site` is a displacement inside the code cache, and the measured thread isn't in the cache (see `guard`).
    unsafe { (site as *mut i32).write_unaligned(rel as i32) };
}
