//! Readings and what is known about their windows.

use crate::{Perturbation, Twin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One process's count for one window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The circumstances it was taken under.
    pub perturbation: Perturbation,
    /// Which of the A/A repeats it is, from 1.
    pub repeat: u32,
    /// The count over the whole window, in the instrument's unit.
    pub count: u64,
    /// Ops in the window.
    pub window_ops: u64,
    /// Wall-clock seconds that the process took from start to end.
    pub seconds: f64,
    /// What of them went where, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// What is known about the window.
    pub proof: Proof,
}

/// Wall-clock seconds of the parts of a process's life.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phases {
    /// Until the harness is in place: the engine, and the framework's own program where that starts
    /// it.
    pub start_up: f64,
    /// Until the bench begins: its file, all that it imports, and the benches before it.
    pub loading: f64,
    /// The bench's set-up, with its first ops.
    pub set_up: f64,
    /// The ops before the window.
    pub warm_up: f64,
    /// The window.
    pub window: f64,
    /// Tear-down and the process's end.
    pub end: f64,
}

impl Reading {
    /// Why its two halves are not those of one window of equal ops, if they are not. Collections
    /// fall into one of them, so a window that holds any says nothing here.
    pub fn halves_fault(&self) -> Option<String> {
        let is_calm =
            self.proof.twin.as_ref().is_some_and(|twin| twin.collections_in_window() == 0);
        let (first, second) = self.halves().filter(|_| is_calm)?;
        ((second / first - 1.0).abs() > DRIFTING_HALVES).then(|| {
            format!(
                "its cost drifts: {first:.0} instructions per op in the first half of the window, \
                 {second:.0} in the second, without a change of code or a collection; does its \
                 state grow from op to op?"
            )
        })
    }

    /// What is to be known of a calm window whose halves differ, but not so much that its place
    /// decides about the count.
    pub fn halves_warning(&self) -> Option<String> {
        let is_calm =
            self.proof.twin.as_ref().is_some_and(|twin| twin.collections_in_window() == 0);
        let (first, second) = self.halves().filter(|_| is_calm)?;
        let difference = (second / first - 1.0).abs();
        (difference > HALVES && difference <= DRIFTING_HALVES).then(|| {
            format!(
                "an op took {first:.0} instructions in the first half of the window and {second:.0} \
                 in the second: its state changes slowly"
            )
        })
    }

    /// Whether its halves differ so much that the place of the window decides about the count, whatever
    /// the cause.
    pub fn halves_differ(&self) -> bool {
        self.halves().is_some_and(|(first, second)| (second / first - 1.0).abs() > DRIFTING_HALVES)
    }

    /// Counts per op of the first and the second half of the window, where it was divided so and
    /// its halves hold enough ops to be compared.
    pub fn halves(&self) -> Option<(f64, f64)> {
        let [first, second] = self.proof.sub_windows.as_slice() else { return None };
        let second_ops = self.window_ops / 2;
        let first_ops = self.window_ops - second_ops;
        (second_ops >= FEWEST_OPS_OF_A_HALF)
            .then(|| (*first as f64 / first_ops as f64, *second as f64 / second_ops as f64))
    }

    /// The count per op, in the instrument's unit.
    pub fn per_op(&self) -> f64 {
        self.count as f64 / self.window_ops as f64
    }
}

/// The halves of a calm window differ by less, unless the op's state changes slowly.
const HALVES: f64 = 0.01;

/// With halves that differ by more, the place of the window decides about the count.
const DRIFTING_HALVES: f64 = 0.05;

/// In shorter halves an op more or less, or the mark at their end, would weigh.
const FEWEST_OPS_OF_A_HALF: u64 = 100;

/// What is known about one window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The marks that the instrument saw.
    pub marks: MarkCheck,
    /// The count that the marks themselves cost and that was subtracted, for windows in brackets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtracted_mark_cost: Option<u64>,
    /// What the in-process counter saw in the window, both sections of a window in brackets
    /// together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<Observed>,
    /// The counts of the window's parts, where it was divided: the marks between them included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_windows: Vec<u64>,
    /// Processor time that others spent during the window, where it is worth telling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Spent>,
    /// What a traced run of the same ops tells, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<Twin>,
    /// How far the process was pinned; absent where the profile holds nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Pinned>,
}

/// How far a process was held to the same course every time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pinned {
    /// What the preloaded library held constant, by name.
    pub held: Vec<String>,
    /// How often a thread ran outside of the gate's order, up to the end of the window.
    pub escaped_turns: u64,
    /// Why something that the profile asks for was not held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifted: Option<String>,
}

/// Processor time between the marks, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// By the measured thread, under the instrument.
    pub own_ns: u64,
    /// By other threads of the process.
    pub threads_ns: u64,
    /// By child processes and theirs.
    pub children_ns: u64,
}

/// Less than this is what threads spend that have nothing to do.
const IDLE_NS: u64 = 300_000;

/// What threads that have nothing to do spend on each wait of the measured one, in which they are
/// asked.
const ASKED_NS: u64 = 30_000;

/// More than this share of the work is nobody's who is merely asked.
const MOST_ASKED: f64 = 0.05;

/// A thread that does anything for a wait of another spends more on being woken alone.
const WOKEN_NS: u64 = 2_000;

impl Spent {
    /// The part of the work that others did, if it is more than `share` of it: then the thread's
    /// count is not the op's. `waits` is how often the thread waited.
    pub fn elsewhere(self, share: f64, waits: u64) -> Option<Self> {
        let others = self.threads_ns + self.children_ns;
        let part = others as f64 / (others + self.own_ns).max(1) as f64;
        let each = |ns: u64| waits.saturating_mul(ns);
        let is_asking = others < each(WOKEN_NS) || others < each(ASKED_NS) && part < MOST_ASKED;
        (others > IDLE_NS && part > share && !is_asking).then_some(self)
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |ns: u64| ns as f64 / 1e6;
        let parts: Vec<String> =
            [(self.threads_ns, "other threads"), (self.children_ns, "child processes")]
                .into_iter()
                .filter(|(ns, _)| *ns > IDLE_NS)
                .map(|(ns, who)| format!("{who} ran for {:.1} ms", ms(ns)))
                .collect();
        write!(formatter, "{} beside {:.1} ms of its own", parts.join(" and "), ms(self.own_ns))
    }
}

/// What the in-process counter saw in a window, in numbers of occurrences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Observed {
    /// Writes to pages that hold translated code.
    pub code_writes: u64,
    /// Those of them that other threads made.
    pub foreign_code_writes: u64,
    /// Pages or ranges of which the translations were discarded.
    pub invalidations: u64,
    /// Signals handed to the program's handlers, whose instructions are not counted.
    pub signals: u64,
    /// Faults that the program handles itself.
    pub faults: u64,
    /// Threads that the measured thread started.
    pub threads_started: u64,
    /// Processes that it started.
    pub children_started: u64,
    /// Instructions with a repeat prefix, each counted once however often it repeats.
    pub repeated_instructions: u64,
    /// System calls by their number.
    pub system_calls: BTreeMap<u32, u64>,
}

impl Observed {
    /// What of the op's work was done elsewhere and is not in the count, if any was.
    pub fn work_elsewhere(&self) -> Option<String> {
        let count = |number: u64, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {many}")),
        };
        let parts: Vec<String> = [
            count(self.threads_started, "thread", "threads"),
            count(self.children_started, "process", "processes"),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "work outside the measured thread: {} started in the window",
                parts.join(" and ")
            )
        })
    }

    /// How often the thread waited for time to pass or for something to happen.
    pub fn waits(&self) -> u64 {
        WAITS.iter().filter_map(|number| self.system_calls.get(number)).sum()
    }

    /// What the counts can't tell, as the kernel's work and waiting are not counted.
    pub fn warning(&self, count: u64, window_ops: u64) -> Option<String> {
        let made: u64 = self.system_calls.values().sum();
        let waits = self.waits();
        let per_op = |number: u64| number as f64 / window_ops as f64;
        if per_op(waits) >= 0.5 {
            return Some(format!(
                "an op waits {:.1} times; the time of a wait is in no count of instructions",
                per_op(waits)
            ));
        }
        (per_op(made) >= 0.5 && made.saturating_mul(LEAST_BETWEEN_CALLS) > count).then(|| {
            format!(
                "an op makes {:.1} system calls, one every {:.0} instructions; the kernel's own \
                 instructions are not counted",
                per_op(made),
                count as f64 / made as f64
            )
        })
    }
}

/// Numbers of `poll`, `select`, `nanosleep`, `clock_nanosleep`, `epoll_wait`, `pselect6`, `ppoll` and
/// `epoll_pwait` on x86-64, where the counter is.
const WAITS: [u32; 8] = [7, 23, 35, 230, 232, 270, 271, 281];

/// With fewer instructions between system calls the kernel does more of the work than the program.
const LEAST_BETWEEN_CALLS: u64 = 5_000;

/// Marks expected and seen from the armed thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkCheck {
    /// Marks that the plan asks for.
    pub expected: u64,
    /// Marks that came.
    pub seen: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_that_are_asked_at_waits_do_no_work_of_the_op() {
        let spent = |own_ns, threads_ns| Spent { own_ns, threads_ns, children_ns: 0 };
        let asked = spent(52_500_000, 1_200_000);
        assert_eq!(asked.elsewhere(0.02, 100), None);
        assert_eq!(asked.elsewhere(0.02, 10), Some(asked));
        let worker = spent(52_500_000, 5_200_000);
        assert_eq!(worker.elsewhere(0.02, 1_000), Some(worker));
        assert_eq!(spent(1_000_000, 200_000).elsewhere(0.02, 0), None);
        let sleeper = spent(36_000_000, 3_600_000);
        assert_eq!(sleeper.elsewhere(0.02, 18_000), None);
        assert_eq!(sleeper.elsewhere(0.02, 1_000), Some(sleeper));
    }
}
