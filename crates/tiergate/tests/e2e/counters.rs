//! Machines without hardware counters, and machines that keep them to themselves: which of the two
//! it is, is said; another instrument takes their place; nothing is silently ok.
#![allow(unsafe_code, reason = "a filter of system calls is installed between fork and exec")]

use crate::support::{Invocation, Outcome, Project};
use libc::{c_int, sock_filter, sock_fprog};
use std::io;
use std::os::unix::process::CommandExt;
use tiergate_model::InstrumentKind;

const NONE: &str = "this machine has none";
const DENIED: &str = "no permission to use them";
const HIDDEN: &str = "no `perf_event_open`";

/// A program of the classic Berkeley packet filter: `perf_event_open` fails with an error, all else
/// is allowed. See seccomp(2), "Filters".
fn filter(error: c_int) -> [sock_filter; 4] {
    let statement = |code: u32, jump_if_not: u8, operand: u32| sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: 0,
        jf: jump_if_not,
        k: operand,
    };
    let number = u32::try_from(libc::SYS_perf_event_open).unwrap();
    let error = u32::try_from(error).unwrap();
    [
        // The number of the system call is the first field of what filters look at.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, number),
        statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | error),
        statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn install(filter: &[sock_filter; 4]) -> io::Result<()> {
    let program = sock_fprog { len: 4, filter: filter.as_ptr().cast_mut() };
    // SAFETY: both calls take plain numbers and one pointer to a program that is valid for as long
    // as the call, which copies it and does not write to it.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let mode = libc::SECCOMP_MODE_FILTER;
        if libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Lets every attempt to open a counter fail with an error.
fn with_error(invocation: Invocation<'_>, error: c_int) -> Invocation<'_> {
    let filter = filter(error);
    invocation.prepare(|command| {
        // SAFETY: between fork and exec the closure makes two system calls on memory of its own,
        // and allocates and locks nothing.
        unsafe {
            command.pre_exec(move || install(&filter));
        }
    })
}

fn project() -> Project {
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    project
}

/// What a kernel says, and what it means.
const CASES: [(c_int, &str); 5] = [
    (libc::EACCES, DENIED),
    (libc::EPERM, DENIED),
    (libc::ENOENT, NONE),
    (libc::EOPNOTSUPP, NONE),
    (libc::ENOSYS, HIDDEN),
];

#[track_caller]
fn tells_only(outcome: &Outcome, text: &str, meaning: &str) {
    for other in [NONE, DENIED, HIDDEN] {
        assert_eq!(text.contains(other), other == meaning, "`{other}`\n{outcome}");
    }
}

#[test]
fn doctor_tells_absence_from_denial() {
    let project = project();
    for (error, meaning) in CASES {
        let outcome = with_error(project.tiergate("doctor --engine node@24"), error).run();
        outcome.exits(0);
        let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        tells_only(&outcome, &words, meaning);
        assert_eq!(words.contains("perf_event_paranoid="), meaning == DENIED, "{outcome}");
    }
}

#[test]
fn doctor_says_something_of_this_machines_counters() {
    let project = project();
    let outcome = project.tiergate("doctor --engine node@24").run();
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let meanings = [NONE, DENIED, HIDDEN, "this machine has hardware counters"];
    let told = meanings.iter().filter(|meaning| words.contains(**meaning)).count();
    assert_eq!(told, 1, "{outcome}");
}

#[test]
fn asked_for_and_not_usable_is_incomplete() {
    let project = project();
    for (error, meaning) in CASES {
        let run = project.tiergate("run --instrument perf --engine node@24 --save head.json");
        let outcome = with_error(run, error).run();
        outcome.refuses(4, "perf");
        tells_only(&outcome, &outcome.stderr, meaning);
        assert!(!project.has("head.json"), "{outcome}");
    }
}

#[test]
fn another_instrument_takes_their_place_and_is_named() {
    let project = project();
    for (error, _) in CASES {
        let run = project.tiergate("run --repeats 3 --engine node@24 --save head.json");
        let outcome = with_error(run, error).run();
        outcome.exits(0).says("instrument: counter");
        let head = project.result("head.json");
        assert_eq!(head.fingerprint.instrument.name, InstrumentKind::Counter);
        assert!(head.benches[0].instructions_per_op.unwrap() > 0.0);
    }
}

#[test]
fn valgrind_asked_for_and_not_installed_is_incomplete() {
    let project = project();
    let nowhere = tempfile::tempdir().unwrap();
    let run = project.tiergate("run --instrument callgrind --engine node@24 --save head.json");
    run.env("PATH", nowhere.path()).run().refuses(4, "callgrind").says("valgrind");
    assert!(!project.has("head.json"));
}
