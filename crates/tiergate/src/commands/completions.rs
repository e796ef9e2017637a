//! `tiergate completions SHELL`.

use crate::args::{Arguments, CompletionOptions};
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use tiergate_model::ExitStatus;

pub(crate) fn completions(options: &CompletionOptions) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "tiergate", &mut script);
    output::results(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Pass)
}
