//! The in-process counter's part in the marks: it takes the thread over at a section's first mark
//! and gives it back at the last one.

#[cfg(target_arch = "x86_64")]
pub(crate) use translating::{bracket, close, divide, is_open, mapping_changed, open};

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use refusing::{bracket, close, divide, is_open, mapping_changed, open};

#[cfg(target_arch = "x86_64")]
mod translating {
    use crate::overrides::getppid;
    use crate::plan::Plan;
    use crate::report::Line;
    use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
    use tiergate_counter::{Counter, Observations, Options};
    use tiergate_protocol::{MOST_SUB_WINDOWS, report};

    /// Instructions at the last mark that opened a bracket.
    static OPENED_AT: AtomicU64 = AtomicU64::new(0);
    /// Instructions in the brackets that are closed.
    static IN_BRACKETS: AtomicU64 = AtomicU64::new(0);

    /// Instructions until the end of each sub-window but the last.
    static DIVISIONS: [AtomicU64; MOST_SUB_WINDOWS] = [const { AtomicU64::new(0) }; _];
    static DIVIDED: AtomicUsize = AtomicUsize::new(0);

    pub(crate) fn is_open() -> bool {
        Counter::is_open()
    }

    pub(crate) fn open(plan: &Plan, section: u64) {
        OPENED_AT.store(0, Relaxed);
        IN_BRACKETS.store(0, Relaxed);
        DIVIDED.store(0, Relaxed);
        let gate = getppid as *const () as u64;
        // This library's own code is not the program's.
        let mut options = Options::default()
            .gate(gate)
            .uncounted_around(gate)
            .profile(plan.profile_path().is_some())
            .transfers(plan.profile_path().is_some());
        if let Some(rest) = crate::pin::rest_of_others() {
            options = options.after_wake(rest);
        }
        if let Err(refusal) = Counter::open(options) {
            line(report::REFUSED, section).text(&refusal.to_string()).append_to(plan.report_path());
        }
    }

    /// A mark between the first and the last one: it opens or closes a bracket.
    pub(crate) fn bracket(plan: &Plan, number: u64) {
        let Some(now) = Counter::count_so_far() else { return };
        if number % 2 == 1 {
            OPENED_AT.store(now, Relaxed);
            return;
        }
        add_bracket(now);
        let brackets = (plan.marks_per_section / 2).div_ceil(plan.sub_windows).max(1);
        if (number / 2).is_multiple_of(brackets) {
            divide_at(IN_BRACKETS.load(Relaxed));
        }
    }

    /// A mark in a span ends a sub-window.
    pub(crate) fn divide() {
        if let Some(now) = Counter::count_so_far() {
            divide_at(now);
        }
    }

    fn divide_at(count: u64) {
        // Written down when the window is closed: until then there is to be nothing but the program.
        if let Some(place) = DIVISIONS.get(DIVIDED.fetch_add(1, Relaxed)) {
            place.store(count, Relaxed);
        }
    }

    fn add_bracket(now: u64) {
        let length = now.saturating_sub(OPENED_AT.load(Relaxed));
        IN_BRACKETS.store(IN_BRACKETS.load(Relaxed) + length, Relaxed);
    }

    pub(crate) fn close(plan: &Plan, section: u64) {
        let Some((observations, found)) = Counter::close_with_profile() else { return };
        let path = plan.report_path();
        // A second section shows what the marks cost, and is in no profile.
        if let Some(profile) = plan.profile_path().filter(|_| section == 1) {
            crate::profile::write(profile, &found);
        }
        if let Some(incomplete) = observations.incomplete {
            line(report::INCOMPLETE, section).text(&incomplete.to_string()).append_to(path);
        }
        add_bracket(observations.total());
        let count = if plan.brackets { IN_BRACKETS.load(Relaxed) } else { observations.total() };
        line(report::COUNTED, section).text("instructions ").number(count).append_to(path);
        let divided = DIVIDED.load(Relaxed);
        if let Some(divisions) = DIVISIONS.get(..divided).filter(|_| plan.sub_windows > 1) {
            let mut before = 0;
            let ends = divisions.iter().map(|end| end.load(Relaxed));
            for end in ends.chain([count].into_iter().filter(|end| *end > 0)) {
                let length = end.saturating_sub(before);
                line(report::SUB_WINDOW, section).number(length).append_to(path);
                before = end;
            }
        }
        for (name, number) in facts(&observations) {
            line(report::OBSERVED, section).text(name).text(" ").number(number).append_to(path);
        }
        for (number, count) in &observations.system_calls {
            line(report::SYSTEM_CALL, section)
                .number(u64::from(*number))
                .text(" ")
                .number(*count)
                .append_to(path);
        }
    }

    /// A thread other than the measured one has changed a mapping, which `may_be_code` now.
    pub(crate) fn mapping_changed(start: u64, length: u64, may_be_code: bool) {
        Counter::mapping_changed_by_other_thread(start, length, may_be_code);
    }

    fn line(word: &str, section: u64) -> Line {
        Line::new(word).text(" ").number(section).text(" ")
    }

    /// What a proof tells of the window.
    fn facts(seen: &Observations) -> [(&'static str, u64); 8] {
        [
            ("code_writes", seen.code_writes),
            ("foreign_code_writes", seen.foreign_code_writes),
            ("invalidations", seen.invalidations),
            ("signals", seen.signals),
            ("faults", seen.faults),
            ("threads_started", seen.threads_started),
            ("children_started", seen.children_started),
            ("repeated_instructions", seen.repeated_instructions),
        ]
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod refusing {
    use crate::plan::Plan;
    use crate::report::Line;
    use tiergate_protocol::report;

    pub(crate) fn is_open() -> bool {
        false
    }

    pub(crate) fn open(plan: &Plan, section: u64) {
        Line::new(report::REFUSED)
            .text(" ")
            .number(section)
            .text(" the counter translates x86-64 code only")
            .append_to(plan.report_path());
    }

    pub(crate) fn bracket(_plan: &Plan, _number: u64) {}

    pub(crate) fn divide() {}

    pub(crate) fn mapping_changed(_start: u64, _length: u64, _may_be_code: bool) {}

    pub(crate) fn close(_plan: &Plan, _section: u64) {}
}
