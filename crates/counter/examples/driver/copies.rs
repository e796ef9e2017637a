//! Copies of the process at the first mark, for the comparison of one window with itself.
//!
//! The process forks at the mark, and what comes out has one thread and doesn't change any more. It forks in turn: one
//! copy for a tracer to step through, natively, and three that are counted: two with profiles, one in total only. All begin with the same memory, registers and
//! addresses, so they do the same, as far as that is all that the program goes by.

use crate::{setting, system_call, write_file};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The value of `TIERGATE_DRIVER_MODE` that asks for copies.
pub(crate) const MODE: &str = "copies";
/// First argument of the forks that a tracer is to follow: of the copy that forks itself, and of the one to be stepped.
const SOURCE: u64 = 0x7469_6572_6761_7465;
const STEPPED: u64 = SOURCE + 1;
/// Counted copies, of which the last keeps the total only.
const COUNTED: u64 = 3;

/// The number of the counted copy that this process is; 0 when it is none.
static COPY: AtomicU64 = AtomicU64::new(0);

/// What becomes of the process behind the mark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Stepped,
    Counted,
}

/// The number of the counted copy, as a suffix of files' names.
pub(crate) fn suffix() -> String {
    match COPY.load(Relaxed) {
        0 => String::new(),
        number => format!("-{number}"),
    }
}

/// Whether this is a copy, which ends with its window.
pub(crate) fn is_copy() -> bool {
    COPY.load(Relaxed) != 0
}

/// Whether this is the copy that keeps no profile.
pub(crate) fn keeps_total_only() -> bool {
    COPY.load(Relaxed) == COUNTED
}

/// Ends the process without anything else.
pub(crate) fn end() -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { system_call(libc::SYS_exit_group, [0; 4]) };
    }
}

/// Makes the copies, and returns in each. `gate` is where the window ends, `own` the driver's own code: the tracer finds
/// them in the arguments of the fork.
pub(crate) fn make(gate: u64, own: &std::ops::Range<u64>) -> Role {
    let for_tracer = |word| [word, gate, own.start, own.end];
    // The end of a copy is not to call a handler of the program.
    let mask = set_mask(libc::SIG_BLOCK, 1 << (libc::SIGCHLD - 1));
    if fork(for_tracer(SOURCE)) {
        if fork(for_tracer(STEPPED)) {
            set_mask(libc::SIG_SETMASK, mask);
            return Role::Stepped;
        }
        for number in 1..=COUNTED {
            COPY.store(number, Relaxed);
            if fork([0; 4]) {
                set_mask(libc::SIG_SETMASK, mask);
                return Role::Counted;
            }
        }
    }
    end();
}

/// True in the child; in the parent false, after the child's end.
fn fork(arguments: [u64; 4]) -> bool {
    // SAFETY: the kernel ignores the arguments. The child goes on with a copy of everything but other threads.
    let child = unsafe { system_call(libc::SYS_fork, arguments) };
    if child == 0 {
        // SAFETY: a copy that hangs ends with the process that waits for it.
        unsafe {
            system_call(
                libc::SYS_prctl,
                [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64, 0, 0],
            )
        };
        return true;
    }
    if child.cast_signed() < 0 {
        write_file("/dev/stderr", "the process can't be copied\n");
        end();
    }
    // SAFETY: no memory is given.
    unsafe { system_call(libc::SYS_wait4, [child, 0, 0, 0]) };
    false
}

/// As `sigprocmask`; returns the mask from before.
fn set_mask(how: i32, set: u64) -> u64 {
    const SIZE: u64 = 8;
    let mut before = 0u64;
    let arguments = [how as u64, &raw const set as u64, &raw mut before as u64, SIZE];
    // SAFETY: both masks are on this stack.
    unsafe { system_call(libc::SYS_rt_sigprocmask, arguments) };
    before
}

/// libc's `madvise`, by which engines withhold memory from copies of their process.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn madvise(at: *mut libc::c_void, length: usize, advice: i32) -> i32 {
    if advice == libc::MADV_DONTFORK && setting(c"TIERGATE_DRIVER_MODE").as_deref() == Some(MODE) {
        return 0;
    }
    let arguments = [at as u64, length as u64, advice as u64, 0];
    // SAFETY: the program's own call.
    let result = unsafe { system_call(libc::SYS_madvise, arguments) }.cast_signed();
    if result < 0 {
        // SAFETY: `errno` is this thread's.
        unsafe { *libc::__errno_location() = -result as i32 };
        return -1;
    }
    0
}
