//! A trace as events with places.

use super::{Course, Place};
use crate::Fault;
use tiergate_engine::trace::{CollectionKind, Event, read_line};
use tiergate_model::{EngineKind, OpBudget};
use tiergate_protocol::trace;

/// Functions of the harness that run beside the ops and not among them.
const BESIDE: [&str; 3] = ["tiergateMark", "tiergateWarm", "tiergateWarmAsync"];

/// One event and where it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedEvent {
    /// Where.
    pub place: Place,
    /// What.
    pub event: Event,
}

impl TimedEvent {
    /// Whether the code that ops run was not what it was before: compiled, left or entered.
    pub fn unsettles(&self) -> bool {
        let is_change = matches!(
            self.event,
            Event::Compile(_) | Event::Bailout { .. } | Event::OsrEntry { .. }
        );
        let is_beside = self.event.function().is_some_and(|name| BESIDE.contains(&name));
        match self.place {
            Place::Warmup { .. } => is_change && !is_beside,
            // There it costs instructions of the window, whoever's it is.
            Place::Window { .. } => is_change,
            Place::Before | Place::Aside | Place::After => false,
        }
    }

    /// The op that was through at the latest when it had happened, for those among the ops.
    pub fn until(&self) -> Option<u64> {
        match self.place {
            Place::Warmup { until, .. } | Place::Window { until, .. } => Some(until),
            Place::Before | Place::Aside | Place::After => None,
        }
    }
}

/// All that a trace tells of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Ops before and in the window, as they were run.
    pub budget: OpBudget,
    /// The events, in order.
    pub events: Vec<TimedEvent>,
    /// The engine's own words, with our marks between them.
    pub raw: String,
    /// What the engine does not trace because it refuses a flag, in words.
    pub untraced: Vec<String>,
}

impl Timeline {
    /// Reads a trace.
    ///
    /// # Errors
    /// [`Fault::Trace`] when marks are missing from it: then no op number in it is right.
    pub(crate) fn read(kind: EngineKind, text: &str, course: &Course) -> Result<Self, Fault> {
        let (mut marks, mut sections, mut in_section) = (0, 0, 0);
        let mut events = Vec::new();
        for line in text.lines() {
            if let Some(number) = numbered(line, trace::MARK) {
                marks += 1;
                in_section += 1;
                if number != marks {
                    return Err(Fault::Trace(format!("mark {number} follows mark {}", marks - 1)));
                }
            } else if numbered(line, trace::ARM).is_some() {
                sections += 1;
                in_section = 0;
            } else if let Some(event) = read_line(kind, line) {
                let place = course.place(marks, sections, in_section);
                let event = with_cause(event, &events);
                events.push(TimedEvent { place, event });
            }
        }
        if course.place(marks, sections, in_section) != Place::After {
            return Err(Fault::Trace(format!("it ends after {marks} marks, in the middle of ops")));
        }
        Ok(Self { budget: course.budget, events, raw: text.to_owned(), untraced: Vec::new() })
    }

    /// What unsettles the ops, in order.
    pub fn unsettling(&self) -> impl DoubleEndedIterator<Item = &TimedEvent> {
        self.events.iter().filter(|event| event.unsettles())
    }

    /// What unsettles ops in the window.
    pub fn in_window(&self) -> impl DoubleEndedIterator<Item = &TimedEvent> {
        self.unsettling().filter(|event| matches!(event.place, Place::Window { .. }))
    }

    /// How many collections of a kind there were after so many ops.
    pub fn collections(&self, wanted: CollectionKind, after_ops: u64) -> usize {
        let is_one = |event: &&TimedEvent| {
            matches!(event.event, Event::Collection { kind, .. } if kind == wanted)
                && event.until().is_some_and(|until| until > after_ops)
        };
        self.events.iter().filter(is_one).count()
    }
}

/// Code that is left because it was marked as invalid before has no reason of its own: then it is
/// left for that of the mark.
fn with_cause(event: Event, before: &[TimedEvent]) -> Event {
    let Event::Bailout { kind, reason, function, tier } = event else { return event };
    let marked = before.iter().rev().find_map(|timed| match &timed.event {
        Event::Invalidated { reason, function: marked } if *marked == function => Some(reason),
        _ => None,
    });
    let reason = match marked.filter(|_| reason == NO_REASON) {
        Some(cause) => cause.clone(),
        None => reason,
    };
    Event::Bailout { kind, reason, function, tier }
}

/// V8's words for code that is left without a failed check (`DeoptimizeReason::kUnknown`).
const NO_REASON: &str = "(unknown)";

fn numbered(line: &str, word: &str) -> Option<u64> {
    // Output of native code without an end of line may stand before it.
    line.split_once(word)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::WarmupCourse;
    use tiergate_model::WindowShape;

    const COURSE: Course = Course {
        shape: WindowShape::Span,
        batch_ops: 1,
        budget: OpBudget { warmup_ops: 100, window_ops: 100 },
        warmup: WarmupCourse {
            first_ops: 0,
            marks_before: 1,
            step: 50,
            marks_per_step: 1,
            own_loop: false,
        },
        marks_each: 2,
    };

    fn compile(name: &str) -> String {
        format!(
            "[completed compiling 0x1 <JSFunction {name} (sfi = 0x2)> (target MAGLEV) - took 0.0, \
             0.0, 0.0 ms]\n"
        )
    }

    #[test]
    fn events_get_the_ops_between_two_marks() {
        let text = [
            &compile("a"),
            "tiergate-mark 1\n",
            &compile("b"),
            "some output tiergate-mark 2\n",
            &compile("tiergateMark"),
            "tiergate-mark 3\ntiergate-arm 1\ntiergate-mark 4\n",
            &compile("tiergateMark"),
            "tiergate-mark 5\n",
            &compile("d"),
        ]
        .concat();
        let timeline = Timeline::read(EngineKind::Node, &text, &COURSE).unwrap();
        let places: Vec<_> = timeline.events.iter().map(|event| event.place).collect();
        assert_eq!(
            places,
            [
                Place::Before,
                Place::Warmup { after: 0, until: 50 },
                Place::Warmup { after: 50, until: 100 },
                Place::Window { after: 100, until: 200 },
                Place::After,
            ]
        );
        let unsettling: Vec<_> = timeline.unsettling().filter_map(TimedEvent::until).collect();
        assert_eq!(unsettling, [50, 200]);
        assert_eq!(timeline.in_window().count(), 1);
    }

    #[test]
    fn a_trace_without_all_marks_is_a_fault() {
        for text in ["", "tiergate-mark 1\ntiergate-mark 3\n", "tiergate-mark 1\ntiergate-arm 1\n"]
        {
            assert!(Timeline::read(EngineKind::Node, text, &COURSE).is_err(), "{text}");
        }
    }
}
