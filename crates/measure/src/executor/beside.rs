//! The flags of runs beside the readings, tried on the engine once each, when they are first needed.

use crate::Fault;
use crate::process::with_own_children;
use std::path::Path;
use std::sync::OnceLock;
use tiergate_engine::{
    AcceptedFlags, Engine, Extras, FlagError, check_lowest_tier_flags, check_trace_flags,
};

type Tried = OnceLock<Result<Extras, String>>;
type Check = fn(&Engine, &AcceptedFlags, &Path) -> Result<Extras, FlagError>;

#[derive(Debug, Default)]
pub(super) struct BesideFlags {
    traces: Tried,
    lowest_tier: Tried,
}

impl BesideFlags {
    /// What makes the engine print a trace.
    ///
    /// # Errors
    /// [`Fault::Flags`] when it does not take that.
    pub(super) fn traces(
        &self,
        engine: &Engine,
        flags: &AcceptedFlags,
        root: &Path,
    ) -> Result<&Extras, Fault> {
        tried(&self.traces, check_trace_flags, engine, flags, root)
    }

    /// What keeps the engine at its lowest tiers.
    ///
    /// # Errors
    /// [`Fault::Flags`] when it does not take that.
    pub(super) fn lowest_tier(
        &self,
        engine: &Engine,
        flags: &AcceptedFlags,
        root: &Path,
    ) -> Result<&Extras, Fault> {
        tried(&self.lowest_tier, check_lowest_tier_flags, engine, flags, root)
    }
}

fn tried<'a>(
    known: &'a Tried,
    check: Check,
    engine: &Engine,
    flags: &AcceptedFlags,
    root: &Path,
) -> Result<&'a Extras, Fault> {
    let extras = known.get_or_init(|| {
        with_own_children(|| check(engine, flags, root)).map_err(|error| error.to_string())
    });
    extras.as_ref().map_err(|error| Fault::Flags(error.clone()))
}
