//! Barriers and semaphores.

use super::{ROUNDS, Shared, THREADS, is_in_order_beside};
use nix::libc;
use std::mem;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
pub(super) fn threads_meet_at_a_barrier_in_the_same_order() {
    let barrier: Shared<libc::pthread_barrier_t> = Shared::new();
    let all = u32::try_from(THREADS + 1).unwrap();
    // SAFETY: the place is valid.
    unsafe {
        assert_eq!(libc::pthread_barrier_init(barrier.place(), std::ptr::null(), 0), libc::EINVAL);
        assert_eq!(libc::pthread_barrier_init(barrier.place(), std::ptr::null(), all), 0);
    }
    let last = AtomicUsize::new(0);
    let steps = |number: usize, done: &Mutex<Vec<String>>| {
        for round in 0..ROUNDS {
            // SAFETY: the barrier lives as long as the threads.
            match unsafe { libc::pthread_barrier_wait(barrier.place()) } {
                0 => {}
                libc::PTHREAD_BARRIER_SERIAL_THREAD => {
                    last.fetch_add(1, Relaxed);
                }
                other => panic!("{other}"),
            }
            let mut done = done.lock().unwrap();
            // Nobody is further than all have come.
            assert!(done.len() >= round * (THREADS + 1), "{number} in {round}");
            done.push(format!("{number}:{round}"));
        }
    };
    let test = "meetings::threads_meet_at_a_barrier_in_the_same_order";
    is_in_order_beside(test, steps, |done| {
        steps(THREADS, done);
        // SAFETY: nobody waits there any more, but some may not have left yet.
        assert_eq!(unsafe { libc::pthread_barrier_destroy(barrier.place()) }, 0);
        assert_eq!(last.load(Relaxed), ROUNDS);
    });
}

#[test]
pub(super) fn threads_take_what_a_semaphore_has_in_the_same_order() {
    let (given, taken): (Shared<libc::sem_t>, Shared<libc::sem_t>) = (Shared::new(), Shared::new());
    // SAFETY: the places are valid.
    unsafe {
        assert_eq!(libc::sem_init(given.place(), 0, 2), 0);
        assert_eq!(libc::sem_init(taken.place(), 0, 0), 0);
    }
    let steps = |number: usize, done: &Mutex<Vec<String>>| {
        for _ in 0..ROUNDS {
            // SAFETY: the semaphores live as long as the threads.
            unsafe {
                assert_eq!(libc::sem_wait(given.place()), 0);
                done.lock().unwrap().push(number.to_string());
                libc::usleep(10);
                assert_eq!(libc::sem_post(taken.place()), 0);
            }
        }
    };
    let test = "meetings::threads_take_what_a_semaphore_has_in_the_same_order";
    is_in_order_beside(test, steps, |done| {
        for _ in 0..THREADS * ROUNDS {
            // SAFETY: see above.
            unsafe {
                assert_eq!(libc::sem_wait(taken.place()), 0);
                done.lock().unwrap().push("main".to_owned());
                assert_eq!(libc::sem_post(given.place()), 0);
            }
        }
        // SAFETY: see above.
        unsafe {
            let mut time = mem::zeroed::<libc::timespec>();
            libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time);
            time.tv_sec += 50;
            assert_eq!(libc::sem_timedwait(taken.place(), &raw const time), -1);
        }
    });
}
