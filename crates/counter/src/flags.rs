//! Which arithmetic flags are dead, so that a counter can be incremented without saving them.
//!
//! Invariants: "dead" is only said when every way on from the point writes the flag before it reads it. What lies beyond a
//! block is looked at only where it can't change unnoticed: in code that is fixed, or on the pages that the block itself
//! lies on (a write there discards the block).
#![allow(unsafe_code, reason = "the application's code is read where it lies")]
#![allow(clippy::cast_possible_truncation, reason = "the arithmetic flags are the lowest six bits")]

use crate::decode::{self, Insn, Role};
use crate::space::AddressSpace;
use iced_x86::{Instruction, Mnemonic, OpKind, RflagsBits};

/// The flags that `inc` writes; it leaves the carry alone.
pub(crate) const INC: u8 =
    (RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::PF) as u8;
/// All that `cmp` writes: the arithmetic flags.
pub(crate) const CMP: u8 = INC | RflagsBits::CF as u8;

/// Instructions looked at after a point before giving up.
const REACH: usize = 14;

/// Flags that `i` writes in every case, whatever its operands hold.
pub(crate) fn killed(i: &Instruction) -> u8 {
    match i.mnemonic() {
        // A count of zero leaves the flags as they are.
        Mnemonic::Shl
        | Mnemonic::Shr
        | Mnemonic::Sar
        | Mnemonic::Sal
        | Mnemonic::Rol
        | Mnemonic::Ror
        | Mnemonic::Rcl
        | Mnemonic::Rcr
            if i.op1_kind() == OpKind::Register || i.immediate8() & 31 == 0 =>
        {
            return 0;
        }
        Mnemonic::Shld | Mnemonic::Shrd
            if i.op2_kind() == OpKind::Register || i.immediate8() & 31 == 0 =>
        {
            return 0;
        }
        _ => {}
    }
    // A repeated string instruction may run zero times.
    if i.has_rep_prefix() || i.has_repne_prefix() {
        return 0;
    }
    let killed = match i.mnemonic() {
        // The manuals call some of their flags undefined, but processors write them from the result.
        Mnemonic::And
        | Mnemonic::Or
        | Mnemonic::Xor
        | Mnemonic::Test
        | Mnemonic::Shl
        | Mnemonic::Shr
        | Mnemonic::Sar
        | Mnemonic::Sal => i.rflags_modified(),
        // Elsewhere an undefined flag may be left as it was (multiplications, bit tests and scans on AMD).
        _ => i.rflags_written() | i.rflags_cleared() | i.rflags_set(),
    };
    killed as u8 & CMP
}

/// Pages on which the look-ahead may read changeable code: those of the block that asks.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Whether all of `wanted` are dead when control reaches `addr`.
pub(crate) fn dead_at(
    space: &AddressSpace,
    scope: Scope,
    addr: u64,
    wanted: u8,
    depth: u32,
) -> bool {
    let Some(region) = space.known(addr).filter(|r| r.exec && r.read) else {
        return false;
    };
    let (start, end) = if region.is_fixed() {
        (region.start, region.end)
    } else {
        (scope.start.max(region.start), scope.end.min(region.end))
    };
    if addr < start || addr >= end {
        return false;
    }
    let mut live = wanted;
    let mut at = addr;
    for _ in 0..REACH {
        // SAFETY: the range lies in a region that is mapped and readable.
        let Some(facts) = (unsafe { decode::facts_at(at, end) }) else {
            return false;
        };
        if facts.reads & live != 0 {
            return false;
        }
        let insn = Insn { addr: at, facts };
        let on = |target| depth > 0 && dead_at(space, scope, target, live, depth - 1);
        match facts.role {
            Role::Plain | Role::StackLoad | Role::UsesAccumulator => {}
            Role::Jump | Role::Call => return on(insn.branch_target()),
            Role::Conditional | Role::CountConditional => {
                return on(insn.branch_target()) && on(insn.next());
            }
            _ => return false,
        }
        live &= !facts.kills;
        if live == 0 {
            return true;
        }
        at = insn.next();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;
    use iced_x86::{Decoder, DecoderOptions};

    fn decode(bytes: &[u8]) -> Instruction {
        Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode()
    }

    #[test]
    fn only_certain_writes_kill() {
        assert_eq!(killed(&decode(&[0x48, 0x01, 0xd8])) & CMP, CMP); // add rax, rbx
        assert_eq!(killed(&decode(&[0x48, 0xd3, 0xe0])), 0); // shl rax, cl
        assert_eq!(killed(&decode(&[0x48, 0xc1, 0xe0, 0x40])), 0); // shl rax, 64: masked to zero
        assert_ne!(killed(&decode(&[0x48, 0xc1, 0xe0, 0x03])) & RflagsBits::ZF as u8, 0); // shl rax, 3
        assert_eq!(killed(&decode(&[0xf3, 0xa6])), 0); // repe cmpsb
        assert_eq!(killed(&decode(&[0x48, 0x0f, 0xa5, 0xd8])), 0); // shld rax, rbx, cl
        assert_eq!(killed(&decode(&[0x48, 0xff, 0xc0])) & CMP, INC); // inc rax
    }

    /// Whether the flags are dead in front of `code`, of which nothing behind its end may be seen.
    fn dead(code: &[u8]) -> bool {
        let page = sys::map(0, sys::PAGE, sys::READ | sys::WRITE | sys::EXEC).expect("memory");
        // SAFETY: a fresh page, and code that is shorter.
        unsafe { core::ptr::copy_nonoverlapping(code.as_ptr(), page as *mut u8, code.len()) };
        let space = AddressSpace::new().expect("memory");
        let scope = Scope { start: page, end: page + code.len() as u64 };
        let result = dead_at(&space, scope, page, INC, 2);
        sys::unmap(page, sys::PAGE);
        result
    }

    #[test]
    fn every_way_on_must_write_first() {
        assert!(dead(&[0x48, 0x01, 0xd8, 0xc3])); // add
        assert!(!dead(&[0x74, 0x00, 0x48, 0x01, 0xd8])); // je reads
        assert!(!dead(&[0x9c, 0x48, 0x01, 0xd8])); // pushf reads
        assert!(!dead(&[0xc3])); // ret: unknown
        assert!(dead(&[0xeb, 0x01, 0x90, 0x31, 0xc0])); // jmp over a nop to xor
        assert!(!dead(&[0xe3, 0x02, 0x31, 0xc0, 0xc3])); // jrcxz to a ret: unknown on one side
        assert!(dead(&[0xe3, 0x02, 0x31, 0xc0, 0x31, 0xdb])); // written on both sides
        assert!(dead(&[0x48, 0xff, 0xc0])); // inc writes them all
    }
}
