//! Client requests to callgrind. A request is a fixed sequence of instructions that does nothing
//! on a processor and that Valgrind's translator recognises, so it needs no symbols.
//!
//! Sequence and numbers: `include/valgrind/valgrind.h` and `callgrind.h` of Valgrind.

/// `VG_USERREQ_TOOL_BASE('C', 'T')`.
const BASE: u64 = ((b'C' as u64) << 24) | ((b'T' as u64) << 16);

/// Turns instrumentation on for all threads; until then Valgrind translates without counting,
/// which is several times faster.
pub(crate) fn start_instrumentation() {
    request(BASE + 4);
}

/// Turns instrumentation off again.
pub(crate) fn stop_instrumentation() {
    request(BASE + 5);
}

/// Flips whether the calling thread's events are collected; other threads keep their own state.
pub(crate) fn toggle_collecting() {
    request(BASE + 2);
}

/// Writes what was collected since the last dump to the next numbered output file.
pub(crate) fn dump_counts() {
    request(BASE);
}

#[cfg(target_arch = "x86_64")]
fn request(number: u64) {
    let arguments: [u64; 6] = [number, 0, 0, 0, 0, 0];
    // SAFETY: the four rotations of rdi add up to 128 bits, so it keeps its value, and exchanging
    // rbx with itself changes nothing: outside Valgrind this only changes flags. Inside, Valgrind
    // reads `arguments` through rax and puts a result into rdx.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0_u64 => _,
            options(nostack),
        );
    }
}

#[cfg(target_arch = "aarch64")]
fn request(number: u64) {
    let arguments: [u64; 6] = [number, 0, 0, 0, 0, 0];
    // SAFETY: the rotations of x12 add up to 128 bits and x10 is combined with itself, so outside
    // Valgrind nothing changes. Inside, Valgrind reads `arguments` through x4 and puts a result
    // into x3.
    unsafe {
        core::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") arguments.as_ptr(),
            inout("x3") 0_u64 => _,
            options(nostack),
        );
    }
}
