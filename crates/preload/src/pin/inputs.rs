//! Overrides of the functions that wait for input in a single file: what a thread of the gate would
//! block for, it waits for in the gate. Others read as they do without.

use super::gate::{self, Role};
use super::wait::Wait;
use crate::system::{address, call, checked, checked_int};
use libc::{
    c_int, c_long, c_void, iovec, msghdr, pollfd, size_t, sockaddr, socklen_t, ssize_t, timespec,
    timeval,
};

const NOW: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

/// To be called before a read.
pub(super) fn await_input(file: c_int) {
    let must_wait = match gate::role() {
        Role::Helper(_) => !ends_by_itself(file),
        // Others get their turns only where it would block, which it seldom does.
        Role::Main => look(file, Some(&NOW)) == 0 && !ends_by_itself(file),
        Role::Loose => false,
    };
    if must_wait {
        Wait::endless().for_events(|slice| look(file, slice.timespec().as_ref()));
    }
}

/// How many of the one file can be read, within a time.
fn look(file: c_int, time: Option<&timespec>) -> c_int {
    let mut one = pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    let time = time.map_or(0, |time| address(core::ptr::from_ref(time)));
    let arguments = [address(&raw mut one), 1, time, 0, 0, 0];
    // SAFETY: the places are valid. A file that is not open is the read's to refuse.
    c_int::try_from(unsafe { call(libc::SYS_ppoll, arguments) }).unwrap_or(-1)
}

/// Whether a read of the file returns without input too: at once, or after a time of its own.
fn ends_by_itself(file: c_int) -> bool {
    // SAFETY: the kernel checks the descriptor.
    let flags = unsafe { call(libc::SYS_fcntl, [file.into(), libc::F_GETFL.into(), 0, 0, 0, 0]) };
    if flags & c_long::from(libc::O_NONBLOCK) != 0 {
        return true;
    }
    let mut time = timeval { tv_sec: 0, tv_usec: 0 };
    let mut length = size_of::<timeval>();
    let (level, option) = (libc::SOL_SOCKET.into(), libc::SO_RCVTIMEO.into());
    let places = [address(&raw mut time), address(&raw mut length)];
    // SAFETY: the places are valid; what is no socket has no such option.
    unsafe {
        let arguments = [file.into(), level, option, places[0], places[1], 0];
        call(libc::SYS_getsockopt, arguments);
    }
    time.tv_sec != 0 || time.tv_usec != 0
}

fn await_message(socket: c_int, flags: c_int) {
    if flags & libc::MSG_DONTWAIT == 0 {
        await_input(socket);
    }
}

fn sized(length: size_t) -> c_long {
    c_long::try_from(length).unwrap_or(c_long::MAX)
}

fn length_of(result: c_long) -> ssize_t {
    ssize_t::try_from(checked(result)).unwrap_or(-1)
}

/// libc's `readv`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn readv(file: c_int, places: *const iovec, count: c_int) -> ssize_t {
    await_input(file);
    // SAFETY: the caller's arguments, which the kernel checks.
    length_of(unsafe {
        call(libc::SYS_readv, [file.into(), address(places), count.into(), 0, 0, 0])
    })
}

/// libc's `eventfd_read`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn eventfd_read(file: c_int, value: *mut u64) -> c_int {
    await_input(file);
    // SAFETY: the caller's place, which is as long as said.
    match unsafe { call(libc::SYS_read, [file.into(), address(value), 8, 0, 0, 0]) } {
        8 => 0,
        result => checked_int(result.min(-1)),
    }
}

/// libc's `recv`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn recv(
    socket: c_int,
    place: *mut c_void,
    length: size_t,
    flags: c_int,
) -> ssize_t {
    let nobody = core::ptr::null_mut();
    // SAFETY: the caller's arguments.
    unsafe { recvfrom(socket, place, length, flags, nobody, core::ptr::null_mut()) }
}

/// libc's `recvfrom`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn recvfrom(
    socket: c_int,
    place: *mut c_void,
    length: size_t,
    flags: c_int,
    from: *mut sockaddr,
    from_length: *mut socklen_t,
) -> ssize_t {
    await_message(socket, flags);
    let (place, length) = (address(place), sized(length));
    let from = [address(from), address(from_length)];
    let arguments = [socket.into(), place, length, flags.into(), from[0], from[1]];
    // SAFETY: the caller's arguments, which the kernel checks.
    length_of(unsafe { call(libc::SYS_recvfrom, arguments) })
}

/// libc's `recvmsg`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    await_message(socket, flags);
    let arguments = [socket.into(), address(message), flags.into(), 0, 0, 0];
    // SAFETY: the caller's arguments, which the kernel checks.
    length_of(unsafe { call(libc::SYS_recvmsg, arguments) })
}

/// libc's `accept`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn accept(
    socket: c_int,
    from: *mut sockaddr,
    from_length: *mut socklen_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { accept4(socket, from, from_length, 0) }
}

/// libc's `accept4`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn accept4(
    socket: c_int,
    from: *mut sockaddr,
    from_length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    await_input(socket);
    let arguments = [socket.into(), address(from), address(from_length), flags.into(), 0, 0];
    // SAFETY: the caller's arguments, which the kernel checks.
    checked_int(unsafe { call(libc::SYS_accept4, arguments) })
}
