//! Compares the counter with single-stepping, address by address, over one and the same window.
//!
//! `oracle DRIVER.so COMMAND [ARGUMENTS…]` runs the command with the preloaded library of the example `driver`. At the
//! window's first mark that makes copies of the process. One is run natively under `ptrace`, one instruction at a time, two
//! under the counter with a profile, and one with a total only. The totals are printed, and every address whose executions differ. A repeated string
//! instruction traps once per round; it is counted once, as by hardware.
//!
//! The exit code is 0 if all are equal; 1 if both counted copies agree and the stepped one differs: a mistake of the
//! counter; 3 if the counted copies themselves differ, as the program goes by something that isn't in its memory; 2 if there
//! was no comparison.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the command line")]
#![allow(unsafe_code, reason = "the tracee prepares itself between fork and exec")]
#![allow(clippy::cast_sign_loss, reason = "ptrace hands words over as signed numbers")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tracer;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    oracle::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod oracle {
    use crate::tracer;
    use std::collections::HashMap;
    use std::io;
    use std::path::Path;
    use std::process::{Command, ExitCode, Stdio};
    use std::time::Duration;

    pub(crate) type Counts = HashMap<u64, u64>;

    /// Lines of differences to print.
    const SHOWN: usize = 40;
    /// For a whole comparison: windows can be too long, and a copy has only one thread and hangs if it waits for another.
    const LIMIT: Duration = Duration::from_secs(60);

    const DIFFERS: u8 = 1;
    const NOT_COMPARED: u8 = 2;
    const DIFFERS_BY_ITSELF: u8 = 3;

    pub(super) fn main() -> ExitCode {
        let args: Vec<String> = std::env::args().skip(1).collect();
        if args.len() < 2 {
            eprintln!("usage: oracle DRIVER.so COMMAND [ARGUMENTS...]");
            return ExitCode::from(64);
        }
        let folder = std::env::temp_dir().join(format!("tiergate-oracle-{}", std::process::id()));
        let clean = folder.clone();
        std::thread::spawn(move || {
            std::thread::sleep(LIMIT);
            println!(
                "no end within {} s: too long, or waiting for another thread",
                LIMIT.as_secs()
            );
            let _ = std::fs::remove_dir_all(clean);
            // The traced processes end with their tracer, and the others with those.
            std::process::exit(NOT_COMPARED.into());
        });
        let outcome = compare(&folder, &args[0], &args[1..]);
        let _ = std::fs::remove_dir_all(&folder);
        outcome.unwrap_or_else(|error| {
            println!("not compared: {error}");
            ExitCode::from(NOT_COMPARED)
        })
    }

    fn compare(folder: &Path, driver: &str, command: &[String]) -> io::Result<ExitCode> {
        std::fs::create_dir_all(folder)?;
        let mut traced = Command::new(&command[0]);
        traced
            .args(&command[1..])
            .env("LD_PRELOAD", driver)
            .env("TIERGATE_DRIVER", folder.join("report"))
            .env("TIERGATE_DRIVER_PROFILE", folder.join("profile"))
            .env("TIERGATE_DRIVER_CLOCK", "virtual")
            .env("TIERGATE_DRIVER_MODE", "copies")
            .stdout(Stdio::null());
        let stepped = tracer::step_through_window(traced)?;
        let first = Counted::read(folder, 1)?;
        let second = Counted::read(folder, 2)?;
        let without_profile = Counted::total(folder, 3)?;
        let differing = differences(&stepped, &first.counts);
        let total: u64 = stepped.values().sum();
        print!(
            "stepped {total} at {} addresses; counted {}, without a profile {without_profile}",
            stepped.len(),
            first.total
        );
        let equal = differing.is_empty() && first.total == total && without_profile == total;
        if equal {
            println!(", all equal");
            return Ok(ExitCode::SUCCESS);
        }
        let between = differences(&first.counts, &second.counts);
        println!(
            "; {} addresses differ, {} between two counted copies",
            differing.len(),
            between.len()
        );
        for (address, s, c) in differing.iter().take(SHOWN) {
            println!("  {address:#x}: stepped {s}, counted {c}");
        }
        let itself = !between.is_empty() || first.total != second.total;
        Ok(ExitCode::from(if itself { DIFFERS_BY_ITSELF } else { DIFFERS }))
    }

    struct Counted {
        total: u64,
        counts: Counts,
    }

    impl Counted {
        /// What a counted copy has left.
        fn read(folder: &Path, number: u32) -> io::Result<Self> {
            let total = Self::total(folder, number)?;
            let profile = std::fs::read_to_string(folder.join(format!("profile-{number}")))?;
            let counts = profile.lines().filter_map(|line| {
                let (address, count) = line.split_once(' ')?;
                Some((u64::from_str_radix(address, 16).ok()?, count.parse().ok()?))
            });
            Ok(Self { total, counts: counts.collect() })
        }

        fn total(folder: &Path, number: u32) -> io::Result<u64> {
            let report = std::fs::read_to_string(folder.join(format!("report-{number}")))?;
            let first = report.lines().next().unwrap_or_default();
            first
                .strip_prefix("total ")
                .and_then(|n| n.parse().ok())
                .filter(|_| report.contains("incomplete: None"))
                .ok_or_else(|| io::Error::other(format!("no complete count: {report}")))
        }
    }

    /// Address, executions here and executions there, where those differ.
    fn differences(here: &Counts, there: &Counts) -> Vec<(u64, u64, u64)> {
        let mut addresses: Vec<u64> = here.keys().chain(there.keys()).copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let of = |counts: &Counts, address| counts.get(&address).copied().unwrap_or(0);
        addresses
            .into_iter()
            .map(|address| (address, of(here, address), of(there, address)))
            .filter(|(_, a, b)| a != b)
            .collect()
    }
}
