//! `tiergate accept`: a regression that is worth it.

use super::gate::{ACCEPTED, cache_folders, judge};
use crate::args::AcceptOptions;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;
use tiergate_checkout::{Repository, Scratch};
use tiergate_model::{BenchId, Comparison, ComparisonRow, ExitStatus, Percent, Verdict};
use tiergate_store::{Acceptance, Acceptances, GateFolder};

/// What a division may add to a round number of hundredths of a percent.
const ROUNDING: f64 = 1e-6;

pub(crate) fn accept(options: &AcceptOptions) -> Result<ExitStatus, Failure> {
    let settings = Settings::load(options.config.as_deref(), &[])?;
    let path = settings.root.join(ACCEPTED);
    let mut acceptances = Acceptances::read(&path)?;
    let (Some(id), Some(reason)) = (&options.id, &options.reason) else {
        return list(&acceptances);
    };
    if reason.trim().is_empty() {
        return Err(Failure::usage("the reason is empty").hint("say why the change is worth it"));
    }
    let folder = match &options.from {
        Some(folder) => GateFolder::new(folder),
        None => last_gate(&settings)?,
    };
    let results = folder.read()?.value;
    let mut record = results.record;
    // What was accepted before must not hide what there is to accept.
    record.accepted.clear();
    let comparison = judge(&record, &results.base, &results.head);
    let row = row_of(&comparison, id)?;
    let change = accepted_change(row)?;
    let acceptance = Acceptance {
        reason: reason.trim().to_owned(),
        base: record.base.identity.clone(),
        // Two decimals, rounded up: the same change must be within it again.
        change_percent: change.map(|change| (change * 10_000.0 - ROUNDING).ceil() / 100.0),
    };
    acceptances.0.insert(row.id.clone(), acceptance);
    acceptances.write(&path)?;
    let what = match change {
        Some(change) => format!("{:+.2}", Percent(change)),
        None => "that it is gone".to_owned(),
    };
    output::results(&format!("accepted for `{id}`: {what}, against {}\n", record.base.source))?;
    output::note(&format!("keep `{}` in version control", path.display()));
    Ok(ExitStatus::Pass)
}

fn list(acceptances: &Acceptances) -> Result<ExitStatus, Failure> {
    if acceptances.0.is_empty() {
        output::note("nothing is accepted");
    }
    for (id, acceptance) in &acceptances.0 {
        let change = match acceptance.change_percent {
            Some(percent) => format!("{:+.2}", Percent(percent / 100.0)),
            None => "removed".to_owned(),
        };
        let base = acceptance.base.get(..12).unwrap_or(&acceptance.base);
        output::results(&format!("{id}\n    {change} against {base}: {}\n", acceptance.reason))?;
    }
    Ok(ExitStatus::Pass)
}

fn row_of<'a>(comparison: &'a Comparison, id: &str) -> Result<&'a ComparisonRow, Failure> {
    let wanted = BenchId::from_text(id);
    if let Some(row) = comparison.rows.iter().find(|row| row.id == wanted) {
        return Ok(row);
    }
    let failing: Vec<String> = comparison
        .rows
        .iter()
        .filter(|row| accepted_change(row).is_ok())
        .map(|row| format!("`{}`", row.id))
        .collect();
    let hint = match failing.as_slice() {
        [] => "it found nothing that could be accepted".to_owned(),
        failing => format!("these can be accepted: {}", failing.join(", ")),
    };
    Err(Failure::usage(format!("the last gate has no bench `{id}`")).hint(hint))
}

/// The increase of a regression; `None` for a bench that is gone.
fn accepted_change(row: &ComparisonRow) -> Result<Option<f64>, Failure> {
    match (row.verdict, row.change) {
        (Verdict::Fail, Some(change)) => Ok(Some(change)),
        (Verdict::Incomplete, None) if is_gone(row) => Ok(None),
        _ => Err(Failure::usage(format!(
            "there is nothing to accept in `{}`: it is {}",
            row.id, row.verdict
        ))
        .hint("only a regression, or a bench that head does not have, can be accepted")),
    }
}

fn is_gone(row: &ComparisonRow) -> bool {
    row.reason.as_deref().is_some_and(|reason| reason.starts_with("removed"))
}

/// The results of the newest gate of this project.
fn last_gate(settings: &Settings) -> Result<GateFolder, Failure> {
    let repository = Repository::containing(&settings.root)?;
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    for cache in cache_folders() {
        let project = Scratch::of_project(&cache, &repository.root);
        for slot in fs::read_dir(project).into_iter().flatten().flatten() {
            let folder = slot.path().join("results");
            let changed = fs::metadata(folder.join("gate.json")).and_then(|file| file.modified());
            if let Ok(changed) = changed
                && newest.as_ref().is_none_or(|(newest, _)| changed > *newest)
            {
                newest = Some((changed, folder));
            }
        }
    }
    newest.map(|(_, folder)| GateFolder::new(folder)).ok_or_else(|| {
        Failure::usage("no results of a gate of this project are here").hint(
            "run `tiergate gate` first, or name the folder of its results with `--from FOLDER`",
        )
    })
}
