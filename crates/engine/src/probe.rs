//! Asking an executable which engine it is.

mod error;

pub use error::ProbeError;

use crate::process::{self, Output, Run, RunError};
use crate::{Engine, Search, Version, places};
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiergate_model::EngineKind;

/// How long an executable may take to say what it is. Engines take 20 to 200 ms; a machine under
/// load or a shim that starts another program takes longer.
pub const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// What stands before the answer, so that a shim's own output does not spoil it.
const MARKER: &str = "tiergate-engine ";

/// In a dialect that engines of any age understand, so that an old one can be named as old.
const QUESTION: &str = "\
var isDeno = typeof Deno === 'object', versions = isDeno ? Deno.version : process.versions;\
console.log('tiergate-engine ' + JSON.stringify({\
node: versions.node, bun: versions.bun, deno: versions.deno, v8: versions.v8, \
webkit: versions.webkit, executable: isDeno ? Deno.execPath() : process.execPath}))";

/// What an engine says about itself; its bytes have not been hashed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) kind: EngineKind,
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
    pub(crate) jit_engine: String,
}

impl Identity {
    /// Hashes the executable: some 100 MB, so only for an engine that is wanted.
    pub(crate) fn into_engine(self) -> Result<Engine, ProbeError> {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update_mmap(&self.path)
            .map_err(|source| ProbeError::CannotRead { path: self.path.clone(), source })?;
        Ok(Engine {
            kind: self.kind,
            path: self.path,
            version: self.version,
            jit_engine: self.jit_engine,
            content_hash: hasher.finalize().to_hex().to_string(),
        })
    }
}

/// Runs the executable and reads its answer.
pub(crate) fn probe(path: &Path, search: &Search) -> Result<Identity, ProbeError> {
    check_file(path)?;
    let script: [&[&str]; 2] = [&["-e", QUESTION], &["eval", "--no-config", "--no-lock", QUESTION]];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let order = if name.starts_with(EngineKind::Deno.name()) { [1, 0] } else { [0, 1] };
    let first = ask(path, script[order[0]], search);
    match first {
        // A file of another name may still be the engine that wants the other form.
        Err(ProbeError::Failed { .. } | ProbeError::Unreadable { .. }) => {
            ask(path, script[order[1]], search).or(first)
        }
        answered => answered,
    }
}

fn check_file(path: &Path) -> Result<(), ProbeError> {
    let path_buf = || path.to_path_buf();
    let metadata = fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            ProbeError::Missing { path: path_buf() }
        }
        _ => ProbeError::CannotRead { path: path_buf(), source },
    })?;
    if !metadata.is_file() {
        return Err(ProbeError::NotAFile { path: path_buf() });
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(ProbeError::NotExecutable { path: path_buf() });
    }
    Ok(())
}

fn ask(path: &Path, arguments: &[&str], search: &Search) -> Result<Identity, ProbeError> {
    // A shim chooses the engine by the folder and by its own settings; of an engine itself both
    // could change the answer, by files that it loads before every program.
    let (directory, variables) = if is_engine_itself(path) {
        (Path::new("/"), search.fixed_variables())
    } else {
        (search.start_directory.as_path(), search.shim_variables())
    };
    let answer = process::run(&Run {
        program: path,
        arguments: arguments.iter().map(OsString::from).collect(),
        variables,
        directory,
        limit: search.probe_limit,
    });
    match answer {
        Ok(output) => read(path, &output),
        Err(RunError::TimedOut) => {
            Err(ProbeError::TimedOut { path: path.to_path_buf(), limit: search.probe_limit })
        }
        Err(RunError::Io(source)) => {
            Err(ProbeError::CannotStart { path: path.to_path_buf(), source })
        }
    }
}

/// Whether there is a program under an engine's own name behind all links.
fn is_engine_itself(path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|real| {
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        places::is_binary(&real) && EngineKind::ALL.iter().any(|kind| name.starts_with(kind.name()))
    })
}

#[derive(Deserialize)]
struct Answer {
    node: Option<String>,
    bun: Option<String>,
    deno: Option<String>,
    v8: Option<String>,
    webkit: Option<String>,
    executable: PathBuf,
}

fn read(path: &Path, output: &Output) -> Result<Identity, ProbeError> {
    if !output.status.success() {
        return Err(ProbeError::Failed {
            path: path.to_path_buf(),
            ending: output.ending(),
            message: excerpt(&output.stderr),
        });
    }
    let identity = output
        .stdout
        .lines()
        .find_map(|line| line.split_once(MARKER))
        .and_then(|(_, json)| serde_json::from_str(json).ok())
        .and_then(identify)
        .ok_or_else(|| ProbeError::Unreadable {
            path: path.to_path_buf(),
            output: excerpt(&output.stdout),
        })?;
    match fs::canonicalize(&identity.path) {
        Ok(real) if real.is_file() => Ok(Identity { path: real, ..identity }),
        _ => Err(ProbeError::ExecutableMissing {
            path: path.to_path_buf(),
            executable: identity.path,
        }),
    }
}

/// Bun and Deno also state the version of Node that they imitate, so they are asked first.
fn identify(answer: Answer) -> Option<Identity> {
    let v8 = answer.v8.map(|version| format!("v8 {version}"));
    let (kind, version, jit_engine) = match (answer.bun, answer.deno, answer.node) {
        (Some(bun), ..) => (EngineKind::Bun, bun, format!("jsc {}", answer.webkit?)),
        (_, Some(deno), _) => (EngineKind::Deno, deno, v8?),
        (.., Some(node)) => (EngineKind::Node, node, v8?),
        _ => return None,
    };
    Some(Identity { kind, path: answer.executable, version: version.parse().ok()?, jit_engine })
}

/// The first line with something in it, shortened to fit into a message.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let printable = line.chars().filter(|one| !one.is_control());
    let mut short: String = printable.clone().take(LONGEST).collect();
    if printable.count() > LONGEST {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(json: &str) -> Option<Identity> {
        serde_json::from_str(json).ok().and_then(identify)
    }

    #[test]
    fn engines_that_imitate_node_are_not_taken_for_it() {
        let bun = answer(
            r#"{"node":"26.3.0","bun":"1.4.5","v8":"14.6","webkit":"d637","executable":"/b"}"#,
        );
        let bun = bun.unwrap();
        assert_eq!((bun.kind, bun.jit_engine.as_str()), (EngineKind::Bun, "jsc d637"));
        let deno = answer(r#"{"deno":"2.9.6","v8":"15.0.245.2-rusty","executable":"/d"}"#).unwrap();
        assert_eq!(
            (deno.kind, deno.jit_engine.as_str()),
            (EngineKind::Deno, "v8 15.0.245.2-rusty")
        );
    }

    #[test]
    fn incomplete_answers_are_none() {
        assert_eq!(answer(r#"{"executable":"/x"}"#), None);
        assert_eq!(answer(r#"{"node":"24.22.1","executable":"/x"}"#), None);
        assert_eq!(answer(r#"{"node":"24","v8":"13","executable":"/x"}"#), None);
    }

    #[test]
    fn excerpts_are_short_single_lines() {
        assert_eq!(excerpt("\n  \u{1b}[31mbad\u{1b}[0m thing\nmore"), "[31mbad[0m thing");
        assert_eq!(excerpt(&"x".repeat(500)).chars().count(), 121);
        assert_eq!(excerpt(""), "");
    }
}
