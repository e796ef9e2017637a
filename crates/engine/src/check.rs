//! Letting an engine itself say whether it takes its flags.

mod error;
mod extras;
mod message;

pub use error::FlagError;
pub use extras::{Extras, check_lowest_tier_flags, check_trace_flags};

use crate::process::{self, Output, Run, RunError};
use crate::{Engine, Flag, FlagForm, FlagOrigin, FlagSet, PROBE_LIMIT, Seeds};
use memchr::memmem;
use message::{first_message, line_about, message_about};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::num::NonZeroU32;
use std::path::Path;
use tiergate_model::EngineKind;

/// Flags that this engine was seen to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedFlags(FlagSet);

impl AcceptedFlags {
    /// The same with nothing held constant by the preloaded library.
    #[must_use]
    pub fn with_nothing_held(&self) -> Self {
        Self(self.0.clone().with_nothing_held())
    }

    /// The same with what a run beside the readings needs.
    #[must_use]
    pub fn with_extras(&self, extras: &Extras) -> Self {
        Self(self.0.clone().with(extras.flags.clone()))
    }

    /// The flags.
    pub fn set(&self) -> &FlagSet {
        &self.0
    }

    /// The same with another size of the young generation, which every V8 takes.
    #[must_use]
    pub fn with_young_generation(&self, megabytes: NonZeroU32) -> Self {
        Self(self.0.clone().with_young_generation(megabytes))
    }

    /// The same with other seeds, which need no check: an engine takes every number.
    #[must_use]
    pub fn with_seeds(&self, seeds: Seeds) -> Self {
        Self(self.0.clone().with_seeds(seeds))
    }
}

/// Runs an empty program with the flags, in the folder that relative paths in them are meant from.
/// What the flags load, such as the file of an `--import`, is run too.
///
/// # Errors
/// When the engine refuses them, naming the one that it refuses.
pub fn check_flags(
    engine: &Engine,
    flags: FlagSet,
    directory: &Path,
) -> Result<AcceptedFlags, FlagError> {
    let trial = Trial { engine, directory };
    if let Some(flag) = trial.unknown_name(&flags)? {
        let message = "it would be ignored without a word, its executable does not hold the name";
        return Err(trial.refused(flag, message.to_owned()));
    }
    let Some(output) = trial.refusal(&flags)? else { return Ok(AcceptedFlags(flags)) };
    if let Some(output) = trial.refusal(&flags.only(Vec::new()))? {
        return Err(FlagError::FailsAnyway {
            engine: engine.to_string(),
            directory: directory.to_path_buf(),
            message: first_message(&output),
        });
    }
    // Those that the message names first: then the search mostly ends after one run.
    let (named, others): (Vec<_>, Vec<_>) =
        flags.flags().iter().partition(|flag| line_about(flag, &output.stderr).is_some());
    for flag in named.into_iter().chain(others) {
        if let Some(alone) = trial.refusal(&flags.only(vec![flag.clone()]))? {
            return Err(trial.refused(flag, message_about(flag, &alone)));
        }
    }
    Err(trial.refused_together(&flags, &output))
}

struct Trial<'a> {
    engine: &'a Engine,
    directory: &'a Path,
}

impl Trial<'_> {
    /// What the engine said, if it did not run an empty program to its end.
    fn refusal(&self, flags: &FlagSet) -> Result<Option<Output>, FlagError> {
        let before: &[&str] = match self.engine.kind {
            EngineKind::Node => &[],
            EngineKind::Bun => &["--no-install"],
            EngineKind::Deno => &["run", "--no-prompt", "-A"],
        };
        let program: &[&str] = match self.engine.kind {
            EngineKind::Node | EngineKind::Bun => &["-e", "0"],
            // The standard input, which is empty; `eval` takes other options than `run`.
            EngineKind::Deno => &["-"],
        };
        let fixed = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let mut arguments = fixed(before);
        arguments.extend(flags.arguments().into_iter().map(OsString::from));
        arguments.extend(fixed(program));
        let mut variables = vec![("NO_COLOR".into(), "1".into())];
        variables
            .extend(flags.variables().into_iter().map(|(name, value)| (name.into(), value.into())));
        let run = Run {
            program: &self.engine.path,
            arguments,
            variables,
            directory: self.directory,
            limit: PROBE_LIMIT,
        };
        match process::run(&run) {
            Ok(output) => Ok(Some(output).filter(|output| !output.status.success())),
            Err(RunError::TimedOut) => Err(FlagError::TimedOut {
                engine: self.engine.to_string(),
                flags: flags.flags_shown().join(" "),
            }),
            Err(RunError::Io(source)) => Err(self.cannot_run(source)),
        }
    }

    /// A flag whose name Bun does not hold: it ignores options and most variables of any name.
    fn unknown_name<'f>(&self, flags: &'f FlagSet) -> Result<Option<&'f Flag>, FlagError> {
        if self.engine.kind != EngineKind::Bun {
            return Ok(None);
        }
        let names: Vec<_> =
            flags.flags().iter().filter_map(|flag| Some((flag, silent_name(flag)?))).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let bytes = fs::read(&self.engine.path).map_err(|source| self.cannot_run(source))?;
        let unknown =
            names.into_iter().find(|(_, name)| memmem::find(&bytes, name.as_bytes()).is_none());
        Ok(unknown.map(|(flag, _)| flag))
    }

    fn refused(&self, flag: &Flag, message: String) -> FlagError {
        FlagError::Refused {
            engine: self.engine.to_string(),
            flag: flag.to_string(),
            origin: flag.origin,
            message,
        }
    }

    fn refused_together(&self, flags: &FlagSet, output: &Output) -> FlagError {
        FlagError::RefusedTogether {
            engine: self.engine.to_string(),
            flags: flags.flags_shown().join(" "),
            message: first_message(output),
        }
    }

    fn cannot_run(&self, source: io::Error) -> FlagError {
        FlagError::CannotRun { path: self.engine.path.clone(), source }
    }
}

/// The name by which Bun knows a flag, for flags that it does not check itself.
fn silent_name(flag: &Flag) -> Option<&str> {
    let text = flag.words.first()?;
    let name = text.split('=').next()?;
    match (flag.form, flag.origin) {
        // JavaScriptCore's options are checked when it starts.
        (FlagForm::Variable, _) if name.starts_with("BUN_JSC_") => None,
        (FlagForm::Variable, _) if name.starts_with("BUN_") => Some(name),
        // Any other variable of the user's may be meant for the benches.
        (FlagForm::Variable, FlagOrigin::User) => None,
        (FlagForm::Variable, _) => Some(name),
        (FlagForm::Argument | FlagForm::V8, _) => name.strip_prefix("--"),
        (FlagForm::Held, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(text: &str) -> Flag {
        Flag { form: FlagForm::Argument, origin: FlagOrigin::User, words: vec![text.to_owned()] }
    }

    #[test]
    fn only_what_bun_does_not_check_is_looked_up() {
        let variable = |text: &str, origin| Flag { form: FlagForm::Variable, origin, ..flag(text) };
        let profile = FlagOrigin::Profile(crate::Profile::Exact);
        assert_eq!(silent_name(&variable("BUN_JSC_useJIT=0", profile)), None);
        assert_eq!(
            silent_name(&variable("UV_THREADPOOL_SIZE=1", profile)),
            Some("UV_THREADPOOL_SIZE")
        );
        assert_eq!(silent_name(&variable("NODE_ENV=test", FlagOrigin::User)), None);
        assert_eq!(silent_name(&variable("BUN_X=1", FlagOrigin::User)), Some("BUN_X"));
        assert_eq!(silent_name(&flag("--smol")), Some("smol"));
        assert_eq!(silent_name(&flag("-i")), None);
    }
}
