//! The 16 random bytes that the kernel gives to each program that it starts. The C library makes the
//! stack's canary and the guard of its pointers of them; a collector that scans the stack meets the
//! canary there.
//!
//! They are replaced while the kernel holds the process still, between `exec` and the program's
//! first instruction: the process is traced until then, and no longer.

#![allow(unsafe_code, reason = "the child asks to be held, after fork")]

use super::orphans;
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// `AT_RANDOM` of the auxiliary vector: the address of the bytes.
const AT_RANDOM: u64 = 25;

/// What takes their place. The canary loses its lowest byte to a zero; the rest is without meaning.
const BYTES: [u8; 16] = [
    0x00, 0xee, 0xff, 0xc0, 0xe5, 0xa5, 0x5e, 0xd1, 0xfe, 0xca, 0xba, 0xb0, 0x95, 0xe9, 0xd1, 0x5b,
];

/// Whether a process may trace its children here: a setting of the kernel, or a container, can
/// forbid it.
pub fn can_be_fixed() -> bool {
    static ALLOWED: OnceLock<bool> = OnceLock::new();
    *ALLOWED.get_or_init(|| {
        let mut trial = Command::new("/bin/true");
        trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: between fork and exec the closure makes one system call.
        unsafe { trial.pre_exec(ask_to_be_held) };
        let Ok(mut child) = orphans::register(|| trial.spawn()) else { return false };
        let fixed = fix_and_release(child.id());
        if fixed.is_err() {
            let _ = child.kill();
        }
        let _ = child.wait();
        orphans::end(child.id());
        fixed.is_ok()
    })
}

/// To be called in the child before `exec`: lets the parent hold it there.
///
/// # Errors
/// When tracing is not allowed.
pub(super) fn ask_to_be_held() -> io::Result<()> {
    ptrace::traceme().map_err(io::Error::from)
}

/// To be called by the thread that has started the child: replaces the bytes and lets it go.
///
/// # Errors
/// When the bytes can't be replaced, or the child can't be let go.
pub(super) fn fix_and_release(child: u32) -> io::Result<()> {
    let child = Pid::from_raw(i32::try_from(child).unwrap_or(0));
    let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    loop {
        match waitid(Id::Pid(child), flags) {
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
            Ok(WaitStatus::Stopped(..) | WaitStatus::PtraceEvent(..)) => break,
            // It was killed meanwhile, which its waiter will see.
            Ok(_) => return Ok(()),
        }
    }
    let replaced = replace(child);
    let released = ptrace::detach(child, None).map_err(io::Error::from);
    replaced.and(released)
}

fn replace(child: Pid) -> io::Result<()> {
    let vector = fs::read(format!("/proc/{child}/auxv"))?;
    let Some(address) = address_of_bytes(&vector) else { return Ok(()) };
    let memory = OpenOptions::new().write(true).open(format!("/proc/{child}/mem"))?;
    memory.write_all_at(&BYTES, address)
}

/// The auxiliary vector is a list of pairs of words.
fn address_of_bytes(vector: &[u8]) -> Option<u64> {
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).ok();
    vector
        .chunks_exact(16)
        .find(|pair| word(&pair[..8]) == Some(AT_RANDOM))
        .and_then(|pair| word(&pair[8..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_this_very_process() {
        let vector = fs::read("/proc/self/auxv").unwrap();
        assert!(address_of_bytes(&vector).is_some_and(|address| address != 0));
        assert_eq!(address_of_bytes(&[0; 32]), None);
    }

    #[test]
    fn children_of_children_that_were_held_start_alike() {
        if !can_be_fixed() {
            eprintln!("SKIPPED: tracing is not allowed here");
            return;
        }
        let bytes = || {
            let mut child = Command::new("/bin/cat");
            child.arg("/proc/self/auxv").stdout(Stdio::piped());
            // SAFETY: between fork and exec the closure makes one system call.
            unsafe { child.pre_exec(ask_to_be_held) };
            let child = child.spawn().unwrap();
            fix_and_release(child.id()).unwrap();
            child.wait_with_output().unwrap()
        };
        let output = bytes();
        assert!(output.status.success());
        assert!(address_of_bytes(&output.stdout).is_some());
    }
}
