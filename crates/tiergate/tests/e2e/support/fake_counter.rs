//! A fake of the kernel's hardware counters: every `perf_event_open` of a run gets a file in place
//! of a counter, from which it reads what a script says.
#![allow(unsafe_code, reason = "a filter of system calls is installed and answered")]

use libc::{c_int, c_ulong, seccomp_notif, seccomp_notif_addfd, sock_filter, sock_fprog};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc;
use std::thread;

/// What one read of a counter gives: its count, and the nanoseconds that it was on and counted.
pub(crate) type Words = [u64; 3];

/// What a program asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opened {
    /// How many were opened before.
    pub(crate) number: usize,
    /// The bits of `struct perf_event_attr` from `disabled` on.
    pub(crate) bits: u64,
}

/// Offset of those bits: see `perf_event_open(2)`.
const BITS_OFFSET: u64 = 40;
const ENABLE: u32 = 0x2400;
const DISABLE: u32 = 0x2401;

/// Runs `run` in a thread in which, as in all processes that it starts, counters are fake. `reads`
/// says for each counter what its reads give, one after the other; after the last one a read gives
/// the end of the file.
pub(crate) fn with_fake_counters<R: Send>(
    reads: impl Fn(Opened) -> Vec<Words> + Send,
    run: impl FnOnce() -> R + Send,
) -> R {
    let (sender, listeners) = mpsc::channel();
    thread::scope(|scope| {
        let run = scope.spawn(move || {
            sender.send(listen().unwrap()).unwrap();
            run()
        });
        let listener = listeners.recv().unwrap();
        answer(&listener, reads);
        run.join().unwrap()
    })
}

/// Holds back the calling thread's `perf_event_open`, to be answered through what comes back.
/// Switching a counter on or off always works.
fn listen() -> io::Result<OwnedFd> {
    let statement = |code: u32, if_so: u8, if_not: u8, operand: u32| sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: if_so,
        jf: if_not,
        k: operand,
    };
    let load = |offset| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    let equal = |value, if_so, if_not| {
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, if_so, if_not, value)
    };
    let give = |what| statement(libc::BPF_RET | libc::BPF_K, 0, 0, what);
    let number = |call: libc::c_long| u32::try_from(call).unwrap();
    // `struct seccomp_data`: the call's number, and from byte 16 on its arguments of 8 bytes each.
    const SECOND_ARGUMENT: u32 = 24;
    let filter = [
        load(0),
        equal(number(libc::SYS_perf_event_open), 4, 0),
        equal(number(libc::SYS_ioctl), 0, 4),
        load(SECOND_ARGUMENT),
        equal(ENABLE, 3, 0),
        equal(DISABLE, 2, 1),
        give(libc::SECCOMP_RET_USER_NOTIF),
        give(libc::SECCOMP_RET_ALLOW),
        // An error of number 0 is success.
        give(libc::SECCOMP_RET_ERRNO),
    ];
    let program = sock_fprog {
        len: u16::try_from(filter.len()).unwrap(),
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: both calls take plain numbers and a program that is valid for as long as the call,
    // which copies it; the descriptor that comes back is owned by nobody else.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(c_int::try_from(descriptor).unwrap()))
    }
}

/// Answers until no thread is left under the filter.
fn answer(listener: &OwnedFd, reads: impl Fn(Opened) -> Vec<Words>) {
    let mut number = 0;
    while wait(listener) {
        // SAFETY: zero is a valid value of every field, and the kernel asks for it.
        let mut call: seccomp_notif = unsafe { zeroed() };
        if control(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call).is_err() {
            // The caller has ended in between.
            continue;
        }
        let counter = counter(&reads(Opened { number, bits: bits(&call) }));
        let mut reply = seccomp_notif_addfd {
            id: call.id,
            flags: u32::try_from(libc::SECCOMP_ADDFD_FLAG_SEND).unwrap(),
            srcfd: counter.as_raw_fd().unsigned_abs(),
            newfd: 0,
            newfd_flags: libc::O_CLOEXEC.unsigned_abs(),
        };
        let _ = control(listener, libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw mut reply);
        number += 1;
    }
}

/// Waits for a call; false when no more can come.
fn wait(listener: &OwnedFd) -> bool {
    let mut poll = libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure, as said.
    unsafe { libc::poll(&raw mut poll, 1, -1) };
    poll.revents & libc::POLLIN != 0
}

fn control<T>(listener: &OwnedFd, request: c_ulong, argument: *mut T) -> io::Result<()> {
    // SAFETY: the argument is the structure that the request is for.
    match unsafe { libc::ioctl(listener.as_raw_fd(), request, argument) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The bits of the attributes that the caller passed.
fn bits(call: &seccomp_notif) -> u64 {
    let mut memory = File::open(format!("/proc/{}/mem", call.pid)).unwrap();
    memory.seek(SeekFrom::Start(call.data.args[0] + BITS_OFFSET)).unwrap();
    let mut bytes = [0; 8];
    io::Read::read_exact(&mut memory, &mut bytes).unwrap();
    u64::from_le_bytes(bytes)
}

/// A file that gives these words, read by read.
fn counter(reads: &[Words]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    for word in reads.iter().flatten() {
        file.write_all(&word.to_le_bytes()).unwrap();
    }
    file.rewind().unwrap();
    file
}
