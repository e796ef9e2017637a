//! What a line of a trace can tell.

use std::fmt;

/// A kind of code, from slow to fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// V8's Sparkplug, JavaScriptCore's Baseline: compiled without optimising.
    Baseline,
    /// V8's Maglev, between baseline and TurboFan.
    Maglev,
    /// JavaScriptCore's first optimising compiler.
    Dfg,
    /// V8's last compiler.
    TurboFan,
    /// JavaScriptCore's last compiler.
    Ftl,
}

impl Tier {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Maglev => "Maglev",
            Self::Dfg => "DFG",
            Self::TurboFan => "TurboFan",
            Self::Ftl => "FTL",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// How a compilation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileOutcome {
    /// There is code.
    Completed,
    /// There is none; the reason, where it is told.
    Aborted(String),
}

/// A compilation that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compile {
    /// The function's name; empty when it has none.
    pub function: String,
    /// The code that was asked for.
    pub tier: Tier,
    /// Whether it was for a loop that was running already.
    pub osr: bool,
    /// How it ended.
    pub outcome: CompileOutcome,
}

/// What happened to the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectionKind {
    /// Of the young generation.
    Young,
    /// Of the whole heap.
    Full,
}

/// What a line tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A compilation has ended.
    Compile(Compile),
    /// Optimised code was left because an assumption of it failed. JavaScriptCore tells it only
    /// the first time for each place in the code.
    Bailout {
        /// `eager`, `lazy` or `exit`.
        kind: String,
        /// The engine's words for the assumption.
        reason: String,
        /// The function.
        function: String,
        /// The code that was left, where the line tells it.
        tier: Option<Tier>,
    },
    /// Code was marked as invalid. It costs nothing before it would run again.
    Invalidated {
        /// The engine's words for the cause.
        reason: String,
        /// The function.
        function: String,
    },
    /// A loop that was running went on in optimised code.
    OsrEntry {
        /// The function.
        function: String,
    },
    /// A collection has ended.
    Collection {
        /// Of what.
        kind: CollectionKind,
        /// The engine's words for the cause, where it tells one.
        reason: String,
    },
}

impl Event {
    /// The function that it is about; collections are about none.
    pub fn function(&self) -> Option<&str> {
        match self {
            Self::Compile(Compile { function, .. })
            | Self::Bailout { function, .. }
            | Self::Invalidated { function, .. }
            | Self::OsrEntry { function } => Some(function),
            Self::Collection { .. } => None,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = match self.function() {
            Some("") => "a function without a name".to_owned(),
            Some(name) => format!("`{name}`"),
            None => String::new(),
        };
        match self {
            Self::Compile(Compile { tier, osr, outcome, .. }) => {
                let running = if *osr { ", for its running loop" } else { "" };
                match outcome {
                    CompileOutcome::Completed => {
                        write!(formatter, "{function} compiled by {tier}{running}")
                    }
                    CompileOutcome::Aborted(reason) => {
                        write!(formatter, "{function} not compiled by {tier}{running}: {reason}")
                    }
                }
            }
            Self::Bailout { reason, tier, .. } => {
                let tier = tier.map_or("optimised", Tier::name);
                write!(formatter, "{function} left its {tier} code: {reason}")
            }
            Self::Invalidated { reason, .. } => {
                write!(formatter, "code of {function} marked as invalid: {reason}")
            }
            Self::OsrEntry { .. } => {
                write!(formatter, "a running loop of {function} entered optimised code")
            }
            Self::Collection { kind: CollectionKind::Young, .. } => {
                formatter.write_str("a collection of young objects")
            }
            Self::Collection { kind: CollectionKind::Full, .. } => {
                formatter.write_str("a collection of the whole heap")
            }
        }
    }
}
