//! Profiles of a process that is measured: this binary runs itself under the counter.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "libc's functions are the marks")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use nix::libc;
use std::hint::black_box;
use std::process::Command;
use std::{env, fs};
use tiergate_measure::harness;
use tiergate_measure::profile::{Profile, ProfileError, diff};
use tiergate_protocol::{environment, instrument, report, shape};

/// Present in the process that is measured: how often it calls the function.
const CALLS: &str = "CALLS_OF_THE_PROFILED_FUNCTION";
const TEST: &str = "a_function_is_named_and_its_entries_are_counted";

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn tiergate_profiled_function(x: u64) -> u64 {
    black_box(x).wrapping_mul(black_box(3)) + 1
}

#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn tiergate_other_function(x: u64) -> u64 {
    black_box(x) ^ black_box(5)
}

fn measured(calls: u64) {
    // SAFETY: the first does nothing but arm, the others are the marks.
    unsafe {
        libc::kill(0, 0);
        libc::getppid();
    }
    let mut sum = 0;
    for _ in 0..calls {
        sum = tiergate_profiled_function(sum);
    }
    for _ in 0..10 {
        sum = tiergate_other_function(sum);
    }
    black_box(sum);
    // SAFETY: see above.
    unsafe { libc::getppid() };
}

/// The profile, and the count that the library reports beside it.
fn profile(calls: u64) -> (Profile, u64) {
    let folder = tempfile::tempdir().unwrap();
    let (marks, file) = (folder.path().join("marks"), folder.path().join("profile"));
    let status = Command::new(env::current_exe().unwrap())
        .args([TEST, "--exact", "--test-threads=1"])
        .env(CALLS, calls.to_string())
        .env("LD_PRELOAD", harness::unpack().unwrap().preload.unwrap())
        .env(environment::REPORT, &marks)
        .env(environment::PROFILE, &file)
        .env(environment::INSTRUMENT, instrument::COUNTER)
        .env(environment::SHAPE, shape::SPAN)
        .env(environment::MARKS, "2")
        .env(environment::SECTIONS, "1")
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let told = fs::read_to_string(&marks).unwrap();
    let counted = told.lines().find(|line| line.starts_with(report::COUNTED)).unwrap();
    let count = counted.rsplit(' ').next().unwrap().parse().unwrap();
    (Profile::read(&file).unwrap(), count)
}

#[test]
fn a_function_is_named_and_its_entries_are_counted() {
    if let Ok(calls) = env::var(CALLS) {
        return measured(calls.parse().unwrap());
    }
    let (few, count) = profile(25);
    assert_eq!(few.total(), count);
    assert_eq!(few.entries("tiergate_profiled_function"), Some(25));
    assert_eq!(few.entries("tiergate_other_function"), Some(10));
    assert_eq!(few.entries("no_such_function"), None);

    let (many, _) = profile(1025);
    let differences = diff(&few, &many);
    let called = differences
        .iter()
        .find(|difference| difference.function.name == "tiergate_profiled_function")
        .unwrap();
    assert_eq!(called.second * 25, called.first * 1025, "{differences:?}");
    let same = differences.iter().any(|d| d.function.name == "tiergate_other_function");
    assert!(!same, "{differences:?}");
    assert!(diff(&few, &few.clone()).is_empty());
}

#[test]
fn a_file_that_is_no_profile_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile");
    assert!(matches!(Profile::read(&path), Err(ProfileError::Read { .. })));
    fs::write(&path, "something\n").unwrap();
    let error = Profile::read(&path).unwrap_err();
    assert!(error.to_string().contains("damaged at line 1"), "{error}");
}
