//! Constant randomness: the kernel's random bytes are replaced by a fixed sequence.
//!
//! Each thread has a sequence of its own, so that what one draws doesn't depend on how fast another
//! is. No part of a sequence comes twice: programs make unique names of it. It is predictable for
//! everyone, and lives and ends with the measured process; its children draw the kernel's again.

use super::{Pin, gate, inputs, is_main, resources};
use crate::system::{address, call, checked, checked_int};
use core::cell::Cell;
use core::sync::atomic::{AtomicI32, Ordering::Relaxed};
use libc::{c_int, c_uint, c_void, size_t, ssize_t};

/// Differs from any other use of the same generator.
const SEED: u64 = 0x7469_6572_6761_7465;
/// How far apart the sequences of two threads begin.
const THREAD: u64 = 0xd134_2543_de82_ef95;
/// The step of the generator (SplitMix64).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

std::thread_local! {
    /// The calling thread's state; 0 before its first draw.
    static STATE: Cell<u64> = const { Cell::new(0) };
}

/// Open descriptors of the random devices.
static DEVICES: [AtomicI32; 8] = [const { AtomicI32::new(-1) }; 8];

fn draw() -> u64 {
    let mut state = STATE.get();
    if state == 0 {
        let thread = if is_main() { 0 } else { gate::serial() };
        state = SEED.wrapping_add(thread.wrapping_mul(THREAD)) | 1;
    }
    state = state.wrapping_add(STEP);
    STATE.set(state);
    mixed(state)
}

fn mixed(state: u64) -> u64 {
    let one = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let two = (one ^ (one >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    two ^ (two >> 31)
}

/// # Safety
/// The place is valid for writes of so many bytes.
unsafe fn fill(place: *mut u8, length: usize) {
    let mut done = 0;
    while done < length {
        let bytes = draw().to_ne_bytes();
        let part = bytes.len().min(length - done);
        // SAFETY: `done + part` does not exceed the length, for which the caller answers.
        unsafe { place.add(done).copy_from_nonoverlapping(bytes.as_ptr(), part) };
        done += part;
    }
}

/// The override of `getrandom`, for calls by whichever name.
///
/// # Safety
/// As the kernel's call.
pub(super) unsafe fn random(place: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    if Pin::Random.is_on() && !place.is_null() {
        // SAFETY: the caller's place.
        unsafe { fill(place.cast(), length) };
        return ssize_t::try_from(length).unwrap_or(-1);
    }
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    // SAFETY: the kernel checks the arguments.
    let result =
        unsafe { call(libc::SYS_getrandom, [address(place), length, flags.into(), 0, 0, 0]) };
    ssize_t::try_from(checked(result)).unwrap_or(-1)
}

/// libc's `getrandom`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(place: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the caller's arguments.
    unsafe { random(place, length, flags) }
}

/// libc's `getentropy`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn getentropy(place: *mut c_void, length: size_t) -> c_int {
    const LONGEST: size_t = 256;
    if length > LONGEST {
        crate::system::set_errno(libc::EIO);
        return -1;
    }
    // SAFETY: the caller's arguments.
    if unsafe { random(place, length, 0) }.cast_unsigned() == length { 0 } else { -1 }
}

/// A random device as a file, which has an end: what libc's streams read, they read by calls that
/// can't be overridden.
pub(super) fn as_file() -> Option<c_int> {
    // A thread's stack can be small.
    const PART: usize = 4_096;
    const PARTS: usize = 16;
    let file = Pin::Random.is_on().then(resources::new_file).flatten()?;
    let mut part = [0_u8; PART];
    for number in 0..PARTS {
        // SAFETY: the part is as long as said.
        unsafe { fill(part.as_mut_ptr(), PART) };
        let offset = i64::try_from(number * PART).unwrap_or(i64::MAX);
        if !resources::write_at(file, &part, offset) {
            return None;
        }
    }
    Some(file)
}

/// Remembers the descriptor of a random device.
pub(super) fn opened(file: c_int) {
    if Pin::Random.is_on() && file >= 0 {
        let free = DEVICES.iter().find(|device| !is_random_device(device.load(Relaxed)));
        // With all places taken the device gives the kernel's bytes.
        if let Some(free) = free {
            free.store(file, Relaxed);
        }
    }
}

/// Whether the descriptor stands for a random device now: it may have been closed, and its number
/// used again.
fn is_random_device(file: c_int) -> bool {
    const MEMORY_DEVICES: c_uint = 1;
    let mut status = core::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the place is valid; the kernel checks the descriptor.
    let found = file >= 0
        && unsafe {
            call(libc::SYS_fstat, [file.into(), address(status.as_mut_ptr()), 0, 0, 0, 0])
        } == 0;
    // SAFETY: zeros are a valid value, whether the kernel has filled it or not.
    let device = unsafe { status.assume_init() }.st_rdev;
    found && libc::major(device) == MEMORY_DEVICES && matches!(libc::minor(device), 8 | 9)
}

/// libc's `read`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn read(file: c_int, place: *mut c_void, length: size_t) -> ssize_t {
    if Pin::Random.is_on()
        && DEVICES.iter().any(|device| device.load(Relaxed) == file)
        && is_random_device(file)
        && !place.is_null()
    {
        // SAFETY: the caller's place.
        unsafe { fill(place.cast(), length) };
        return ssize_t::try_from(length).unwrap_or(-1);
    }
    inputs::await_input(file);
    let arguments = [file.into(), address(place), i64::try_from(length).unwrap_or(0), 0, 0, 0];
    // SAFETY: the caller's arguments, which the kernel checks.
    ssize_t::try_from(checked(unsafe { call(libc::SYS_read, arguments) })).unwrap_or(-1)
}

/// libc's `arc4random`.
#[unsafe(no_mangle)]
extern "C" fn arc4random() -> u32 {
    let mut value = 0_u32;
    // SAFETY: the place is as long as said.
    unsafe { random((&raw mut value).cast(), size_of::<u32>(), 0) };
    value
}

/// libc's `arc4random_buf`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn arc4random_buf(place: *mut c_void, length: size_t) {
    // SAFETY: the caller's arguments.
    unsafe { random(place, length, 0) };
}

/// libc's `arc4random_uniform`.
#[unsafe(no_mangle)]
extern "C" fn arc4random_uniform(bound: u32) -> u32 {
    // The product's upper half is uniform to one part in 2^32, which nobody can tell.
    let scaled = (u64::from(arc4random()) * u64::from(bound)) >> 32;
    u32::try_from(scaled).unwrap_or(0)
}

/// The result of an `open` whose path was a random device's or not.
pub(super) fn noted(result: i64, is_device: bool) -> c_int {
    let file = checked_int(result);
    if is_device {
        opened(file);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_draw_comes_twice_and_threads_differ() {
        let ours: Vec<u64> = (0..1000).map(|_| draw()).collect();
        let theirs = std::thread::spawn(|| (0..1000).map(|_| draw()).collect::<Vec<_>>());
        let mut all: Vec<u64> = ours.into_iter().chain(theirs.join().unwrap()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2000);
    }

    #[test]
    fn every_byte_is_filled_and_none_beyond() {
        for length in 0..40 {
            let mut place = [0_u8; 48];
            // SAFETY: the place is longer.
            unsafe { fill(place.as_mut_ptr(), length) };
            assert!(place[length..].iter().all(|byte| *byte == 0));
            assert!(length < 8 || place[..length].iter().any(|byte| *byte != 0));
        }
    }
}
