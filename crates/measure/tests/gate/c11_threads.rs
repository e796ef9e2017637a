//! C11's threads.

use super::{ROUNDS, Shared, THREADS, is_in_order_beside};
use nix::libc;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};

/// C11's threads, as glibc declares them; its objects are POSIX's.
mod c11 {
    use super::libc::{c_int, c_void, pthread_cond_t, pthread_mutex_t, pthread_t, timespec};

    unsafe extern "C" {
        pub(super) fn thrd_create(
            thread: *mut pthread_t,
            start: unsafe extern "C" fn(*mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        pub(super) fn thrd_join(thread: pthread_t, result: *mut c_int) -> c_int;
        pub(super) fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int;
        pub(super) fn thrd_yield();
        pub(super) fn mtx_lock(mutex: *mut pthread_mutex_t) -> c_int;
        pub(super) fn mtx_unlock(mutex: *mut pthread_mutex_t) -> c_int;
        pub(super) fn cnd_wait(place: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int;
        pub(super) fn cnd_timedwait(
            place: *mut pthread_cond_t,
            mutex: *mut pthread_mutex_t,
            time: *const timespec,
        ) -> c_int;
        pub(super) fn cnd_broadcast(place: *mut pthread_cond_t) -> c_int;
    }
}

/// What C11's threads share. Each waits for its turn, the main thread for all to be through.
static C11: LazyLock<(Shared<libc::pthread_mutex_t>, Shared<libc::pthread_cond_t>)> =
    LazyLock::new(|| (Shared::new(), Shared::new()));
static TURN: AtomicUsize = AtomicUsize::new(0);
static C11_DONE: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn c11_thread(number: *mut libc::c_void) -> libc::c_int {
    let number = number.addr();
    let (mutex, condition) = &*C11;
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 10_000 };
    for round in 0..ROUNDS {
        // SAFETY: the objects live as long as the process, and the mutex is held where it must be.
        unsafe {
            c11::thrd_yield();
            assert_eq!(c11::thrd_sleep(&raw const pause, std::ptr::null_mut()), 0);
            assert_eq!(c11::mtx_lock(mutex.place()), 0);
            C11_DONE.lock().unwrap().push(format!("{number} comes"));
            // Others want the mutex meanwhile.
            c11::thrd_sleep(&raw const pause, std::ptr::null_mut());
            while TURN.load(Relaxed) != round * THREADS + number {
                assert_eq!(c11::cnd_wait(condition.place(), mutex.place()), 0);
            }
            TURN.fetch_add(1, Relaxed);
            C11_DONE.lock().unwrap().push(format!("{number}:{round}"));
            assert_eq!(c11::cnd_broadcast(condition.place()), 0);
            assert_eq!(c11::mtx_unlock(mutex.place()), 0);
        }
    }
    -7 - libc::c_int::try_from(number).unwrap()
}

#[test]
pub(super) fn threads_of_c11_take_turns_too() {
    const TIMED_OUT: libc::c_int = 4;
    let none = |_: usize, _: &Mutex<Vec<String>>| ();
    is_in_order_beside("c11_threads::threads_of_c11_take_turns_too", none, |done| {
        let (mutex, condition) = &*C11;
        let mut threads = [0; THREADS];
        // SAFETY: the places are valid, and the mutex is held where it must be.
        unsafe {
            for (number, thread) in threads.iter_mut().enumerate() {
                let number = std::ptr::without_provenance_mut(number);
                assert_eq!(c11::thrd_create(thread, c11_thread, number), 0);
            }
            let mut time = mem::zeroed::<libc::timespec>();
            libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time);
            assert_eq!(c11::mtx_lock(mutex.place()), 0);
            let mut result = 0;
            while result == 0 {
                result = c11::cnd_timedwait(condition.place(), mutex.place(), &raw const time);
            }
            assert_eq!(result, TIMED_OUT);
            assert_eq!(c11::mtx_unlock(mutex.place()), 0);
            for (number, thread) in threads.into_iter().enumerate() {
                let mut result = 0;
                assert_eq!(c11::thrd_join(thread, &raw mut result), 0);
                assert_eq!(result, -7 - libc::c_int::try_from(number).unwrap());
            }
        }
        done.lock().unwrap().append(&mut C11_DONE.lock().unwrap());
    });
}
