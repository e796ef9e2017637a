//! What is changed in the project before it is gated.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// A change of the project in `tests/gates`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Of the README only.
    Readme,
    /// Of an internal key's name.
    Key { to: &'static str },
    /// One number from `Math.random` more while the inputs are made.
    Random,
    /// Objects that nothing keeps, while the inputs are made.
    DeadObjects,
    /// Of the folder's name that the code lies in.
    LongerPath,
    /// More work for one bench, in steps of half a percent.
    Planted { half_percents: u32 },
}

/// A bench whose work is a number of steps in `src/steps.mjs`.
pub(super) struct Place {
    /// The constant's name there.
    constant: &'static str,
    pub(super) id: &'static str,
}

/// Steps of every place.
const STEPS: u32 = 200;

pub(super) const PLACES: [Place; 4] = [
    Place { constant: "VERSIONS", id: "bench/code.bench.mjs::semver > satisfies" },
    Place { constant: "RECORDS", id: "bench/data.bench.mjs::msgpack > encode" },
    Place { constant: "DISTANCES", id: "bench/text.bench.mjs::levenshtein > distance" },
    Place { constant: "STATEMENTS", id: "bench/code.bench.mjs::acorn > parse" },
];

const KEY: &str = "slotIndex";

/// The code of the project, and where a manifest can say that it lies instead.
const CODE: &str = "src";
const FARTHER: &str = "src-of-the-project-in-a-folder-with-a-name-of-some-sixty-bytes";

/// Every change, by the name that the command line takes.
pub(super) const CHANGES: [(&str, Change); 9] = [
    ("readme", Change::Readme),
    ("key", Change::Key { to: "slotInbox" }),
    ("longer-key", Change::Key { to: "positionWithinTheTable" }),
    ("random", Change::Random),
    ("dead-objects", Change::DeadObjects),
    ("longer-path", Change::LongerPath),
    ("half", Change::Planted { half_percents: 1 }),
    ("three", Change::Planted { half_percents: 6 }),
    ("five", Change::Planted { half_percents: 10 }),
];

impl Change {
    /// In words, for the table.
    pub(super) fn title(self) -> String {
        match self {
            Self::Readme => "README only".to_owned(),
            Self::Key { to } if to.len() == KEY.len() => {
                "internal key renamed, equally long".to_owned()
            }
            Self::Key { .. } => "internal key renamed, longer".to_owned(),
            Self::Random => "one `Math.random()` more at load".to_owned(),
            Self::DeadObjects => "20,000 dead objects at load".to_owned(),
            Self::LongerPath => format!("paths of {} bytes more", FARTHER.len() - CODE.len()),
            Self::Planted { half_percents } => {
                format!("+{} % planted in one bench", f64::from(half_percents) / 2.0)
            }
        }
    }

    /// Changes a fresh copy of the project; `round` chooses the place where there are several.
    pub(super) fn apply(self, project: &Path, round: usize) -> Result<()> {
        let inputs = project.join(CODE).join("inputs.mjs");
        match self {
            Self::Readme => append(&project.join("README.md"), &format!("\nRound {round}.\n")),
            Self::Key { to } => replace(&inputs, KEY, to),
            Self::Random => prepend(&inputs, "Math.random();\n"),
            Self::DeadObjects => prepend(
                &inputs,
                "for (let i = 0; i < 20_000; i += 1) ({ number: i, list: [i, `${i}`] });\n",
            ),
            Self::LongerPath => {
                fs::rename(project.join(CODE), project.join(FARTHER))?;
                replace(&project.join("package.json"), "./src/", &format!("./{FARTHER}/"))
            }
            Self::Planted { half_percents } => {
                let constant = place(round).constant;
                let (from, to) = (
                    format!("{constant} = {STEPS};"),
                    format!("{constant} = {};", STEPS + half_percents),
                );
                replace(&project.join(CODE).join("steps.mjs"), &from, &to)
            }
        }
    }

    /// The bench that must be judged slower, or that has a little more work.
    pub(super) fn planted(self, round: usize) -> Option<&'static str> {
        matches!(self, Self::Planted { .. }).then(|| place(round).id)
    }

    /// Whether the gate has to fail.
    pub(super) fn must_fail(self) -> bool {
        matches!(self, Self::Planted { half_percents } if half_percents > 4)
    }
}

fn place(round: usize) -> &'static Place {
    &PLACES[round % PLACES.len()]
}

fn replace(path: &Path, from: &str, to: &str) -> Result<()> {
    let text = read(path)?;
    if !text.contains(from) {
        bail!("`{}` has no `{from}` to be changed", path.display());
    }
    Ok(fs::write(path, text.replace(from, to))?)
}

fn append(path: &Path, text: &str) -> Result<()> {
    Ok(fs::write(path, read(path)? + text)?)
}

fn prepend(path: &Path, text: &str) -> Result<()> {
    Ok(fs::write(path, text.to_owned() + &read(path)?)?)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("can't read `{}`", path.display()))
}
