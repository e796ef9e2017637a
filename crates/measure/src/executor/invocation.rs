//! What is started for one step: the engine with the file, or the program of a framework that
//! starts the engine for it.

use super::code_cache::PrimedCode;
use super::{BenchFile, Runner, Sandbox};
use crate::Fault;
use crate::harness::{Harness, Worker};
use crate::instrument::Instrument;
use crate::process::EngineCommand;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use tiergate_engine::{AcceptedFlags, Engine, Launch};
use tiergate_model::EngineKind;

/// A process to be started, and what the process gets in which the bench file runs.
pub(super) struct Invocation {
    pub(super) command: EngineCommand,
    /// The process of the file, where it is another one.
    pub(super) worker: Option<Worker>,
    /// What was compiled before for the same.
    pub(super) code: Option<PrimedCode>,
    /// Whether another program starts the engine: an instrument, or the runner of a framework.
    starts_other: bool,
}

/// The engine and all that each of its processes gets.
#[derive(Clone, Copy)]
pub(super) struct Equipment<'a> {
    pub(super) engine: &'a Engine,
    pub(super) flags: &'a AcceptedFlags,
    pub(super) harness: &'a Harness,
    pub(super) sandbox: &'a Sandbox,
}

impl Equipment<'_> {
    /// What runs the file.
    ///
    /// # Errors
    /// When the file's runner does not run on this engine.
    pub(super) fn invoke(self, file: &BenchFile) -> Result<Invocation, Fault> {
        match file.suite.runner {
            Runner::Engine => Ok(self.engine_with(file)),
            Runner::Vitest if self.engine.kind != EngineKind::Node => {
                Err(Fault::RunnerNeedsNode { runner: "vitest", engine: self.engine.kind })
            }
            Runner::Vitest => Ok(self.vitest_with(file)),
        }
    }

    fn engine_with(self, file: &BenchFile) -> Invocation {
        let line = Launch {
            engine: self.engine,
            flags: self.flags,
            harness_directory: &self.harness.directory,
            bench_file: &file.absolute,
        }
        .command_line();
        let mut command = self.command(file, line.arguments);
        command
            .environment
            .extend(line.variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        Invocation { command, worker: None, code: None, starts_other: false }
    }

    /// The flags and pins are for the process that vitest starts: vitest itself compiles modules,
    /// as fast as it can.
    fn vitest_with(self, file: &BenchFile) -> Invocation {
        let entry = self.harness.directory.join("entry/vitest.mjs");
        let arguments = vec![entry.into_os_string(), file.absolute.clone().into_os_string()];
        let worker = Worker {
            env: self.flags.set().variables().into_iter().collect(),
            exec_argv: self.flags.set().arguments(),
            wrapper: Vec::new(),
        };
        Invocation {
            command: self.command(file, arguments),
            worker: Some(worker),
            code: None,
            starts_other: true,
        }
    }

    fn command(self, file: &BenchFile, arguments: Vec<OsString>) -> EngineCommand {
        let mut environment = self.sandbox.environment.clone();
        let own = file.suite.variables.iter();
        environment.extend(own.map(|(name, value)| (name.into(), value.into())));
        EngineCommand {
            program: self.engine.path.clone(),
            arguments,
            environment,
            directory: file.suite.directory.as_ref().unwrap_or(&self.sandbox.root).clone(),
            fixed_seed: false,
            random_addresses: false,
            alias: None,
        }
    }
}

impl Invocation {
    /// Sets a variable of the process in which the file runs.
    pub(super) fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let value = value.as_ref();
        match &mut self.worker {
            Some(worker) => {
                worker.env.insert(name.to_owned(), value.to_string_lossy().into_owned());
            }
            None => {
                self.command.environment.insert(name.into(), value.to_owned());
            }
        }
    }

    /// Has the kernel's random bytes for the engine replaced, where this process starts it. Valgrind
    /// starts in several steps, each with bytes of its own, and gives the engine a copy of the last
    /// step's; no reading was seen to depend on them.
    pub(super) fn fix_seed(&mut self) {
        self.command.fixed_seed = !self.starts_other;
    }

    /// Puts the instrument around the process in which the file runs.
    pub(super) fn wrapped(mut self, instrument: &dyn Instrument, scratch: &Path) -> Self {
        let Some(worker) = &mut self.worker else {
            let program = self.command.program.clone();
            self.command = instrument.wrap(self.command, scratch);
            self.starts_other = self.command.program != program;
            return self;
        };
        let bare = EngineCommand { arguments: Vec::new(), ..self.command.clone() };
        let wrapped = instrument.wrap(bare, scratch);
        if wrapped.program != self.command.program {
            let words = [wrapped.program.into_os_string()].into_iter().chain(wrapped.arguments);
            worker.wrapper = words.map(|word| word.to_string_lossy().into_owned()).collect();
        }
        self
    }
}
