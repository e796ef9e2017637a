//! The project that is gated, in a repository of its own.

use crate::steps::root;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Where the project lies in the repository.
pub(super) const PROJECT: &str = "tests/gates";

/// The parts of it that are committed.
const PARTS: [&str; 8] = [
    "README.md",
    "bench",
    "package-lock.json",
    "package.json",
    "src",
    "tiergate.lock",
    "tiergate.toml",
    ".gitignore",
];

/// A copy of the project whose first commit is the base.
pub(super) struct Project {
    pub(super) folder: PathBuf,
}

/// What came of one gate.
pub(super) struct Gated {
    pub(super) rows: Vec<Row>,
    /// Readings that were taken, and that were not because they would have decided nothing.
    pub(super) spent: u64,
    pub(super) saved: u64,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
}

pub(super) struct Row {
    pub(super) id: String,
    pub(super) verdict: String,
    pub(super) reason: String,
    /// A fraction.
    pub(super) change: f64,
}

impl Project {
    /// Copies it to a temporary folder.
    pub(super) fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("tiergate-gates-{}", std::process::id()));
        let project = Self { folder };
        fs::create_dir(&project.folder)?;
        project.write()?;
        symlink(root().join(PROJECT).join("node_modules"), project.folder.join("node_modules"))?;
        // Of a link, not of a folder.
        fs::write(project.folder.join(".gitignore"), "node_modules\n.tiergate\n")?;
        project.git(&["init", "--quiet", "--initial-branch=main"])?;
        project.git(&["add", "--all"])?;
        project.git(&["commit", "--quiet", "--message", "base"])?;
        Ok(project)
    }

    /// Takes all changes back.
    pub(super) fn reset(&self) -> Result<()> {
        self.git(&["checkout", "--quiet", "--force", "main"])?;
        self.git(&["clean", "--quiet", "-d", "--force"])
    }

    fn write(&self) -> Result<()> {
        for part in PARTS {
            copy(&root().join(PROJECT).join(part), &self.folder.join(part))?;
        }
        Ok(())
    }

    fn git(&self, words: &[&str]) -> Result<()> {
        let mut command = Command::new("git");
        command
            .current_dir(&self.folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .args(["-c", "user.name=Gates", "-c", "user.email=gates@example.com"])
            .args(words);
        let status = command.status().context("can't run `git`")?;
        if !status.success() {
            bail!("`git {}` failed: {status}", words.join(" "));
        }
        Ok(())
    }

    /// Runs tiergate in it; the exit code is one of verdicts, not of a gate that could not be run.
    pub(super) fn gate(&self, binary: &Path, words: &[String]) -> Result<Gated> {
        let (start, cpu) = (Instant::now(), cpu_seconds_of_children()?);
        let output = Command::new(binary)
            .args(["gate", "--base", "main", "--no-build-hash", "--format", "json"])
            .args(words)
            .current_dir(&self.folder)
            .env("TIERGATE_ENGINES", root().join("tests"))
            .output()
            .with_context(|| format!("can't run `{}`", binary.display()))?;
        let (seconds, cpu_seconds) =
            (start.elapsed().as_secs_f64(), cpu_seconds_of_children()? - cpu);
        if !matches!(output.status.code(), Some(0 | 1 | 3 | 4)) {
            bail!("the gate could not be run: {}", String::from_utf8_lossy(&output.stderr));
        }
        let document: Value = serde_json::from_slice(&output.stdout)?;
        let rows = document["rows"].as_array().context("the gate has no rows")?;
        let rows: Vec<Row> = rows.iter().map(Row::of).collect();
        if rows.is_empty() {
            bail!("the gate has measured nothing");
        }
        let (spent, saved) = readings(&document).unwrap_or_default();
        Ok(Gated { rows, spent, saved, seconds, cpu_seconds })
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Row {
    fn of(row: &Value) -> Self {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let change = row["change"].as_f64().unwrap_or(f64::NAN);
        Self { id: text("id"), verdict: text("verdict"), reason: text("reason"), change }
    }
}

/// The numbers in the note "12 readings taken, 48 more would have decided nothing".
fn readings(document: &Value) -> Option<(u64, u64)> {
    let notes = document["notes"].as_array()?;
    let note = notes.iter().filter_map(Value::as_str).find(|note| note.contains("taken"))?;
    let mut numbers = note.split([' ', ',']).filter_map(|word| word.parse().ok());
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Processor seconds of all children that have ended, and of theirs.
pub(super) fn cpu_seconds_of_children() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // See proc_pid_stat(5): `cutime` and `cstime` are the 16th and 17th field, of which two precede
    // the closing bracket; in ticks of USER_HZ, which is 100 for programs on every architecture.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: f64 = ticks.filter_map(|word| word.parse::<f64>().ok()).sum();
    Ok(ticks / 100.0)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    fs::copy(from, to).with_context(|| format!("can't copy `{}`", from.display()))?;
    Ok(())
}
