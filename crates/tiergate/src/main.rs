//! The command line: it reads arguments and settings, calls the crates that do the work, and
//! prints what they found.

mod args;
mod budgets;
mod commands;
mod discover;
mod export;
mod failure;
mod inspect;
mod listing;
mod output;
mod progress;
mod report;
mod settings;
mod setup;
mod shard;
mod suites;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;
use tiergate_model::ExitStatus;

fn main() -> ExitCode {
    if let Some(rounds) = self_check_rounds() {
        tiergate_measure::instrument::counted_loop(rounds);
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return args::report(&error),
    };
    output::choose_colors(arguments.color);
    let status = match dispatch(arguments) {
        Ok(status) => status,
        Err(failure) => failure.print(),
    };
    ExitCode::from(status.code())
}

/// `doctor` runs this binary as the program that it counts.
fn self_check_rounds() -> Option<u64> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next()?;
    if first != tiergate_measure::instrument::LOOP_ARGUMENT {
        return None;
    }
    arguments.next()?.parse().ok()
}

fn dispatch(arguments: Arguments) -> Result<ExitStatus, Failure> {
    match arguments.command {
        Command::Run(options) => commands::run::run(&options),
        Command::List(options) => commands::list::list(&options),
        Command::Compare(options) => commands::compare::compare(&options),
        Command::Gate(options) => commands::gate::gate(&options),
        Command::Merge(options) => commands::merge::merge(&options),
        Command::Accept(options) => commands::accept::accept(&options),
        Command::Init(options) => commands::init::init(&options),
        Command::Prove(options) => commands::prove::prove(&options),
        Command::Noise(options) => commands::noise::noise(&options),
        Command::Doctor(options) => commands::doctor::doctor(&options),
        Command::Completions(options) => commands::completions::completions(&options),
        Command::Schema => commands::schema::schema(),
    }
}
