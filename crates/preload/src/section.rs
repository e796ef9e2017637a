//! Sections: what `arm` begins and the marks of the armed thread divide.
//!
//! The armed thread alone changes the state; other threads only compare their identity with it,
//! so relaxed atomics suffice.

use crate::plan::{self, Instrument, Plan};
use crate::system::{real_monotonic, thread_number};
use crate::{callgrind, counter, perf, pin, report::Line, spent, trace};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tiergate_protocol::report;

/// `pthread_self` of the armed thread; 0 before the first arming.
static ARMED_THREAD: AtomicU64 = AtomicU64::new(0);
/// The section's number, from 1.
static SECTION: AtomicU64 = AtomicU64::new(0);
/// Marks seen in the section.
static MARKS: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds of the monotonic clock at the last mark that opened.
static OPENED_NS: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds counted in the section so far.
static COUNTED_NS: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds of the section's shortest bracket.
static SHORTEST_NS: AtomicU64 = AtomicU64::new(u64::MAX);

fn this_thread() -> u64 {
    // SAFETY: `pthread_self` has no preconditions.
    unsafe { libc::pthread_self() }
}

/// Whether the calling thread is the one that was armed.
pub(crate) fn is_armed_thread() -> bool {
    ARMED_THREAD.load(Relaxed) == this_thread()
}

/// Begins a section with the calling thread as the measured one.
pub(crate) fn arm() {
    let Some(plan) = plan::get() else { return };
    let path = plan.report_path();
    let before = SECTION.load(Relaxed);
    if before == 0 {
        Line::new(report::HEADER).append_to(path);
    } else if MARKS.load(Relaxed) < plan.marks_per_section {
        Line::new(report::REARMED).text(" ").number(before).append_to(path);
    }
    let section = before + 1;
    SECTION.store(section, Relaxed);
    MARKS.store(0, Relaxed);
    COUNTED_NS.store(0, Relaxed);
    SHORTEST_NS.store(u64::MAX, Relaxed);
    Line::new(report::ARMED)
        .text(" ")
        .number(section)
        .text(" thread ")
        .number(thread_number().unsigned_abs().into())
        .append_to(path);
    trace::arm(section);
    ARMED_THREAD.store(this_thread(), Relaxed);
    if let Instrument::Perf(event) = plan.instrument {
        perf::arm(plan, section, event);
    }
}

/// Takes one mark, if the calling thread is the armed one. Whether the thread is to go on under
/// the in-process counter.
pub(crate) fn mark() -> bool {
    trace::mark();
    if !is_armed_thread() {
        return false;
    }
    let Some(plan) = plan::get() else { return false };
    let number = MARKS.load(Relaxed) + 1;
    MARKS.store(number, Relaxed);
    if number > plan.marks_per_section || SECTION.load(Relaxed) > plan.sections {
        Line::new(report::EXCESS).text(" 1").append_to(plan.report_path());
    } else if number == 1 {
        open(plan);
    } else if number == plan.marks_per_section {
        close(plan);
    } else {
        inner(plan, number);
    }
    plan.instrument == Instrument::Counter && counter::is_open()
}

fn open(plan: &Plan) {
    Line::new(report::OPENED).text(" ").number(SECTION.load(Relaxed)).append_to(plan.report_path());
    spent::begin();
    match plan.instrument {
        Instrument::Clock => OPENED_NS.store(real_monotonic(), Relaxed),
        Instrument::Trace => {}
        Instrument::Counter => counter::open(plan, SECTION.load(Relaxed)),
        Instrument::Callgrind => {
            callgrind::start_instrumentation();
            callgrind::toggle_collecting();
        }
        Instrument::Perf(_) => perf::resume(plan, SECTION.load(Relaxed)),
    }
}

/// A mark that is neither the first nor the last: in brackets it closes or opens one, in a span
/// it only bounds a sub-window.
fn inner(plan: &Plan, number: u64) {
    if !plan.brackets {
        if plan.instrument == Instrument::Counter {
            counter::divide();
        }
        return;
    }
    match plan.instrument {
        Instrument::Clock if number % 2 == 1 => OPENED_NS.store(real_monotonic(), Relaxed),
        Instrument::Clock => add_elapsed(real_monotonic()),
        Instrument::Counter => counter::bracket(plan, number),
        Instrument::Callgrind => callgrind::toggle_collecting(),
        Instrument::Trace => {}
        Instrument::Perf(_) if number % 2 == 1 => perf::resume(plan, SECTION.load(Relaxed)),
        Instrument::Perf(_) => perf::pause(plan, SECTION.load(Relaxed)),
    }
}

fn close(plan: &Plan) {
    match plan.instrument {
        Instrument::Clock => {
            add_elapsed(real_monotonic());
            // Later sections show what the marks cost by themselves. Their longer brackets were
            // interrupted, which is no cost of the marks.
            if SECTION.load(Relaxed) > 1 {
                COUNTED_NS.store(SHORTEST_NS.load(Relaxed) * (plan.marks_per_section / 2), Relaxed);
            }
        }
        Instrument::Trace => {}
        Instrument::Counter => counter::close(plan, SECTION.load(Relaxed)),
        Instrument::Callgrind => {
            callgrind::toggle_collecting();
            callgrind::dump_counts();
            callgrind::stop_instrumentation();
        }
        Instrument::Perf(_) => perf::close(plan, SECTION.load(Relaxed)),
    }
    spent::end(Line::new(report::SPENT).text(" ").number(SECTION.load(Relaxed)))
        .append_to(plan.report_path());
    if let Some(line) = pin::report() {
        line.append_to(plan.report_path());
    }
    Line::new(report::CLOSED)
        .text(" ")
        .number(SECTION.load(Relaxed))
        .text(" marks ")
        .number(MARKS.load(Relaxed))
        .text(" ns ")
        .number(COUNTED_NS.load(Relaxed))
        .append_to(plan.report_path());
}

fn add_elapsed(now: u64) {
    let elapsed = now.saturating_sub(OPENED_NS.load(Relaxed));
    COUNTED_NS.store(COUNTED_NS.load(Relaxed) + elapsed, Relaxed);
    SHORTEST_NS.store(SHORTEST_NS.load(Relaxed).min(elapsed), Relaxed);
}
