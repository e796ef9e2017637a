//! Read–write locks and mutexes.

use super::{ROUNDS, Shared, THREADS, is_in_order, is_in_order_beside};
use nix::libc;
use std::mem;
use std::sync::Mutex;

#[test]
fn threads_that_want_a_lock_get_it_in_the_same_order() {
    let lock: Shared<libc::pthread_rwlock_t> = Shared::new();
    is_in_order("locks::threads_that_want_a_lock_get_it_in_the_same_order", |number, done| {
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
    let lock: Shared<libc::pthread_rwlock_t> = Shared::new();
    is_in_order("locks::a_lock_that_its_thread_already_has_is_refused", |number, done| {
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
pub(super) fn threads_that_want_a_mutex_get_it_in_the_same_order() {
    let mutex: Shared<libc::pthread_mutex_t> = Shared::new();
    let test = "locks::threads_that_want_a_mutex_get_it_in_the_same_order";
    let steps = |number: usize, done: &Mutex<Vec<String>>| {
        for _ in 0..ROUNDS {
            // SAFETY: the mutex lives as long as the threads, and is unlocked by the one that has it.
            unsafe {
                assert_eq!(libc::pthread_mutex_lock(mutex.place()), 0);
                done.lock().unwrap().push(number.to_string());
                // Others want it meanwhile.
                libc::usleep(10);
                assert_eq!(libc::pthread_mutex_unlock(mutex.place()), 0);
                libc::usleep(10);
            }
        }
    };
    is_in_order_beside(test, steps, |done| steps(THREADS, done));
}

#[test]
fn a_mutex_tells_its_thread_that_it_has_it_already_and_others_to_wait_no_longer() {
    let mutex: Shared<libc::pthread_mutex_t> = Shared::new();
    // SAFETY: the places are valid.
    unsafe {
        let mut attributes = mem::zeroed();
        libc::pthread_mutexattr_init(&raw mut attributes);
        libc::pthread_mutexattr_settype(&raw mut attributes, libc::PTHREAD_MUTEX_ERRORCHECK);
        assert_eq!(libc::pthread_mutex_init(mutex.place(), &raw const attributes), 0);
    }
    let test =
        "locks::a_mutex_tells_its_thread_that_it_has_it_already_and_others_to_wait_no_longer";
    is_in_order(test, |number, done| {
        for _ in 0..ROUNDS {
            // SAFETY: see above.
            unsafe {
                let mut time = mem::zeroed::<libc::timespec>();
                libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time);
                time.tv_nsec += 500_000;
                let result = libc::pthread_mutex_timedlock(mutex.place(), &raw const time);
                done.lock().unwrap().push(format!("{number}:{result}"));
                if result == 0 {
                    assert_eq!(libc::pthread_mutex_lock(mutex.place()), libc::EDEADLK);
                    // Some of the others have the patience to wait for that, and some have not.
                    libc::usleep(200);
                    assert_eq!(libc::pthread_mutex_unlock(mutex.place()), 0);
                } else {
                    assert_eq!(result, libc::ETIMEDOUT);
                }
            }
        }
    });
}
