//! Which threads are gated: all, or those of certain names.

use super::helper::{NEVER, stage};
use super::{CREATED, ESCAPED, HELPERS, PLACE, PLACES, USED, note_activity, outside};
use crate::pin::{Pin, real};
use crate::system::thread_number;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::ptr;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use libc::{c_int, pthread_attr_t, pthread_key_t, pthread_t};

/// Room for the names of the threads to be gated, with `+` between them.
const NAMES: usize = 256;

struct Names(UnsafeCell<([u8; NAMES], usize)>);

// SAFETY: written only by `prepare`, which the dynamic loader runs before any thread but the first
// exists, and only read afterwards.
unsafe impl Sync for Names {}

static GATED_NAMES: Names = Names(UnsafeCell::new(([0; NAMES], 0)));

/// The key whose destructor tells that a gated thread ends.
static ENDING: AtomicU32 = AtomicU32::new(0);

/// How often the key's destructor asks to be called again, so that others' run before it: the
/// number of passes that POSIX promises, less one.
const LATER_PASSES: usize = 3;

/// Reads which threads to gate: those of these names, or all when there are none. To be called
/// once, before there are other threads. Returns whether the gate can work.
pub(in super::super) fn prepare(names: &[u8]) -> bool {
    // SAFETY: see `Names`: there is one thread, and no reference has been given out yet.
    let (buffer, length) = unsafe { &mut *GATED_NAMES.0.get() };
    let Some(place) = buffer.get_mut(..names.len()) else { return false };
    place.copy_from_slice(names);
    *length = names.len();
    outside::find_channel();
    let mut key: pthread_key_t = 0;
    // SAFETY: the key's place is valid, and the destructor is never unloaded.
    let made = unsafe { libc::pthread_key_create(&raw mut key, Some(thread_ends)) };
    ENDING.store(key, Relaxed);
    made == 0
}

/// Whether only threads of certain names are gated.
pub(in super::super) fn has_names() -> bool {
    !gated_names().is_empty()
}

fn gated_names() -> &'static [u8] {
    // SAFETY: see `Names`: no write can happen any more.
    let (buffer, length) = unsafe { &*GATED_NAMES.0.get() };
    buffer.get(..*length).unwrap_or(&[])
}

/// The calling thread gets a name.
pub(in super::super) fn on_name(name: &CStr) {
    let names = gated_names();
    let place = PLACE.get().wrapping_sub(1);
    let Some(helper) = HELPERS.get(place).filter(|_| Pin::Gate.is_on() && !names.is_empty()) else {
        return;
    };
    let is_gated = names.split(|byte| *byte == b'+').any(|one| one == name.to_bytes());
    if is_gated && helper.stage.load(Relaxed) == stage::LOOSE {
        helper.begin();
        helper.park(NEVER, false);
    }
}

/// libc's `pthread_create`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    start: *mut c_void,
    argument: *mut c_void,
) -> c_int {
    let Some(real) = real::PTHREAD_CREATE.get() else { return libc::EAGAIN };
    if !Pin::Gate.is_on() {
        // SAFETY: the caller's arguments.
        return unsafe { real(thread, attributes, start, argument) };
    }
    let Some((place, helper)) = HELPERS.iter().enumerate().find(|(_, helper)| helper.take()) else {
        ESCAPED.fetch_add(1, Relaxed);
        // SAFETY: the caller's arguments.
        return unsafe { real(thread, attributes, start, argument) };
    };
    USED.fetch_max(u32::try_from(place).unwrap_or(0) + 1, AcqRel);
    helper.serial.store(CREATED.fetch_add(1, Relaxed), Relaxed);
    helper.start.store(start, Relaxed);
    helper.argument.store(argument, Relaxed);
    if gated_names().is_empty() {
        helper.begin();
    }
    note_activity();
    let place = ptr::without_provenance_mut(place + 1);
    // SAFETY: the caller's arguments, with a start function of ours that takes a place.
    let error = unsafe { real(thread, attributes, run as *mut c_void, place) };
    if error != 0 {
        helper.leave();
        helper.has_returned();
    }
    error
}

/// Runs a thread in its place. It may be ended from within by unwinding, as `pthread_exit` does.
extern "C-unwind" fn run(place: *mut c_void) -> *mut c_void {
    let place = place.addr();
    let Some(helper) = HELPERS.get(place.wrapping_sub(1)).filter(|_| place <= PLACES) else {
        return ptr::null_mut();
    };
    PLACE.set(place);
    helper.thread.store(thread_number(), Relaxed);
    // SAFETY: the key exists; the value is a number.
    unsafe { libc::pthread_setspecific(ENDING.load(Relaxed), ptr::without_provenance(place)) };
    let start = helper.start.load(Relaxed);
    let argument = helper.argument.load(Relaxed);
    if helper.is_gated() {
        helper.park(NEVER, false);
    }
    // SAFETY: `pthread_create` got a function of this type as its argument.
    let start = unsafe {
        core::mem::transmute::<*mut c_void, extern "C-unwind" fn(*mut c_void) -> *mut c_void>(start)
    };
    start(argument)
}

/// The destructor of the key: the value is the place, plus `PLACES + 1` per pass so far.
unsafe extern "C" fn thread_ends(value: *mut c_void) {
    let (passes, place) = (value.addr() / (PLACES + 1), value.addr() % (PLACES + 1));
    if passes < LATER_PASSES {
        let next = ptr::without_provenance(value.addr() + PLACES + 1);
        // SAFETY: the key exists; the value is a number.
        unsafe { libc::pthread_setspecific(ENDING.load(Relaxed), next) };
        return;
    }
    if let Some(helper) = HELPERS.get(place.wrapping_sub(1)) {
        PLACE.set(0);
        note_activity();
        helper.leave();
    }
}
