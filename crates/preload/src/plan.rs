//! What the launcher asks for, read once from the environment before the engine's `main`. The
//! harness removes the variables afterwards, so that the engine's children do not inherit them.

use crate::environment::variable;
use crate::perf;
use crate::trace;
use core::cell::UnsafeCell;
use core::ffi::CStr;
use tiergate_protocol::{environment, instrument, shape};

/// The longest path of a report, with its terminating zero.
const PATH_CAPACITY: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instrument {
    Clock,
    Counter,
    Callgrind,
    Trace,
    Perf(perf::Event),
}

#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) instrument: Instrument,
    pub(crate) brackets: bool,
    pub(crate) marks_per_section: u64,
    pub(crate) sections: u64,
    /// Sub-windows of a section.
    pub(crate) sub_windows: u64,
    report_path: [u8; PATH_CAPACITY],
    /// Empty without a profile.
    profile_path: [u8; PATH_CAPACITY],
}

impl Plan {
    pub(crate) fn report_path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.report_path).unwrap_or_default()
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn profile_path(&self) -> Option<&CStr> {
        let path = CStr::from_bytes_until_nul(&self.profile_path).ok()?;
        (!path.is_empty()).then_some(path)
    }
}

struct PlanCell(UnsafeCell<Option<Plan>>);

// SAFETY: it is written only by `read_environment`, which the dynamic loader runs before any
// thread but the first exists, and only read afterwards.
unsafe impl Sync for PlanCell {}

static PLAN: PlanCell = PlanCell(UnsafeCell::new(None));

/// The plan, or `None` in a process that is not to be measured.
pub(crate) fn get() -> Option<&'static Plan> {
    // SAFETY: see `PlanCell`: no write can happen any more.
    unsafe { (*PLAN.0.get()).as_ref() }
}

extern "C" fn read_environment() {
    let plan = from_environment();
    // SAFETY: see `PlanCell`: there is one thread, and no reference has been given out yet.
    unsafe { *PLAN.0.get() = plan };
}

/// The dynamic loader runs what this section lists after libc is initialised and before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static READ_ENVIRONMENT: extern "C" fn() = read_environment;

fn from_environment() -> Option<Plan> {
    let report_path = path(variable(environment::REPORT)?)?;
    let profile_path = variable(environment::PROFILE).map_or(Some([0; PATH_CAPACITY]), path)?;
    let instrument = match variable(environment::INSTRUMENT)?.to_str().ok()? {
        instrument::CLOCK => Instrument::Clock,
        instrument::COUNTER => Instrument::Counter,
        instrument::CALLGRIND => Instrument::Callgrind,
        instrument::TRACE => Instrument::Trace,
        name => Instrument::Perf(perf::Event::named(name.strip_prefix(instrument::PERF_PREFIX)?)?),
    };
    let brackets = variable(environment::SHAPE)?.to_str().ok()? == shape::BRACKETS;
    let marks_per_section = number(environment::MARKS)?;
    let sections = number(environment::SECTIONS)?;
    let sub_windows = number(environment::SUB_WINDOWS).unwrap_or(1).max(1);
    if instrument == Instrument::Trace {
        trace::begin(variable(environment::TRACE)?, variable(environment::TRACED_STREAM)?);
    }
    Some(Plan {
        instrument,
        brackets,
        marks_per_section,
        sections,
        sub_windows,
        report_path,
        profile_path,
    })
}

fn path(value: &CStr) -> Option<[u8; PATH_CAPACITY]> {
    let value = value.to_bytes_with_nul();
    let mut path = [0; PATH_CAPACITY];
    path.get_mut(..value.len())?.copy_from_slice(value);
    Some(path)
}

fn number(name: &str) -> Option<u64> {
    variable(name)?.to_str().ok()?.parse().ok()
}
