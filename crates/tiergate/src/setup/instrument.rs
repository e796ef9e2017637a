//! The choice of an instrument, and what is said about it.

use crate::failure::Failure;
use crate::output;
use std::path::PathBuf;
use tiergate_measure::harness;
use tiergate_measure::instrument::{
    Callgrind, Clock, Counter, Instrument, PerfState, counts_known_loop, perf_state,
};

/// Names a script for the hidden instrument `mock`.
const MOCK_SCRIPT: &str = "TIERGATE_MOCK";

/// What counts.
pub(crate) enum Choice {
    Real(Box<dyn Instrument>),
    /// A scripted executor takes the place of engine and instrument.
    Mock(PathBuf),
}

/// Chooses by name. `auto` takes the most exact one that works here and says which and why.
pub(crate) fn choose_instrument(name: &str) -> Result<Choice, Failure> {
    match name {
        "auto" => Ok(automatic()),
        "counter" => Ok(Choice::Real(Box::new(Counter::find()?))),
        "callgrind" => Ok(Choice::Real(Box::new(Callgrind::find()?))),
        "wall" => Ok(Choice::Real(Box::new(Clock))),
        "perf" => Err(Failure::incomplete(format!(
            "the instrument `perf` can't be used: {}",
            perf_explained(&perf_state())
        ))
        .hint("use `--instrument callgrind`, which needs no hardware counters")),
        "mock" => {
            std::env::var_os(MOCK_SCRIPT).map(|path| Choice::Mock(path.into())).ok_or_else(|| {
                Failure::usage(format!("the instrument `mock` needs a script in `{MOCK_SCRIPT}`"))
            })
        }
        _ => Err(Failure::usage(format!("unknown instrument `{name}`")).hint(
            "instruments: `auto`, `counter`, `callgrind`, `wall`; `tiergate doctor` says which work here",
        )),
    }
}

fn automatic() -> Choice {
    match working_counter() {
        Ok(counter) => {
            output::note("instrument: counter");
            return Choice::Real(Box::new(counter));
        }
        Err(reason) => output::warning(&format!("the counter can't be used: {reason}")),
    }
    match Callgrind::find() {
        Ok(callgrind) => {
            output::note(&format!("instrument: callgrind (Valgrind {})", callgrind.version()));
            Choice::Real(Box::new(callgrind))
        }
        Err(unusable) => {
            output::warning(&format!(
                "{unusable}; hardware counters: {}; using the wall clock, which resolves far less",
                perf_explained(&perf_state())
            ));
            output::hint(&unusable.hint);
            Choice::Real(Box::new(Clock))
        }
    }
}

/// The counter, seen to count a known loop: a container's system call filter, for example, shows
/// only when it is tried.
fn working_counter() -> Result<Counter, String> {
    let counter = Counter::find().map_err(|unusable| unusable.reason)?;
    let harness = harness::unpack().map_err(|error| error.to_string())?;
    counts_known_loop(&harness).map_err(|error| error.to_string())?;
    Ok(counter)
}

/// What the kernel's answer means, in words.
pub(crate) fn perf_explained(state: &PerfState) -> String {
    match state {
        PerfState::Usable => {
            "this machine has hardware counters, but this version of tiergate does not use them"
                .to_owned()
        }
        PerfState::NoCounters => {
            "this machine has none (virtual machines often hide them)".to_owned()
        }
        PerfState::Denied { paranoid } => format!(
            "no permission to use them (kernel.perf_event_paranoid is {})",
            paranoid.as_deref().unwrap_or("unknown")
        ),
        PerfState::NoSystemCall => {
            "the kernel offers no `perf_event_open`, or a container hides it".to_owned()
        }
        PerfState::Unknown(error) => format!("`perf_event_open` failed: {error}"),
    }
}
