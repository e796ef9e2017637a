//! A gate whose base was measured before: a run, compared with a file.

use super::trees::WORKTREE;
use crate::args::{Entry, GateOptions, RunOptions, SideName};
use crate::commands::run;
use crate::failure::Failure;
use tiergate_model::ExitStatus;

pub(super) fn gate(options: &GateOptions) -> Result<ExitStatus, Failure> {
    if options.head != WORKTREE {
        return Err(Failure::usage(format!(
            "`--head {}` can't be compared with a file",
            options.head
        ))
        .hint("check it out, or name a base in git with `--base`"));
    }
    let save = options.save.as_ref().map(|folder| folder.join("head.json"));
    if let Some(folder) = &options.save {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::incomplete(format!("can't create `{}`: {error}", folder.display()))
        })?;
    }
    run::run(&RunOptions {
        entry: Entry::default(),
        timings: false,
        selection: options.selection.clone(),
        instrument: options.instrument.clone(),
        repeats: options.repeats,
        perturbations: options.perturbations.filter(|pairs| *pairs > 1),
        wall: 0,
        jobs: options.jobs,
        save,
        save_baseline: None,
        compare: options.base_file.clone(),
        baseline: options.base_baseline.clone(),
        judging: options.judging.clone(),
        shown: options.shown.clone(),
        show_output: false,
        recalibrate: false,
        side: Some(SideName::Head),
        accepting: true,
    })
}
