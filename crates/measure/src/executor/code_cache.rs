//! Compiled code that the processes of a run share.
//!
//! The first step with a file and its arguments has a process load the file alone, and keeps what
//! the engine compiled for that: the code is *primed*. Every process of such a step gets a copy of
//! it among its own files. So all of them find the same code, however many run at a time, and what
//! one of them would add is gone with it. The engine itself drops what does not fit its version,
//! its flags or the source.

use super::invocation::Invocation;
use super::scratch::{Scratch, scratch_fault};
use crate::Fault;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use tiergate_engine::Engine;

/// The code of one run, removed with it.
pub(super) struct CodeCache {
    variable: &'static str,
    home: tempfile::TempDir,
    primed: Mutex<BTreeMap<Key, Arc<Place>>>,
}

/// What a runner's own processes compile of their modules. Nothing is counted in them, so they share
/// it in every run, and add to it.
#[derive(Default)]
pub(super) struct RunnerCode(OnceLock<Option<tempfile::TempDir>>);

impl RunnerCode {
    /// `None` where there is no room for it: the runner then takes longer, and nothing else differs.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let new = || tempfile::Builder::new().prefix("tiergate-runner-").tempdir().ok();
        self.0.get_or_init(new).as_ref().map(|folder| folder.path().to_owned())
    }
}

/// Where the code for one kind of process lies, and whether it is there.
struct Place {
    folder: PathBuf,
    primed: Once,
}

/// The words of a command line, the bench file among them, and those of the process that it starts.
type Key = (Vec<OsString>, Vec<String>);

/// The code that a process gets.
#[derive(Debug, Clone)]
pub(super) struct PrimedCode {
    variable: &'static str,
    folder: PathBuf,
}

impl CodeCache {
    /// `None` where the engine keeps no compiled code in a folder that can be named.
    pub(super) fn new(engine: &Engine) -> Result<Option<Self>, Fault> {
        let Some(variable) = engine.code_cache_variable() else { return Ok(None) };
        let home = tempfile::Builder::new()
            .prefix("tiergate-code-")
            .tempdir()
            .map_err(|source| scratch_fault(&std::env::temp_dir(), source))?;
        Ok(Some(Self { variable, home, primed: Mutex::default() }))
    }

    /// The code for what is invoked; `load` starts it once, for as long as there is none.
    pub(super) fn primed(
        &self,
        invocation: &Invocation,
        load: impl FnOnce(PrimedCode),
    ) -> PrimedCode {
        let worker = invocation.worker.as_ref().map(|worker| worker.exec_argv.clone());
        let key = (invocation.command.arguments.clone(), worker.unwrap_or_default());
        let place = {
            let mut primed = self.primed.lock().unwrap_or_else(PoisonError::into_inner);
            let folder = self.home.path().join(primed.len().to_string());
            let new = || Arc::new(Place { folder, primed: Once::new() });
            Arc::clone(primed.entry(key).or_insert_with(new))
        };
        let code = PrimedCode { variable: self.variable, folder: place.folder.clone() };
        // Other processes of the same kind wait for this one, those of other kinds do not.
        place.primed.call_once(|| load(code.clone()));
        code
    }
}

impl PrimedCode {
    /// Has the process that fills it write to it directly.
    pub(super) fn fill(&self, invocation: &mut Invocation) {
        self.set(invocation, &self.folder);
    }

    /// Gives a process a copy.
    ///
    /// # Errors
    /// When the copy can't be written.
    pub(super) fn give(&self, invocation: &mut Invocation, scratch: &Scratch) -> Result<(), Fault> {
        let copy = scratch.path("code");
        link_all(&self.folder, &copy).map_err(|source| scratch_fault(&copy, source))?;
        self.set(invocation, &copy);
        Ok(())
    }

    fn set(&self, invocation: &mut Invocation, folder: &Path) {
        // A process that the command starts gets the command's variables as well.
        invocation.command.environment.insert(self.variable.into(), folder.into());
    }
}

/// The same files in another folder; engines replace them and never write into them.
fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        // Nothing was worth keeping.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link_all(&source, &target)?;
        } else if fs::hard_link(&source, &target).is_err() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_all_files_and_replacing_one_leaves_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("v24")).unwrap();
        fs::write(from.join("v24/a"), "code").unwrap();
        link_all(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("v24/a")).unwrap(), "code");
        fs::write(to.join("v24/new"), "other").unwrap();
        fs::rename(to.join("v24/new"), to.join("v24/a")).unwrap();
        assert_eq!(fs::read_to_string(from.join("v24/a")).unwrap(), "code");
    }

    #[test]
    fn without_code_the_copy_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("to");
        link_all(&folder.path().join("missing"), &to).unwrap();
        assert_eq!(fs::read_dir(to).unwrap().count(), 0);
    }
}
