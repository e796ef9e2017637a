//! The gate of the threads, at waits that engines rarely make: this binary runs itself with the
//! preloaded library, twice, and the threads must do the same in the same order.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "the tests are about libc's own functions")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::print_stdout, reason = "the pinned process tells the order by it")]

mod c11_threads;
mod files;
mod locks;
mod meetings;

use nix::libc;
use std::cell::UnsafeCell;
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, mem, thread};
use tiergate_measure::harness;
use tiergate_protocol::{environment, instrument, pin, report, shape};

/// Present in the process that is pinned.
const PINNED: &str = "PINNED_BY_THE_TEST";
const THREADS: usize = 4;
const ROUNDS: usize = 10;
/// Before what the threads have done.
const ORDER: &str = "order: ";

/// In the pinned process: `steps` of each thread, which note what they do. In the test: runs that
/// process twice.
#[track_caller]
fn is_in_order(test: &str, steps: impl Fn(usize, &Mutex<Vec<String>>) + Sync) {
    is_in_order_beside(test, steps, |_| ());
}

/// The same, with something that the main thread does meanwhile.
#[track_caller]
fn is_in_order_beside(
    test: &str,
    steps: impl Fn(usize, &Mutex<Vec<String>>) + Sync,
    main: impl Fn(&Mutex<Vec<String>>),
) {
    if env::var_os(PINNED).is_none() {
        let orders = [run_pinned(test), run_pinned(test)];
        assert_eq!(orders[0], orders[1]);
        assert!(orders[0].len() > THREADS * ROUNDS, "{}", orders[0]);
        return;
    }
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (steps, done) = (&steps, &done);
            scope.spawn(move || steps(number, done));
        }
        main(&done);
    });
    println!("\n{ORDER}{}", done.into_inner().unwrap().join(" "));
    // SAFETY: the first does nothing but arm, the others are the marks.
    unsafe {
        libc::kill(0, 0);
        libc::getppid();
        libc::getppid();
    }
}

/// The order that the process prints. No thread may have run outside of its turns.
#[track_caller]
fn run_pinned(test: &str) -> String {
    let harness = harness::unpack().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let marks = folder.path().join("marks");
    let output = Command::new("timeout")
        .arg("60")
        .arg(env::current_exe().unwrap())
        .args([test, "--exact", "--test-threads=1", "--nocapture"])
        .env(PINNED, test)
        .env("LD_PRELOAD", harness.preload.unwrap())
        .env(environment::REPORT, &marks)
        .env(environment::INSTRUMENT, instrument::CLOCK)
        .env(environment::SHAPE, shape::SPAN)
        .env(environment::MARKS, "2")
        .env(environment::SECTIONS, "1")
        .env(environment::PINS, [pin::CLOCK, pin::GATE].join(","))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {text}", output.status);
    let told = fs::read_to_string(&marks).unwrap();
    assert!(told.contains(&format!("{} 0 clock gate", report::PINNED)), "{told}");
    text.lines().find_map(|line| line.strip_prefix(ORDER)).unwrap().to_owned()
}

/// Something of libc's whose functions may be called with it from any thread.
struct Shared<T>(UnsafeCell<T>);

// SAFETY: see above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn new() -> Self {
        // SAFETY: all zeroes is what the static initialisers of libc's objects are.
        Self(UnsafeCell::new(unsafe { mem::zeroed() }))
    }

    fn place(&self) -> *mut T {
        self.0.get()
    }
}

/// In the pinned process a test runs in the very first thread, before the tests' own `main`, which
/// would give it a thread of its own.
#[allow(clippy::exit, reason = "the tests' own `main` must not run it once more")]
extern "C" fn run_in_first_thread() {
    let Ok(test) = env::var(PINNED) else { return };
    match test.as_str() {
        "files::the_main_thread_reads_what_a_helper_writes" => {
            files::the_main_thread_reads_what_a_helper_writes();
        }
        "locks::threads_that_want_a_mutex_get_it_in_the_same_order" => {
            locks::threads_that_want_a_mutex_get_it_in_the_same_order();
        }
        "meetings::threads_meet_at_a_barrier_in_the_same_order" => {
            meetings::threads_meet_at_a_barrier_in_the_same_order();
        }
        "meetings::threads_take_what_a_semaphore_has_in_the_same_order" => {
            meetings::threads_take_what_a_semaphore_has_in_the_same_order();
        }
        "c11_threads::threads_of_c11_take_turns_too" => {
            c11_threads::threads_of_c11_take_turns_too();
        }
        _ => return,
    }
    std::process::exit(0);
}

#[used]
#[unsafe(link_section = ".init_array")]
static RUN_IN_FIRST_THREAD: extern "C" fn() = run_in_first_thread;
