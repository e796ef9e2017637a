//! Why a bench file could not be listed or a bench not be measured.

use crate::harness::OutsideKind;
use crate::process::{Ending, SpawnError};
use tiergate_model::{EngineKind, Perturbation};

/// Why there is no list, no size or no reading. The text is the reason that reports give.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The engine could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The engine can't be measured.
    #[error("{engine} can't be measured: {reason}")]
    Engine {
        /// Its name and version.
        engine: String,
        /// Why not, and what helps.
        reason: String,
    },
    /// A file that parent and child share could not be written or read.
    #[error("can't use `{path}`: {source}")]
    Scratch {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The harness did not come up in the engine.
    #[error("the harness was not loaded: the engine {0}")]
    NoHarness(Ending),
    /// The engine does not take the flags that are for this file.
    #[error("{0}")]
    Flags(String),
    /// The child wrote an event that can't be read.
    #[error("the harness's events can't be read: line {line}: {fault}")]
    Garbage {
        /// Line in the events file, from 1.
        line: usize,
        /// What is wrong with it.
        fault: String,
    },
    /// User code threw.
    #[error("{}", thrown(phase, message, r#where.as_deref()))]
    Threw {
        /// `load`, `setup`, `op`, `teardown` or `harness`.
        phase: String,
        /// The error's text.
        message: String,
        /// `file:line:column` of the first frame in the user's code.
        r#where: Option<String>,
    },
    /// A function that the user has named does not come up.
    #[error("{0}")]
    Unmarked(String),
    /// The framework's version is not known to the harness.
    #[error("{framework} {version} is not supported: tiergate knows {framework} {supported}")]
    UnsupportedFramework {
        /// The framework's name.
        framework: String,
        /// The version found.
        version: String,
        /// The versions that are supported, for example `2, 3`.
        supported: String,
    },
    /// The file is one that a framework's own program runs.
    #[error("its benches are {framework}'s, which {framework} itself has to run")]
    NeedsRunner {
        /// The framework's name.
        framework: String,
    },
    /// The framework's own program does not run on the engine.
    #[error("its benches are {runner}'s, which runs them on Node only, not on {engine}")]
    RunnerNeedsNode {
        /// The framework's name.
        runner: &'static str,
        /// The engine asked for.
        engine: EngineKind,
    },
    /// The file registered nothing.
    #[error("no benchmark found: no supported framework registered one")]
    NoBenches,
    /// The file registers benches elsewhere, or none at all.
    #[error(
        "work outside the measured thread: the file starts the {kind} `{name}` and registers no \
         bench in its main thread"
    )]
    Outside {
        /// Thread or child.
        kind: OutsideKind,
        /// The name of its script.
        name: String,
    },
    /// The file adds benches but never runs them.
    #[error(
        "{benches} benches were added but never run: the file does not tell its framework to run"
    )]
    NeverRun {
        /// How many.
        benches: u64,
    },
    /// The child ended before the bench was registered.
    #[error("the bench was not registered: the process {ending}{} without it", at(r#where.as_deref()))]
    NotRegistered {
        /// How it ended.
        ending: Ending,
        /// Where user code ended it.
        r#where: Option<String>,
    },
    /// The child ended while the bench ran.
    #[error(
        "the process {ending}{} before it was done{}",
        at(r#where.as_deref()),
        output_hint(output)
    )]
    EndedEarly {
        /// How it ended.
        ending: Ending,
        /// Where user code ended it.
        r#where: Option<String>,
        /// The last lines of its output.
        output: String,
    },
    /// The process took longer than allowed.
    #[error("not finished within {seconds} s: {phase} took too long")]
    TimedOut {
        /// The limit.
        seconds: u64,
        /// How far it had come.
        phase: &'static str,
    },
    /// The process did nothing at all for a while.
    #[error("stuck: the process did nothing for {seconds} s in {phase}")]
    Stuck {
        /// For how long.
        seconds: u64,
        /// How far it had come.
        phase: &'static str,
    },
    /// The marks are not those that the plan asks for.
    #[error("{0}")]
    Marks(String),
    /// The engine's trace is not whole.
    #[error("the engine's trace can't be used: {0}")]
    Trace(String),
    /// The instrument gave no usable count.
    #[error("{instrument}: {fault}")]
    Instrument {
        /// The instrument's name.
        instrument: &'static str,
        /// What is missing or absurd.
        fault: String,
    },
    /// All readings of the bench together took longer than allowed.
    #[error("not measured: the time limit of {seconds} s for one bench was reached")]
    OutOfTime {
        /// The limit.
        seconds: u64,
    },
    /// It happened only under other circumstances.
    #[error("under the perturbation `{perturbation}`: {fault}")]
    Perturbed {
        /// The circumstances.
        perturbation: Perturbation,
        /// What happened.
        fault: Box<Fault>,
    },
    /// The run was interrupted.
    #[error("interrupted before it was measured")]
    Interrupted,
}

impl Fault {
    /// The same, with the circumstances under which it happened.
    #[must_use]
    pub fn under(self, perturbation: Perturbation) -> Self {
        match self {
            Self::Interrupted => Self::Interrupted,
            fault if perturbation == Perturbation::None => fault,
            fault => Self::Perturbed { perturbation, fault: Box::new(fault) },
        }
    }

    /// What the user can do about it, where there is something that is not plain from the text.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoBenches => Some(
                "register benches with `import { bench } from \"tiergate\"` or tinybench, and run \
                 the framework's `run()` in the file",
            ),
            Self::Unmarked(_) => Some(
                "a function is found where the program declares it with `function`, in its own \
                 modules, or exports it, or makes it global; its first call is the op",
            ),
            Self::UnsupportedFramework { .. } => {
                Some("install a version that tiergate knows, or a newer tiergate")
            }
            Self::Outside { .. } => {
                Some("measure the file that it starts, or one that runs the same benches itself")
            }
            Self::NeedsRunner { .. } => {
                Some("set `framework = \"vitest\"` for it in a `[[suite]]` of `tiergate.toml`")
            }
            Self::RunnerNeedsNode { .. } => {
                Some("measure it with `--engine node`, and leave it out of runs on other engines")
            }
            Self::OutOfTime { .. } => Some("allow more with `--bench-time-limit SECONDS`"),
            Self::TimedOut { .. } => Some("allow more with `--timeout SECONDS`"),
            Self::Threw { phase, .. } if phase == "load" => Some(
                "it is loaded with the root as working directory and a cleaned environment; \
                     `[environment]` in `tiergate.toml` passes variables on",
            ),
            Self::Perturbed { fault, .. } => fault.hint(),
            _ => None,
        }
    }
}

fn thrown(phase: &str, message: &str, place: Option<&str>) -> String {
    let phase = match phase {
        "load" => "the file threw while loading",
        "setup" => "the set-up threw",
        "teardown" => "the tear-down threw",
        "op" => "the op threw",
        _ => "the harness failed",
    };
    let message = message.lines().next().unwrap_or_default();
    match place {
        Some(place) => format!("{phase}: {message} ({place})"),
        None => format!("{phase}: {message}"),
    }
}

fn at(place: Option<&str>) -> String {
    place.map(|place| format!(" at {place}")).unwrap_or_default()
}

fn output_hint(output: &str) -> String {
    match output.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("; its last line of output: {}", line.trim()),
        None => String::new(),
    }
}
