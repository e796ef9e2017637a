//! Pinned processes: the same count every time, and the same behaviour as without pins.

use crate::support::with_fake_counters;
use crate::support::{ENGINES, Opened, Project, Words, bench_of, need_valgrind, need_x86, skip};
use tiergate_model::{BenchResult, BenchStatus, Reading, ResultFile};

const WORKLOADS: &str = include_str!("../../../../tests/suites/pinned/workloads.bench.mjs");
const PROGRAMS: &str = include_str!("../../../../tests/suites/pinned/programs.bench.mjs");
const HANG: &str = include_str!("../../../../tests/suites/pinned/hang.bench.mjs");

/// Runs a bench file and gives its results, one file of them per engine. Warm-ups are too short for
/// code to settle, and some programs work in other threads, which is found; every reading is there
/// all the same.
fn measure(project: &Project, source: &str, engine: &str, more: &str) -> Vec<BenchResult> {
    project.file("a.bench.mjs", source);
    let words =
        format!("run --instrument counter --repeats 3 --engine {engine} --save r.json {more}");
    let outcome = project.tiergate(&words).run();
    let benches = project.result("r.json").benches;
    assert!(!benches.is_empty());
    for bench in &benches {
        let reason = bench.reason.as_deref().unwrap_or_default();
        let is_expected = reason.is_empty()
            || reason.starts_with("the code did not stay the same in the window")
            || reason.starts_with("its cost drifts")
            || reason.starts_with("work outside the measured thread");
        assert!(is_expected && bench.readings.len() == 3, "{}: {reason}", bench.id);
    }
    let status = |code| {
        benches.iter().any(|bench| match code {
            4 => bench.status == BenchStatus::Incomplete,
            _ => bench.reason.is_some(),
        })
    };
    outcome.exits([4, 3].into_iter().find(|code| status(*code)).unwrap_or(0));
    benches
}

fn counts(bench: &BenchResult) -> Vec<u64> {
    bench.readings.iter().map(|reading| reading.count).collect()
}

fn is_exact(bench: &BenchResult) -> bool {
    counts(bench).windows(2).all(|pair| pair[0] == pair[1])
}

fn held(reading: &Reading) -> String {
    reading.proof.pinned.as_ref().map(|pinned| pinned.held.join(" ")).unwrap_or_default()
}

#[test]
fn readings_of_the_same_code_are_equal_to_the_instruction() {
    need_x86!();
    for engine in ENGINES {
        let project = Project::with_budget(600, 200);
        for bench in measure(&project, WORKLOADS, engine, "--jobs 3") {
            assert!(is_exact(&bench), "{engine} {}: {:?}", bench.id, counts(&bench));
        }
    }
}

#[test]
fn the_process_has_the_same_number_each_time_and_reaches_itself_by_it() {
    need_x86!();
    let source = "import { bench } from 'tiergate';\nimport { execSync } from 'node:child_process';\n\
        bench('number', () => {\n\
          if (process.pid !== 4194304) throw new Error(`the number ${process.pid}`);\n\
          process.kill(process.pid, 'SIGCONT');\n\
        }, { setup: () => {\n\
          const parent = String(execSync('echo $PPID')).trim();\n\
          if (parent === '4194304') throw new Error('others see the real one');\n\
        } });\n";
    for engine in ENGINES {
        let project = Project::with_budget(20, 5);
        let benches = measure(&project, source, engine, "");
        assert!(held(&benches[0].readings[0]).contains("process"), "{engine}");
    }
}

#[test]
fn the_cost_between_collections_does_not_know_when_the_window_opens() {
    need_x86!();
    for engine in ["node@24", "bun"] {
        let medians: Vec<f64> = [5_000, 5_170, 5_300]
            .into_iter()
            .map(|warmup_ops| {
                let project = Project::with_budget(warmup_ops, 10_000);
                let more = "--filter *churn --filter *wasm";
                let benches = measure(&project, WORKLOADS, engine, more);
                let wasm = benches.iter().find(|one| one.id.as_str().ends_with("wasm")).unwrap();
                assert_eq!(wasm.window_phases, None, "{engine}: it allocates nothing");
                let churn = benches.iter().find(|one| one.id.as_str().ends_with("churn")).unwrap();
                let phases = churn.window_phases.as_ref().unwrap();
                assert_eq!((phases.ops, phases.per_op.len()), (40, 250));
                assert!(phases.median < churn.instructions_per_op.unwrap(), "{engine}");
                phases.median
            })
            .collect();
        let spread = tiergate_stats::spread(&medians).unwrap();
        assert!(spread < 0.003, "{engine}: {medians:?}");
    }
}

#[test]
fn threads_timers_and_sockets_work() {
    need_x86!();
    for engine in ENGINES {
        let project = Project::with_budget(20, 5);
        // The ops themselves check what they get, and throw.
        for bench in measure(&project, PROGRAMS, engine, "--timeout 60") {
            for reading in &bench.readings {
                let pinned = reading.proof.pinned.as_ref().unwrap();
                // Bun's workers can wait for a gated helper where the gate can't see them.
                let may_be_lifted =
                    engine.starts_with("bun") && bench.id.as_str().contains("worker");
                assert!(pinned.lifted.is_none() || may_be_lifted, "{engine} {}", bench.id);
                assert!(held(reading).contains("clock"), "{engine} {}", bench.id);
            }
        }
    }
}

#[test]
fn buns_pools_hand_over_in_the_same_order() {
    need_x86!();
    let project = Project::with_budget(200, 50);
    let more = "--timeout 60 --filter *files --filter *zlib --filter *crypto --filter *worker";
    for bench in measure(&project, PROGRAMS, "bun", more) {
        let spread = bench.aa_spread.unwrap();
        assert!(spread < 0.004, "{}: {:?}", bench.id, counts(&bench));
        // The others' work is in no count, which is said.
        let said = bench.reason.unwrap_or_default();
        assert!(!said.is_empty() || !bench.warnings.is_empty(), "{}", bench.id);
    }
}

#[test]
fn a_bench_that_hangs_behind_the_gate_is_read_without_it_and_says_so() {
    need_x86!();
    let project = Project::with_budget(20, 5);
    let benches = measure(&project, HANG, "node@24", "--timeout 8");
    for reading in &benches[0].readings {
        let lifted = reading.proof.pinned.as_ref().and_then(|pinned| pinned.lifted.clone());
        assert!(lifted.is_some_and(|reason| reason.contains("not finished within 8 s")));
        assert_eq!(held(reading), "clock random resources process seed");
    }
}

#[test]
fn only_the_exact_profile_holds_anything() {
    need_x86!();
    let source = "import { bench } from 'tiergate';\nbench('date', () => Date.now());\n";
    for (more, expected) in [
        ("", "clock gate random resources process seed"),
        ("--engine-arg no-pin:gate --engine-arg no-pin:seed", "clock random resources process"),
        ("--profile default", ""),
        ("--profile bench:ir", ""),
    ] {
        let project = Project::with_budget(20, 5);
        let benches = measure(&project, source, "node@24", more);
        assert_eq!(held(&benches[0].readings[0]), expected, "{more}");
        let flags = project.result("r.json").fingerprint.engine.flags;
        let shown = flags.iter().filter(|flag| flag.starts_with("pin:")).count();
        assert_eq!(shown, expected.split_whitespace().count(), "{flags:?}");
    }
}

/// Reads the clock at its first op, and tells by it whether the clock is the virtual one.
const DATE: &str = "
import { bench } from 'tiergate';
let year;
bench('date', () => {
  year ??= new Date().getUTCFullYear();
  let text = '';
  for (let i = 0; i < 50; i++) text += year + i;
  return text;
}, { teardown: () => console.error(`the year ${year}, process ${process.pid}`) });
";

fn held_flags(result: &ResultFile) -> usize {
    result.fingerprint.engine.flags.iter().filter(|flag| flag.starts_with("pin:")).count()
}

#[test]
fn the_clock_instrument_keeps_real_clocks_and_threads_and_says_so() {
    for engine in ENGINES {
        let project = Project::with_budget(20, 5);
        project.file("a.bench.mjs", DATE);
        let words = format!("run --instrument wall --repeats 3 --engine {engine} --save r.json");
        let outcome = project.tiergate(&words).run();
        outcome.exits(0).prints("clocks and threads are real");
        assert!(!outcome.stderr.contains("process 4194304"), "{outcome}");
        let result = project.result("r.json");
        assert_eq!(held_flags(&result), 0, "{engine}");
        assert_eq!(bench_of(&result, "date").readings[0].proof.pinned, None, "{engine}");
    }
}

#[test]
fn callgrind_measures_pinned_processes() {
    need_valgrind!();
    let project = Project::with_budget(20, 5);
    project.file("a.bench.mjs", DATE);
    let words = "run --instrument callgrind --repeats 3 --engine node@24 --save r.json";
    let outcome = project.tiergate(words).run();
    outcome.exits(0).says("the year 2026, process 4194304");
    let result = project.result("r.json");
    assert_eq!(held_flags(&result), 6);
    let date = bench_of(&result, "date");
    assert!(is_exact(date), "{:?}", counts(date));
    for reading in &date.readings {
        assert_eq!(held(reading), "clock gate random resources process");
        let lifted = reading.proof.pinned.as_ref().and_then(|pinned| pinned.lifted.clone());
        assert!(lifted.is_some_and(|reason| reason.starts_with("`seed`")));
    }
}

#[test]
fn hardware_counters_measure_pinned_processes() {
    let project = Project::with_budget(20, 5);
    project.file("a.bench.mjs", DATE);
    let machine = |opened: Opened| -> Vec<Words> {
        // Two loops are counted first, to see whether the counters are sound.
        match opened.number {
            0 => Vec::new(),
            1 => vec![[0, 0, 0], [6_000_300, 700, 700]],
            2 => vec![[0, 0, 0], [2_000_300, 700, 700]],
            _ => vec![[0, 0, 0], [5_000, 700, 700]],
        }
    };
    let words = "run --instrument perf --repeats 3 --jobs 1 --engine node@24 --save r.json";
    let outcome = with_fake_counters(machine, || project.tiergate(words).run());
    outcome.exits(0).says("the year 2026, process 4194304");
    let result = project.result("r.json");
    assert_eq!(held_flags(&result), 6);
    for reading in &bench_of(&result, "date").readings {
        assert_eq!(held(reading), "clock gate random resources process seed");
    }
}

#[test]
fn doctor_tells_what_a_profile_holds_and_why() {
    let project = Project::with_budget(20, 5);
    let outcome = project.tiergate("doctor --engine node@24 --engine bun@1.4").run();
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("exact: pin:clock engines read clocks in"), "{outcome}");
    assert!(words.contains("bench:ir: --single-threaded"), "{outcome}");
    assert!(words.contains("the profile `bench:ir` is not for bun"), "{outcome}");
    assert!(words.contains("default: the engine as it is"), "{outcome}");
    assert!(words.contains("seed the kernel's random bytes") || words.contains("no seed"));
}
