//! Gates of a project with real libraries: of changes that do nothing, and of planted ones.

mod change;
mod cost;
mod project;

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::{Context, Result, bail};
use change::{CHANGES, Change};
use project::{Gated, Project};
use std::path::PathBuf;

/// What the command line says.
#[derive(Default)]
struct Options {
    /// Gates of each change.
    times: usize,
    /// Globs of the benches; all where there is none.
    filters: Vec<String>,
    /// Names of changes; all where there is none.
    changes: Vec<String>,
    cost: bool,
}

/// `cargo xtask gates [--times N] [--filter GLOB] [--cost] [CHANGE…]`
pub(crate) fn run(words: &[String]) -> Result<()> {
    let options = Options::parse(words)?;
    setup::engines()?;
    setup::gates()?;
    must_run(&mut command("cargo", &["build", "--release", "--package", "tiergate"]))?;
    let binary = binary();
    let project = Project::new()?;
    if options.cost {
        return cost::run(&project, &binary, &options.filter_words());
    }
    println!(
        "\n| change | gates | as expected | benches | largest other change | readings | saved | seconds | CPU seconds |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut wrong = 0;
    for (name, change) in CHANGES {
        if options.changes.is_empty() || options.changes.iter().any(|one| one == name) {
            let mut totals = Totals::default();
            for round in 0..options.times {
                project.reset()?;
                change.apply(&project.folder, round)?;
                let gated = project.gate(&binary, &options.words(change, round))?;
                let faults = faults(change, round, &gated);
                totals.add(change, round, &gated, faults.is_empty());
                faults.iter().for_each(|fault| eprintln!("{fault}"));
                eprintln!(
                    "{name} {} of {}: {} faults, {:.0} s",
                    round + 1,
                    options.times,
                    faults.len(),
                    gated.seconds
                );
                wrong += faults.len();
            }
            totals.print(&change.title());
        }
    }
    if wrong > 0 {
        bail!("{wrong} benches were misjudged");
    }
    Ok(())
}

impl Options {
    fn parse(words: &[String]) -> Result<Self> {
        let mut options = Self { times: 20, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--times" => {
                    options.times = words.next().context("`--times` needs a number")?.parse()?;
                }
                "--filter" => {
                    options.filters.push(words.next().context("`--filter` needs a glob")?.clone());
                }
                "--cost" => options.cost = true,
                name if CHANGES.iter().any(|(known, _)| *known == name) => {
                    options.changes.push(name.to_owned());
                }
                other => {
                    let names: Vec<&str> = CHANGES.iter().map(|(name, _)| *name).collect();
                    bail!("`{other}` is no change; there are {}", names.join(", "));
                }
            }
        }
        Ok(options)
    }

    fn filter_words(&self) -> Vec<String> {
        self.filters.iter().flat_map(|one| ["--filter".to_owned(), one.clone()]).collect()
    }

    /// A filter never leaves out the bench that a change is planted in.
    fn words(&self, change: Change, round: usize) -> Vec<String> {
        let mut words = self.filter_words();
        if let (false, Some(id)) = (self.filters.is_empty(), change.planted(round)) {
            words.extend(["--filter".to_owned(), id.to_owned()]);
        }
        words
    }
}

/// Where `cargo build` puts the binary.
fn binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target")).join("release/tiergate")
}

/// What a gate said that is not so.
fn faults(change: Change, round: usize, gated: &Gated) -> Vec<String> {
    let planted = change.planted(round);
    let expected = |id: &str| if change.must_fail() && planted == Some(id) { "FAIL" } else { "ok" };
    let mut faults: Vec<String> = gated
        .rows
        .iter()
        .filter(|row| row.verdict != expected(&row.id))
        .map(|row| {
            let (title, percent) = (change.title(), row.change * 100.0);
            format!("{title}: {} {} ({percent:+.2} %): {}", row.verdict, row.id, row.reason)
        })
        .collect();
    if let Some(id) = planted.filter(|id| gated.rows.iter().all(|row| row.id != *id)) {
        faults.push(format!("{}: {id} was not measured", change.title()));
    }
    faults
}

/// What all gates of one change came to.
#[derive(Default)]
struct Totals {
    gates: usize,
    as_expected: usize,
    benches: usize,
    largest_change: f64,
    spent: u64,
    saved: u64,
    seconds: f64,
    cpu_seconds: f64,
}

impl Totals {
    fn add(&mut self, change: Change, round: usize, gated: &Gated, as_expected: bool) {
        self.gates += 1;
        self.as_expected += usize::from(as_expected);
        self.benches = self.benches.max(gated.rows.len());
        let planted = change.planted(round);
        let others = gated.rows.iter().filter(|row| planted != Some(row.id.as_str()));
        let largest = others.map(|row| row.change.abs()).filter(|change| change.is_finite());
        self.largest_change = largest.fold(self.largest_change, f64::max);
        self.spent += gated.spent;
        self.saved += gated.saved;
        self.seconds += gated.seconds;
        self.cpu_seconds += gated.cpu_seconds;
    }

    fn print(&self, title: &str) {
        let Self { gates, as_expected, benches, .. } = self;
        let each = |total: f64| total / (*gates).max(1) as f64;
        println!(
            "| {title} | {gates} | {as_expected} | {benches} | {:.2} % | {:.0} | {:.0} | {:.0} | {:.0} |",
            self.largest_change * 100.0,
            each(self.spent as f64),
            each(self.saved as f64),
            each(self.seconds),
            each(self.cpu_seconds),
        );
    }
}
