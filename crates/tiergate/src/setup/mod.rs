//! From settings to something that can take readings.

mod engine;
mod instrument;
mod interrupt;

pub(crate) use engine::{find_engine, search};
pub(crate) use instrument::{Choice, choose_for_base, choose_instrument, working_perf};
pub(crate) use interrupt::{interrupt_flag, stop_after};

use crate::args::Selection;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tiergate_engine::{Engine, FlagSet, Profile, check_flags};
use tiergate_measure::executor::{EngineExecutor, Executor, MockExecutor, Sandbox};
use tiergate_measure::process::{
    AddressSpace, OutputSink, adopt_orphans, base_environment, disable_address_randomisation,
};
use tiergate_measure::{fingerprint, harness};
use tiergate_model::{EngineSpec, Fingerprint, InstrumentFingerprint};

/// What executors are built from.
pub(crate) struct Setup<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) selection: &'a Selection,
    pub(crate) interrupted: Arc<AtomicBool>,
    /// Takes the bench files' own output.
    pub(crate) output: OutputSink,
}

/// When an engine optimises a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thresholds {
    /// As the profile has it: within a short warm-up.
    Lowered,
    /// As the engine has it.
    Own,
}

impl Setup<'_> {
    /// An executor for one engine.
    pub(crate) fn executor(
        &self,
        spec: &EngineSpec,
        choice: Choice,
    ) -> Result<Box<dyn Executor>, Failure> {
        self.executor_at(Thresholds::Lowered, spec, choice)
    }

    /// An executor for one engine, with functions optimised after so many calls.
    pub(crate) fn executor_at(
        &self,
        thresholds: Thresholds,
        spec: &EngineSpec,
        choice: Choice,
    ) -> Result<Box<dyn Executor>, Failure> {
        let instrument = match choice {
            Choice::Mock(script) => return mock(&script),
            Choice::Real(instrument) => instrument,
        };
        let engine = find_engine(spec, &search(&self.settings.root)?)?;
        let profile = self.profile()?;
        let flags = match thresholds {
            Thresholds::Lowered => FlagSet::of_profile(profile, &engine),
            Thresholds::Own => FlagSet::at_own_thresholds(profile, &engine),
        };
        let flags = flags
            .map_err(Failure::usage)?
            .with_user(&self.settings.file.engine_args)
            .map_err(Failure::usage)?
            .with_user(&self.selection.engine_arg)
            .map_err(Failure::usage)?;
        let flags = check_flags(&engine, flags, &self.settings.root).map_err(|error| {
            let hint = error.hint().map(str::to_owned);
            Failure::incomplete(error).hints(hint)
        })?;
        let flags = if instrument.measures_time() { flags.with_nothing_held() } else { flags };
        let harness = harness::unpack().map_err(Failure::incomplete)?;
        let (pass, set) = self.settings.environment();
        let environment = base_environment(pass, set);
        adopt_orphans();
        let address_space = disable_address_randomisation();
        if address_space == AddressSpace::Randomised {
            output::warning(
                "address-space randomisation can't be switched off here, so counts can differ \
                 slightly between runs; it is part of the fingerprint",
            );
        }
        let code_cache = self.shares_code(&engine);
        let fingerprint = Fingerprint {
            engine: engine.fingerprint(flags.set()),
            instrument: InstrumentFingerprint {
                name: instrument.kind(),
                version: instrument.version().to_owned(),
            },
            cpu: fingerprint::cpu(&environment),
            libc: fingerprint::libc(),
            kernel: fingerprint::kernel(),
            platform: fingerprint::platform(),
            address_randomisation_off: address_space == AddressSpace::Fixed,
            harness_hash: harness.hash.clone(),
            settings_hash: fingerprint::settings_hash(&environment, code_cache),
        };
        let sandbox = Sandbox {
            root: self.settings.root.clone(),
            environment,
            timeout: self.settings.timeout(self.selection),
            output: Arc::clone(&self.output),
            interrupted: Arc::clone(&self.interrupted),
        };
        let mut executor =
            EngineExecutor::new(engine, flags, harness, instrument, sandbox, fingerprint);
        if code_cache {
            executor = executor.with_code_cache().map_err(Failure::incomplete)?;
        }
        Ok(Box::new(executor))
    }

    /// Whether processes are to share what the engine compiles, and it can do so.
    fn shares_code(&self, engine: &Engine) -> bool {
        let is_wanted = self.selection.code_cache || self.settings.file.code_cache;
        let can_share = engine.code_cache_variable().is_some();
        if is_wanted && !can_share {
            output::warning(&format!(
                "{engine} has no folder for compiled code: measured without a code cache"
            ));
        }
        is_wanted && can_share
    }

    fn profile(&self) -> Result<Profile, Failure> {
        let name = self.selection.profile.as_ref().or(self.settings.file.profile.as_ref());
        match name {
            Some(name) => name.parse().map_err(Failure::usage),
            None => Ok(Profile::default()),
        }
    }
}

fn mock(script: &Path) -> Result<Box<dyn Executor>, Failure> {
    MockExecutor::from_file(script)
        .map(|executor| Box::new(executor) as Box<dyn Executor>)
        .map_err(Failure::usage)
}
