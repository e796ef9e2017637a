//! The choice of an instrument, and what is said about it.

use crate::failure::Failure;
use crate::output;
use std::path::PathBuf;
use tiergate_measure::harness::{self, Harness};
use tiergate_measure::instrument::{
    Callgrind, Clock, Counter, Instrument, Perf, Unusable, counts_known_loop,
    perf_counts_known_loop,
};
use tiergate_model::InstrumentKind;

/// Names a script for the hidden instrument `mock`.
const MOCK_SCRIPT: &str = "TIERGATE_MOCK";
/// Names another one for the base of a gate.
const MOCK_BASE_SCRIPT: &str = "TIERGATE_MOCK_BASE";
/// Names what the hidden form of `perf` counts in place of instructions, on machines without
/// hardware counters.
const PERF_EVENT: &str = "TIERGATE_PERF_EVENT";

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
        "perf" => Ok(Choice::Real(Box::new(perf()?))),
        "mock" => {
            std::env::var_os(MOCK_SCRIPT).map(|path| Choice::Mock(path.into())).ok_or_else(|| {
                Failure::usage(format!("the instrument `mock` needs a script in `{MOCK_SCRIPT}`"))
            })
        }
        _ => Err(Failure::usage(format!("unknown instrument `{name}`")).hint(
            "instruments: `auto`, `counter`, `callgrind`, `perf`, `wall`; `tiergate doctor` says which work here",
        )),
    }
}

/// The same again for the base of a gate; a script of its own can stand for it.
pub(crate) fn choose_for_base(head: &Choice) -> Result<Choice, Failure> {
    match head {
        Choice::Real(instrument) => choose_instrument(instrument.kind().name()),
        Choice::Mock(script) => {
            let own = std::env::var_os(MOCK_BASE_SCRIPT).map(PathBuf::from);
            Ok(Choice::Mock(own.unwrap_or_else(|| script.clone())))
        }
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
    let callgrind = match Callgrind::find() {
        Ok(callgrind) => {
            output::note(&format!("instrument: callgrind (Valgrind {})", callgrind.version()));
            return Choice::Real(Box::new(callgrind));
        }
        Err(unusable) => unusable,
    };
    output::warning(&callgrind.to_string());
    match working_perf() {
        Ok(perf) => {
            output::note("instrument: perf (hardware counters)");
            Choice::Real(Box::new(perf))
        }
        Err(unusable) => {
            output::warning(&format!(
                "hardware counters: {}; using the wall clock, which resolves far less",
                unusable.reason
            ));
            output::hint(&callgrind.hint);
            Choice::Real(Box::new(Clock))
        }
    }
}

/// The counter, seen to count a known loop: a container's system call filter, for example, shows
/// only when it is tried.
fn working_counter() -> Result<Counter, String> {
    let counter = Counter::find().map_err(|unusable| unusable.reason)?;
    let harness = harness::unpack().map_err(|error| error.to_string())?;
    counts_known_loop(&counter, &harness).map_err(|error| error.to_string())?;
    Ok(counter)
}

/// The kernel's counter, as asked for.
fn perf() -> Result<Perf, Failure> {
    let Some(event) = std::env::var_os(PERF_EVENT) else {
        return Ok(working_perf()?);
    };
    event.to_str().and_then(Perf::of_event).ok_or_else(|| {
        Failure::usage(format!("`{PERF_EVENT}` names no event that can be counted"))
            .hint("name `task-clock` or `dummy`, or unset the variable to count instructions")
    })
}

/// Hardware counters, seen to count a known loop: some virtual machines only pretend to have one.
pub(crate) fn working_perf() -> Result<Perf, Unusable> {
    let perf = Perf::find()?;
    let checked = match harness::unpack() {
        Ok(harness) => counts_loop(&perf, &harness),
        Err(error) => Err(error.to_string()),
    };
    checked.map(|()| perf).map_err(|reason| Unusable {
        instrument: InstrumentKind::Perf,
        reason: format!("the hardware counter does not count: {reason}"),
        hint: "use `--instrument counter` or `callgrind`, which need none".to_owned(),
    })
}

fn counts_loop(perf: &Perf, harness: &Harness) -> Result<(), String> {
    perf_counts_known_loop(perf, harness).map(|_| ()).map_err(|error| error.to_string())
}
