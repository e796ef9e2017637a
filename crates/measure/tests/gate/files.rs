//! Pipes and sockets.

use super::{ROUNDS, THREADS, is_in_order, is_in_order_beside};
use nix::libc;
use std::sync::Mutex;

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
    is_in_order(
        "files::threads_that_read_what_others_write_do_so_in_the_same_order",
        |number, done| {
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
        },
    );
}

fn pipe() -> [i32; 2] {
    let mut ends = [0; 2];
    // SAFETY: the place has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    ends
}

#[test]
pub(super) fn the_main_thread_reads_what_a_helper_writes() {
    let ends = pipe();
    let test = "files::the_main_thread_reads_what_a_helper_writes";
    let steps = |number: usize, done: &Mutex<Vec<String>>| {
        for _ in 0..ROUNDS {
            done.lock().unwrap().push(number.to_string());
            let byte = [u8::try_from(number).unwrap()];
            // SAFETY: the place has a byte.
            assert_eq!(unsafe { libc::write(ends[1], byte.as_ptr().cast(), 1) }, 1);
            // SAFETY: the call has no preconditions.
            unsafe { libc::usleep(10) };
        }
    };
    is_in_order_beside(test, steps, |done| {
        for _ in 0..THREADS * ROUNDS {
            let mut byte = [0_u8];
            // SAFETY: the place has room for a byte.
            assert_eq!(unsafe { libc::read(ends[0], byte.as_mut_ptr().cast(), 1) }, 1);
            done.lock().unwrap().push(format!("got {}", byte[0]));
        }
    });
}
