//! Flags of runs beside the readings, which an engine must take as well.

use super::message::message_about;
use super::{AcceptedFlags, FlagError, Trial};
use crate::trace::{Extra, lowest_tier_flags, trace_flags};
use crate::{Engine, Flag, FlagOrigin};
use std::path::Path;

/// What such a run has beside the flags of the readings, as far as the engine takes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras {
    pub(super) flags: Vec<Flag>,
    /// What the engine refuses, and what the run lacks for that, in words.
    pub lacking: Vec<String>,
}

/// Tries what makes the engine print a trace.
///
/// # Errors
/// When it refuses something without which a trace tells nothing.
pub fn check_trace_flags(
    engine: &Engine,
    flags: &AcceptedFlags,
    directory: &Path,
) -> Result<Extras, FlagError> {
    check(engine, flags, directory, FlagOrigin::Trace, trace_flags(engine.kind))
}

/// Tries what keeps the engine at its lowest tiers.
///
/// # Errors
/// When it refuses any of that.
pub fn check_lowest_tier_flags(
    engine: &Engine,
    flags: &AcceptedFlags,
    directory: &Path,
) -> Result<Extras, FlagError> {
    check(engine, flags, directory, FlagOrigin::LowestTier, lowest_tier_flags(engine.kind))
}

fn check(
    engine: &Engine,
    flags: &AcceptedFlags,
    directory: &Path,
    origin: FlagOrigin,
    extras: &[Extra],
) -> Result<Extras, FlagError> {
    let trial = Trial { engine, directory };
    let flag = |extra: &Extra| Flag::new(extra.form, origin, extra.text);
    let all: Vec<Flag> = extras.iter().map(flag).collect();
    let Some(refusal) = trial.refusal(&flags.0.clone().with(all.clone()))? else {
        return Ok(Extras { flags: all, lacking: Vec::new() });
    };
    let mut taken = Extras::default();
    for extra in extras {
        let flag = flag(extra);
        match (trial.refusal(&flags.0.only(vec![flag.clone()]))?, extra.loss) {
            (None, _) => taken.flags.push(flag),
            (Some(alone), None) => return Err(trial.refused(&flag, message_about(&flag, &alone))),
            (Some(_), Some(loss)) => {
                taken.lacking.push(format!("{engine} refuses `{flag}`: {loss}"));
            }
        }
    }
    if taken.lacking.is_empty() {
        return Err(trial.refused_together(&flags.0.clone().with(all), &refusal));
    }
    Ok(taken)
}
