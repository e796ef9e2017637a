//! Compares the counter with single-stepping, address by address.
//!
//! `oracle DRIVER.so COMMAND [ARGUMENTS…]` runs the command twice with the preloaded library of the example `driver` and
//! without address-space randomisation: once natively under `ptrace`, one instruction at a time through the window, and
//! once under the counter with a profile. It prints the totals and every address whose executions differ, and fails if
//! there is one. A repeated string instruction traps once per round; it is counted once, as by hardware.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the command line")]
#![allow(unsafe_code, reason = "the tracee prepares itself between fork and exec")]
#![allow(clippy::cast_sign_loss, reason = "ptrace hands words over as signed numbers")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    oracle::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod oracle {
    use nix::sys::personality::{self, Persona};
    use nix::sys::ptrace::{self, Options};
    use nix::sys::signal::Signal;
    use nix::sys::wait::{WaitStatus, waitpid};
    use nix::unistd::Pid;
    use std::collections::HashMap;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, ExitCode, Stdio};

    type Counts = HashMap<u64, u64>;

    const ANNOUNCEMENT: u64 = 0x7469_6572_6761_7465;
    /// Lines of differences to print.
    const SHOWN: usize = 40;

    pub(super) fn main() -> ExitCode {
        let args: Vec<String> = std::env::args().skip(1).collect();
        if args.len() < 2 {
            eprintln!("usage: oracle DRIVER.so COMMAND [ARGUMENTS...]");
            return ExitCode::from(64);
        }
        match compare(&args[0], &args[1..]) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("oracle: {error}");
                ExitCode::from(2)
            }
        }
    }

    fn compare(driver: &str, command: &[String]) -> io::Result<bool> {
        let folder = std::env::temp_dir().join(format!("tiergate-oracle-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let prepare = |mode: &str| {
            let mut c = Command::new(&command[0]);
            c.args(&command[1..])
                .env("LD_PRELOAD", driver)
                .env("TIERGATE_DRIVER", folder.join("report"))
                .env("TIERGATE_DRIVER_PROFILE", folder.join("profile"))
                .env("TIERGATE_DRIVER_CLOCK", "virtual")
                .env("TIERGATE_DRIVER_MODE", mode)
                .stdout(Stdio::null());
            c
        };
        let stepped = step(prepare("plain"))?;
        let mut counted = prepare("count");
        // SAFETY: only a system call between fork and exec.
        unsafe { counted.pre_exec(fix_addresses) };
        counted.status()?;
        let report = std::fs::read_to_string(folder.join("report"))?;
        let profile = std::fs::read_to_string(folder.join("profile"))?;
        std::fs::remove_dir_all(&folder)?;
        let counts: Counts = profile
            .lines()
            .filter_map(|line| {
                let (address, count) = line.split_once(' ')?;
                Some((u64::from_str_radix(address, 16).ok()?, count.parse().ok()?))
            })
            .collect();
        let total = report.lines().next().unwrap_or_default();
        Ok(print(&stepped, &counts, total))
    }

    fn print(stepped: &Counts, counted: &Counts, total: &str) -> bool {
        let mut differing: Vec<(u64, u64, u64)> = stepped
            .keys()
            .chain(counted.keys())
            .map(|a| {
                (*a, stepped.get(a).copied().unwrap_or(0), counted.get(a).copied().unwrap_or(0))
            })
            .filter(|(_, s, c)| s != c)
            .collect();
        differing.sort_unstable();
        differing.dedup();
        println!(
            "stepped {} at {} addresses; counter: {total}; {} addresses differ",
            stepped.values().sum::<u64>(),
            stepped.len(),
            differing.len()
        );
        for (address, s, c) in differing.iter().take(SHOWN) {
            println!("  {address:#x}: stepped {s}, counted {c}");
        }
        differing.is_empty() && total == format!("total {}", stepped.values().sum::<u64>())
    }

    fn fix_addresses() -> io::Result<()> {
        let persona = personality::get()? | Persona::ADDR_NO_RANDOMIZE;
        personality::set(persona)?;
        Ok(())
    }

    /// Runs the command natively, stepping through its window.
    fn step(mut command: Command) -> io::Result<Counts> {
        // SAFETY: only system calls between fork and exec.
        unsafe {
            command.pre_exec(|| {
                fix_addresses()?;
                ptrace::traceme()?;
                Ok(())
            });
        }
        let child = command.spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        waitpid(pid, None)?;
        ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL)?;
        let [gate, own_start, own_end] = find_window(pid)?;
        let mut counts = Counts::new();
        let mut last = 0;
        let mut repeating = HashMap::<u64, bool>::new();
        let mut signal = None;
        loop {
            let pc = ptrace::getregs(pid)?.rip;
            if pc == gate {
                break;
            }
            let again = pc == last && *repeating.entry(pc).or_insert_with(|| repeats(pid, pc));
            if !(own_start..own_end).contains(&pc) && !again {
                *counts.entry(pc).or_default() += 1;
            }
            last = pc;
            ptrace::step(pid, signal.take())?;
            match waitpid(pid, None)? {
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, other) => signal = Some(other),
                other => {
                    return Err(io::Error::other(format!("the window ended early: {other:?}")));
                }
            }
        }
        ptrace::kill(pid)?;
        Ok(counts)
    }

    /// Runs to the driver's announcement; returns the gate and the driver's own code.
    fn find_window(pid: Pid) -> io::Result<[u64; 3]> {
        let mut signal = None;
        loop {
            ptrace::syscall(pid, signal.take())?;
            match waitpid(pid, None)? {
                WaitStatus::PtraceSyscall(_) => {
                    let r = ptrace::getregs(pid)?;
                    if r.orig_rax == libc::SYS_getppid as u64 && r.rdi == ANNOUNCEMENT {
                        // Entry and exit stop alike: the second time is the exit.
                        if r.rax as i64 != -i64::from(libc::ENOSYS) {
                            return Ok([r.rsi, r.rdx, r.r10]);
                        }
                    }
                }
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, other) => signal = Some(other),
                other => {
                    return Err(io::Error::other(format!("no window was announced: {other:?}")));
                }
            }
        }
    }

    /// Whether a string instruction with a repeat prefix is at `pc`.
    fn repeats(pid: Pid, pc: u64) -> bool {
        let Ok(word) = ptrace::read(pid, pc as ptrace::AddressType) else {
            return false;
        };
        let mut repeat = false;
        for byte in word.to_le_bytes() {
            match byte {
                0xf2 | 0xf3 => repeat = true,
                0x66 | 0x67 | 0x2e | 0x3e | 0x64 | 0x40..=0x4f => {}
                0xa4..=0xa7 | 0xaa..=0xaf => return repeat,
                _ => return false,
            }
        }
        false
    }
}
