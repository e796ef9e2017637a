//! `tiergate noise`: what equal code does.

mod detail;
mod suite;

use crate::args::{Judging, NoiseOptions};
use crate::discover::Filter;
use crate::failure::Failure;
use crate::inspect::{Inspected, Inspection};
use tiergate_model::{ExitStatus, Limits};

/// What a measurement of noise needs.
struct Noise<'a> {
    inspected: Inspected<'a>,
    options: &'a NoiseOptions,
    limits: Limits,
}

pub(crate) fn noise(options: &NoiseOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let filter = match &options.detail {
        Some(id) => Filter::id_or_glob(id)?,
        None => Filter::new(&selection.filter, selection.exact)?,
    };
    let inspection = Inspection {
        selection,
        paths: &selection.paths,
        filter,
        instrument: options.instrument.as_deref(),
        repeats: options.repeats,
        jobs: options.jobs,
        format: options.format.into(),
    };
    inspection.each_engine(|inspected| {
        let limits = inspected.setup.settings.limits(&Judging::default())?;
        let noise = Noise { inspected, options, limits };
        match &options.detail {
            Some(_) => noise.detail(),
            None => noise.suite(),
        }
    })
}
