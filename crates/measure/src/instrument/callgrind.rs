//! Valgrind's callgrind. It runs without instrumentation until the first mark, so that start-up
//! and warm-up are several times cheaper, and collects for the armed thread only.

use super::{Instrument, Unusable};
use crate::Fault;
use crate::marks::MarkReport;
use crate::process::EngineCommand;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use tiergate_model::InstrumentKind;
use tiergate_protocol::instrument;

/// Callgrind of an installed Valgrind.
#[derive(Debug, Clone)]
pub struct Callgrind {
    valgrind: PathBuf,
    version: String,
}

/// Name of callgrind's output file; section dumps get `.1`, `.2`, … appended.
const OUTPUT: &str = "callgrind";

impl Callgrind {
    /// Finds Valgrind in `PATH` and asks for its version.
    ///
    /// # Errors
    /// When it is not installed, can't be run, or can't translate this processor's code.
    pub fn find() -> Result<Self, Unusable> {
        let unusable = |reason: String, hint: &str| Unusable {
            instrument: InstrumentKind::Callgrind,
            reason,
            hint: hint.to_owned(),
        };
        const INSTALL: &str = "install Valgrind, for example with `apt-get install valgrind`";
        if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return Err(unusable(
                "tiergate drives Valgrind on Linux x86-64 and aarch64 only".to_owned(),
                "use `--instrument wall`",
            ));
        }
        let valgrind = env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join("valgrind"))
            .find(|path| path.is_file())
            .ok_or_else(|| unusable("Valgrind is not installed".to_owned(), INSTALL))?;
        let output = Command::new(&valgrind)
            .arg("--version")
            .output()
            .map_err(|error| unusable(format!("`{}`: {error}", valgrind.display()), INSTALL))?;
        let text = String::from_utf8_lossy(&output.stdout);
        match text.trim().strip_prefix("valgrind-") {
            Some(version) if output.status.success() => {
                Ok(Self { version: version.to_owned(), valgrind })
            }
            _ => Err(unusable(
                format!("`{} --version` does not answer as Valgrind does", valgrind.display()),
                INSTALL,
            )),
        }
    }
}

impl Instrument for Callgrind {
    fn kind(&self) -> InstrumentKind {
        InstrumentKind::Callgrind
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn preload_name(&self) -> &'static str {
        instrument::CALLGRIND
    }

    fn wrap(&self, mut command: EngineCommand, scratch: &Path) -> EngineCommand {
        let option = |name: &str, value: &Path| {
            let mut option = OsString::from(name);
            option.push(value);
            option
        };
        let mut arguments: Vec<OsString> = vec![
            "-q".into(),
            "--tool=callgrind".into(),
            "--instr-atstart=no".into(),
            "--collect-atstart=no".into(),
            option("--log-file=", &scratch.join("valgrind.log")),
            option("--callgrind-out-file=", &scratch.join(OUTPUT)),
        ];
        arguments.push(command.program.into());
        arguments.append(&mut command.arguments);
        command.program = self.valgrind.clone();
        command.arguments = arguments;
        command
    }

    fn section_counts(&self, scratch: &Path, report: &MarkReport) -> Result<Vec<u64>, Fault> {
        (1..=report.closed.len())
            .map(|section| {
                let path = scratch.join(format!("{OUTPUT}.{section}"));
                total(&path).map_err(|fault| Fault::Instrument { instrument: "callgrind", fault })
            })
            .collect()
    }

    /// JIT code runs between one and five instructions a nanosecond, so this holds the wanted
    /// 20 million in most cases; the first reading shows whether it did, and the window grows
    /// where it did not. Longer ones would cost seconds of every reading.
    fn window_target_ns(&self) -> f64 {
        10e6
    }

    fn must_run_alone(&self) -> bool {
        false
    }
}

/// The `totals:` line of a dump: the format is described in Valgrind's manual, "Callgrind Format
/// Specification".
fn total(path: &Path) -> Result<u64, String> {
    let text =
        fs::read(path).map_err(|error| format!("can't read `{}`: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let totals = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("totals:"))
        .ok_or("its output has no total")?;
    match totals.trim().parse() {
        Ok(0) => Err("it counted nothing between the marks".to_owned()),
        Ok(total) => Ok(total),
        Err(_) => Err(format!("its total `{}` is not a count", totals.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_and_bad_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callgrind.1");
        assert!(total(&path).unwrap_err().contains("can't read"));
        for (text, expected) in [
            ("events: Ir\nsummary: 9\n\ntotals: 4711\n", Ok(4711)),
            ("events: Ir\n", Err("no total")),
            ("totals: 0\n", Err("counted nothing")),
            ("totals: many\n", Err("not a count")),
        ] {
            fs::write(&path, text).unwrap();
            match (total(&path), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(found), Err(word)) => assert!(found.contains(word), "{found}"),
                other => unreachable!("{other:?}"),
            }
        }
    }
}
