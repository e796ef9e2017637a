//! The gate of the threads, at waits that engines rarely make: this binary runs itself with the
//! preloaded library, twice, and the threads must do the same in the same order.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "the tests are about libc's own functions")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::print_stdout, reason = "the pinned process tells the order by it")]

use nix::libc;
use std::cell::UnsafeCell;
use std::process::Command;
use std::sync::Mutex;
use std::{env, fs, thread};
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
        .env(PINNED, "1")
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

struct Lock(UnsafeCell<libc::pthread_rwlock_t>);

// SAFETY: libc's functions may be called with it from any thread.
unsafe impl Sync for Lock {}

impl Lock {
    fn new() -> Self {
        Self(UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER))
    }

    fn place(&self) -> *mut libc::pthread_rwlock_t {
        self.0.get()
    }
}

#[test]
fn threads_that_want_a_lock_get_it_in_the_same_order() {
    let lock = Lock::new();
    is_in_order("threads_that_want_a_lock_get_it_in_the_same_order", |number, done| {
        for round in 0..ROUNDS {
            let is_reader = (number + round) % 3 == 0;
            // SAFETY: the lock lives as long as the threads, and is unlocked by the one that has it.
            unsafe {
                let result = match is_reader {
                    true => libc::pthread_rwlock_rdlock(lock.place()),
                    false => libc::pthread_rwlock_wrlock(lock.place()),
                };
                assert_eq!(result, 0);
                done.lock().unwrap().push(format!("{number}{}", if is_reader { 'r' } else { 'w' }));
                // Others want it meanwhile.
                libc::usleep(10);
                assert_eq!(libc::pthread_rwlock_unlock(lock.place()), 0);
            }
        }
    });
}

#[test]
fn a_lock_that_its_thread_already_has_is_refused() {
    let lock = Lock::new();
    is_in_order("a_lock_that_its_thread_already_has_is_refused", |number, done| {
        for _ in 0..ROUNDS {
            // SAFETY: see above.
            unsafe {
                assert_eq!(libc::pthread_rwlock_wrlock(lock.place()), 0);
                assert_eq!(libc::pthread_rwlock_wrlock(lock.place()), libc::EDEADLK);
                assert_eq!(libc::pthread_rwlock_rdlock(lock.place()), libc::EDEADLK);
                done.lock().unwrap().push(number.to_string());
                libc::usleep(10);
                assert_eq!(libc::pthread_rwlock_unlock(lock.place()), 0);
            }
        }
    });
}

#[test]
fn threads_that_read_what_others_write_do_so_in_the_same_order() {
    let rings: Vec<[i32; 2]> = (0..THREADS)
        .map(|number| {
            let mut ends = [0; 2];
            // SAFETY: the place has room for two descriptors.
            let made = unsafe {
                match number % 2 {
                    0 => libc::pipe(ends.as_mut_ptr()),
                    _ => libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM, 0, ends.as_mut_ptr()),
                }
            };
            assert_eq!(made, 0);
            ends
        })
        .collect();
    is_in_order("threads_that_read_what_others_write_do_so_in_the_same_order", |number, done| {
        let (from, to) = (rings[number][0], rings[(number + 1) % THREADS][1]);
        let mut byte = [0_u8];
        let place = byte.as_mut_ptr().cast::<libc::c_void>();
        for round in 0..ROUNDS {
            // SAFETY: the place has room for a byte.
            unsafe {
                if number != 0 || round != 0 {
                    let length = match number % 2 {
                        0 => libc::read(from, place, 1),
                        _ => libc::recv(from, place, 1, 0),
                    };
                    assert_eq!(length, 1);
                }
                done.lock().unwrap().push(format!("{number}:{round}"));
                assert_eq!(libc::write(to, place, 1), 1);
            }
        }
    });
}
