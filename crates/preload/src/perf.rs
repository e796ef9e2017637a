//! A counter of the kernel's `perf_event` interface: of the armed thread, in user space, opened
//! when the section is armed and running between the marks only.
//!
//! What is odd about its readings is passed on and not judged here: the launcher does that.

use crate::plan::Plan;
use crate::report::Line;
use crate::system::{address, call};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};
use libc::{c_int, c_long};
use perf_event_open_sys::bindings;
use tiergate_protocol::{perf_step, report};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    kind: u32,
    number: u32,
}

impl Event {
    pub(crate) fn named(name: &str) -> Option<Self> {
        use tiergate_protocol::perf_event;
        let software = |number| Self { kind: bindings::PERF_TYPE_SOFTWARE, number };
        Some(match name {
            perf_event::INSTRUCTIONS => Self {
                kind: bindings::PERF_TYPE_HARDWARE,
                number: bindings::PERF_COUNT_HW_INSTRUCTIONS,
            },
            perf_event::TASK_CLOCK => software(bindings::PERF_COUNT_SW_TASK_CLOCK),
            perf_event::DUMMY => software(bindings::PERF_COUNT_SW_DUMMY),
            _ => return None,
        })
    }
}

const NONE: c_int = -1;

static DESCRIPTOR: AtomicI32 = AtomicI32::new(NONE);
/// The count when the window opened.
static FROM: AtomicU64 = AtomicU64::new(0);
/// The count at the last mark that closed; below `FROM` once a count went down.
static TO: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds that the counter was on, and that the processor really counted.
static ENABLED_NS: AtomicU64 = AtomicU64::new(0);
static RUNNING_NS: AtomicU64 = AtomicU64::new(0);
/// The first reading of the section is still to come.
static FIRST: AtomicBool = AtomicBool::new(true);
/// A count went down: the two readings are kept as they are.
static SHRANK: AtomicBool = AtomicBool::new(false);

/// Opens the counter for the calling thread, not counting yet.
pub(crate) fn arm(plan: &Plan, section: u64, event: Event) {
    close_descriptor();
    for place in [&FROM, &TO, &ENABLED_NS, &RUNNING_NS] {
        place.store(0, Relaxed);
    }
    FIRST.store(true, Relaxed);
    SHRANK.store(false, Relaxed);
    let mut attributes = bindings::perf_event_attr {
        type_: event.kind,
        size: u32::try_from(size_of::<bindings::perf_event_attr>()).unwrap_or(0),
        config: u64::from(event.number),
        read_format: u64::from(
            bindings::PERF_FORMAT_TOTAL_TIME_ENABLED | bindings::PERF_FORMAT_TOTAL_TIME_RUNNING,
        ),
        ..Default::default()
    };
    attributes.set_disabled(1);
    attributes.set_exclude_kernel(1);
    attributes.set_exclude_hv(1);
    // Rather none than one that shares the processor's counter with others.
    attributes.set_pinned(1);
    let arguments = [
        address(&raw const attributes),
        0,
        -1,
        -1,
        c_long::from(bindings::PERF_FLAG_FD_CLOEXEC),
        0,
    ];
    // SAFETY: the attributes are valid and of the size they state.
    match outcome(unsafe { call(libc::SYS_perf_event_open, arguments) }) {
        Ok(descriptor) => DESCRIPTOR.store(c_int::try_from(descriptor).unwrap_or(NONE), Relaxed),
        Err(error) => failed(plan, section, perf_step::OPEN, error),
    }
}

/// Goes on counting.
pub(crate) fn resume(plan: &Plan, section: u64) {
    if !is_open() {
        return;
    }
    if FIRST.load(Relaxed) {
        read(plan, section);
    }
    control(plan, section, bindings::ENABLE);
}

/// Stops counting, and takes a reading.
pub(crate) fn pause(plan: &Plan, section: u64) {
    if is_open() {
        control(plan, section, bindings::DISABLE);
        read(plan, section);
    }
}

/// Stops counting for good, and reports.
pub(crate) fn close(plan: &Plan, section: u64) {
    pause(plan, section);
    if !is_open() {
        return;
    }
    close_descriptor();
    Line::new(report::PERF)
        .text(" ")
        .number(section)
        .text(" from ")
        .number(FROM.load(Relaxed))
        .text(" to ")
        .number(TO.load(Relaxed))
        .text(" enabled ")
        .number(ENABLED_NS.load(Relaxed))
        .text(" running ")
        .number(RUNNING_NS.load(Relaxed))
        .append_to(plan.report_path());
}

fn is_open() -> bool {
    DESCRIPTOR.load(Relaxed) != NONE
}

fn control(plan: &Plan, section: u64, operation: u32) {
    let arguments = [c_long::from(DESCRIPTOR.load(Relaxed)), c_long::from(operation), 0, 0, 0, 0];
    // SAFETY: switches a counter of this library's own on or off; the argument is a number.
    if let Err(error) = outcome(unsafe { call(libc::SYS_ioctl, arguments) }) {
        failed(plan, section, perf_step::SWITCH, error);
    }
}

/// Reads count and times, in the layout that `read_format` asks for.
fn read(plan: &Plan, section: u64) {
    let mut words = [0_u64; 3];
    let size = c_long::try_from(size_of_val(&words)).unwrap_or(0);
    let arguments =
        [c_long::from(DESCRIPTOR.load(Relaxed)), address(&raw mut words), size, 0, 0, 0];
    // SAFETY: the buffer is as long as said.
    match outcome(unsafe { call(libc::SYS_read, arguments) }) {
        Ok(length) if length == size => {}
        // A counter that could not be kept on the processor reads as the end of a file.
        Ok(_) => return failed(plan, section, perf_step::KEEP, 0),
        Err(error) => return failed(plan, section, perf_step::READ, error),
    }
    let [count, enabled, running] = words;
    ENABLED_NS.store(enabled, Relaxed);
    RUNNING_NS.store(running, Relaxed);
    if SHRANK.load(Relaxed) {
        return;
    }
    let before = TO.swap(count, Relaxed);
    if FIRST.swap(false, Relaxed) {
        FROM.store(count, Relaxed);
    } else if count < before {
        SHRANK.store(true, Relaxed);
        FROM.store(before, Relaxed);
    }
}

/// Tells the launcher what went wrong; the section has no count then.
fn failed(plan: &Plan, section: u64, step: &str, error: c_int) {
    close_descriptor();
    Line::new(report::PERF_FAILED)
        .text(" ")
        .number(section)
        .text(" ")
        .text(step)
        .text(" ")
        .number(u64::from(error.unsigned_abs()))
        .append_to(plan.report_path());
}

fn close_descriptor() {
    let descriptor = DESCRIPTOR.swap(NONE, Relaxed);
    if descriptor != NONE {
        // SAFETY: the descriptor is this library's own, and nobody else closes it.
        unsafe { call(libc::SYS_close, [c_long::from(descriptor), 0, 0, 0, 0, 0]) };
    }
}

fn outcome(result: c_long) -> Result<c_long, c_int> {
    match c_int::try_from(-result) {
        Ok(error @ 1..4096) => Err(error),
        _ => Ok(result),
    }
}
