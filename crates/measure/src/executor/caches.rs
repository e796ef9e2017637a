//! Caches on disk that a process of Deno has to itself.

use super::scratch::{Scratch, scratch_fault};
use crate::Fault;
use crate::process::EngineCommand;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// Where Deno looks for the folder of its caches.
const VARIABLE: &str = "DENO_DIR";

/// What in there was downloaded, and can't be made anew without the network: of npm, of all other
/// addresses, and of these by Deno 1.
const DOWNLOADS: [&str; 3] = ["npm", "remote", "deps"];

/// Gives a process caches that are empty but for what was downloaded before.
///
/// # Errors
/// When they can't be made.
pub(super) fn give_own_caches(scratch: &Scratch, command: &mut EngineCommand) -> Result<(), Fault> {
    let own = scratch.path("deno");
    fs::create_dir(&own).map_err(|source| scratch_fault(&own, source))?;
    if let Some(shared) = shared_caches(command) {
        for name in DOWNLOADS {
            let downloads = shared.join(name);
            if downloads.is_dir() {
                let link = own.join(name);
                symlink(&downloads, &link).map_err(|source| scratch_fault(&link, source))?;
            }
        }
    }
    command.environment.insert(VARIABLE.into(), own.into());
    Ok(())
}

/// The folder that Deno would use.
fn shared_caches(command: &EngineCommand) -> Option<PathBuf> {
    let variable = |name: &str| command.environment.get(&OsString::from(name));
    let folder = |name: &str| Some(command.directory.join(variable(name)?));
    folder(VARIABLE)
        .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("deno")))
        .or_else(|| Some(folder("HOME")?.join(".cache/deno")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(variables: &[(&str, &str)]) -> EngineCommand {
        EngineCommand {
            program: "deno".into(),
            arguments: Vec::new(),
            environment: variables
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            directory: "/project".into(),
            fixed_seed: false,
            random_addresses: false,
            alias: None,
        }
    }

    #[test]
    fn only_downloads_are_shared() {
        let home = tempfile::tempdir().unwrap();
        let shared = home.path().join(".cache/deno");
        fs::create_dir_all(shared.join("npm")).unwrap();
        fs::write(shared.join("npm/package"), "content").unwrap();
        fs::write(shared.join("dep_analysis_cache_v2"), "a database").unwrap();
        let scratch = Scratch::new().unwrap();
        let mut command = command(&[("HOME", home.path().to_str().unwrap())]);
        give_own_caches(&scratch, &mut command).unwrap();
        let own = PathBuf::from(&command.environment[&OsString::from(VARIABLE)]);
        let names: Vec<_> =
            fs::read_dir(&own).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(names, ["npm"]);
        assert_eq!(fs::read_to_string(own.join("npm/package")).unwrap(), "content");
        drop(scratch);
        assert!(!own.exists() && shared.join("npm/package").exists());
    }

    #[test]
    fn the_folder_is_the_one_that_deno_would_take() {
        let all = [("DENO_DIR", "a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        let found = |from: usize| shared_caches(&command(&all[from..]));
        assert_eq!(found(0), Some("/project/a".into()));
        assert_eq!(found(1), Some("/b/deno".into()));
        assert_eq!(found(2), Some("/c/.cache/deno".into()));
        assert_eq!(found(3), None);
    }
}
