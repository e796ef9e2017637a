//! The instrument `perf`: with counters that the kernel keeps itself, on any machine; and with
//! hardware counters that a fake of the system call plays, sound ones and broken ones.

use crate::support::{Opened, Outcome, Project, Words, with_fake_counters};
use tiergate_model::{BenchStatus, InstrumentKind};

const OPS: u64 = 100;

fn project() -> Project {
    let project = Project::with_budget(20, OPS);
    project.file(
        "a.bench.mjs",
        "import { bench } from 'tiergate';\n\
         bench('work', () => { let s = ''; for (let i = 0; i < 50; i++) s += i; return s; });\n",
    );
    project
}

const RUN: &str = "run --instrument perf --repeats 3 --jobs 1 --engine node@24 --save head.json";

#[test]
fn the_kernels_own_clock_of_the_thread_is_read_between_the_marks() {
    let project = project();
    let outcome = project.tiergate(RUN).env("TIERGATE_PERF_EVENT", "task-clock").run();
    // Its readings are times and differ: what matters is that there are some.
    let head = project.result("head.json");
    assert_eq!(head.fingerprint.instrument.name, InstrumentKind::Perf);
    assert!(head.fingerprint.instrument.version.contains("task-clock"), "{outcome}");
    assert_eq!(head.benches[0].readings.len(), 3, "{outcome}");
    for reading in &head.benches[0].readings {
        // A window of a hundred short ops: above a microsecond, far below a second.
        assert!((1_000..1_000_000_000).contains(&reading.count), "{outcome}");
    }
}

#[track_caller]
fn is_incomplete(project: &Project, outcome: &Outcome, reason: &str) {
    outcome.exits(4);
    let head = project.result("head.json");
    let bench = &head.benches[0];
    assert_eq!(bench.status, BenchStatus::Incomplete, "{outcome}");
    let told = bench.reason.as_deref().unwrap_or_default();
    assert!(told.contains(reason), "{told}\n{outcome}");
    assert!(told.contains("--instrument"), "no way out: {told}");
    assert!(bench.readings.is_empty(), "{outcome}");
}

#[test]
fn a_counter_that_stays_at_zero_is_no_reading() {
    let project = project();
    let outcome = project.tiergate(RUN).env("TIERGATE_PERF_EVENT", "dummy").run();
    is_incomplete(&project, &outcome, "stayed at 0");
}

#[test]
fn an_event_that_is_not_known_is_refused() {
    let project = project();
    let outcome = project.tiergate(RUN).env("TIERGATE_PERF_EVENT", "cycles").run();
    outcome.refuses(64, "TIERGATE_PERF_EVENT");
}

/// `disabled`, `pinned`, `exclude_kernel` and `exclude_hv`, and nothing else.
const ASKED_FOR: u64 = 1 | 1 << 2 | 1 << 5 | 1 << 6;

/// A machine whose counters are sound: it says which instructions the loop has that is tried
/// first, and 5,000 for everything else.
fn sound(opened: Opened) -> Vec<Words> {
    let count = match opened.number {
        // Whether there are counters is tried without reading any.
        0 => return Vec::new(),
        1 => 6_000_300,
        2 => 2_000_300,
        _ => 5_000,
    };
    assert_eq!(opened.bits, ASKED_FOR);
    vec![[0, 0, 0], [count, 700, 700]]
}

#[test]
fn sound_hardware_counters_are_read() {
    let project = project();
    let outcome = with_fake_counters(sound, || project.tiergate(RUN).run());
    outcome.exits(0);
    let head = project.result("head.json");
    assert_eq!(head.fingerprint.instrument.name, InstrumentKind::Perf);
    assert_eq!(head.fingerprint.instrument.version, "1");
    let counts: Vec<u64> = head.benches[0].readings.iter().map(|reading| reading.count).collect();
    assert_eq!(counts, [5_000; 3], "{outcome}");
}

#[test]
fn doctor_finds_sound_hardware_counters() {
    let project = project();
    let outcome = with_fake_counters(sound, || project.tiergate("doctor --engine node@24").run());
    outcome.exits(0);
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("ok perf this machine has hardware counters"), "{outcome}");
}

#[test]
fn counters_that_miscount_a_loop_are_not_used() {
    let project = project();
    let broken = |_| vec![[0, 0, 0], [1_234, 700, 700]];
    let outcome = with_fake_counters(broken, || project.tiergate(RUN).run());
    outcome.refuses(4, "perf").says("a loop of 4000000 instructions is counted as 0");
    assert!(!project.has("head.json"), "{outcome}");
}

#[test]
fn each_broken_reading_is_told_apart() {
    for (reads, reason) in [
        (vec![[0, 0, 0], [5_000, 700, 350]], "only 350 of 700 ns"),
        (vec![[0, 0, 0], [0, 700, 700]], "stayed at 0"),
        (vec![[9_000, 0, 0], [8_000, 700, 700]], "went down, from 9000 to 8000"),
        (vec![[0, 0, 0], [OPS - 1, 700, 700]], "a count of 99 for 100 ops"),
        (vec![[0, 0, 0]], "could not be kept on the processor"),
    ] {
        let project = project();
        let machine = |opened: Opened| {
            if opened.number < 3 { sound(opened) } else { reads.clone() }
        };
        let outcome = with_fake_counters(machine, || project.tiergate(RUN).run());
        is_incomplete(&project, &outcome, reason);
    }
}
