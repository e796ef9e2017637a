//! The installed packages of a side: those of the user's work tree where the lock files agree,
//! installed anew where they do not.
//!
//! A side gets `node_modules` folders of its own whose entries are links, so that nothing that a
//! build or a bench writes there reaches the user's. A package that is itself a part of the
//! project (a workspace) is linked to the side's own copy of it.

use crate::command::ProjectCommand;
use crate::copy::{create_folder, remove_tree};
use crate::{CheckoutError, Scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicBool;

const MODULES: &str = "node_modules";

/// Lock files, the most telling first, with the command that installs what they say.
const LOCKS: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun install --frozen-lockfile"),
    ("npm-shrinkwrap.json", "npm ci --no-audit --no-fund"),
    ("package-lock.json", "npm ci --no-audit --no-fund"),
];

/// Parts of a manifest that say what is to be installed.
const TABLES: [&str; 8] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "overrides",
    "resolutions",
    "workspaces",
    "packageManager",
];

/// Folders that are not searched for `node_modules`: large, and never a package's.
const UNSEARCHED: [&str; 3] = [MODULES, ".git", "target"];

/// Nobody nests packages deeper.
const DEEPEST: usize = 6;

/// What to provide packages from.
#[derive(Debug)]
pub struct Dependencies<'a> {
    /// The user's tree, whose packages are shared.
    pub user: &'a Path,
    /// The command that installs, where the user has set one.
    pub install: Option<&'a str>,
    /// Becomes true when the run is interrupted.
    pub interrupted: &'a AtomicBool,
}

/// Where a side's packages came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provided {
    /// The project has none.
    Nothing,
    /// They are the user's own; the text tells those of two work trees apart.
    Shared(String),
    /// They were installed for this lock.
    Installed(String),
}

impl Provided {
    /// Equal for sides that load the same packages.
    pub fn key(&self) -> &str {
        match self {
            Self::Nothing => "",
            Self::Shared(key) | Self::Installed(key) => key,
        }
    }
}

impl Dependencies<'_> {
    /// Provides a side's tree with packages.
    ///
    /// # Errors
    /// When an installation fails or links can't be made.
    pub fn provide(
        &self,
        tree: &Path,
        side: &str,
        scratch: &Scratch,
        show: &dyn Fn(&[u8]),
    ) -> Result<Provided, CheckoutError> {
        let wanted = wanted(tree);
        let agreed = wanted.iter().all(|package| self.has(package, tree));
        let key = key_of(tree, &wanted, self.install);
        if agreed {
            mirror(self.user, self.user, tree)?;
            self.link_above(scratch)?;
            let none = wanted.is_empty() && module_folders(self.user).is_empty();
            return Ok(if none { Provided::Nothing } else { Provided::Shared(key) });
        }
        let installed = match scratch.kept("installed", &key) {
            Some(folder) => folder,
            None => self.install(tree, side, &wanted, &key, scratch, show)?,
        };
        mirror(&installed, &installed, tree)?;
        Ok(Provided::Installed(key))
    }

    /// Whether the user's tree has installed what a package of the side wants.
    fn has(&self, package: &Wanted, tree: &Path) -> bool {
        let user = self.user.join(&package.folder);
        let reachable = user
            .ancestors()
            .take_while(|folder| folder.starts_with(self.user))
            .chain(self.user.ancestors().skip(1))
            .any(|folder| folder.join(MODULES).is_dir());
        reachable
            && said_by(&user, package.lock.as_deref())
                == said_by(&tree.join(&package.folder), package.lock.as_deref())
    }

    fn install(
        &self,
        tree: &Path,
        side: &str,
        wanted: &[Wanted],
        key: &str,
        scratch: &Scratch,
        show: &dyn Fn(&[u8]),
    ) -> Result<PathBuf, CheckoutError> {
        let log = scratch.slot().join("install.log");
        let run = |folder: &Path, command: &str| {
            let interrupted = self.interrupted;
            let what = "the installation";
            let command = ProjectCommand { what, side, command, folder, log: &log, interrupted };
            command.run().inspect_err(|_| show(&command.output()))
        };
        match self.install {
            Some(command) => run(tree, command)?,
            None => {
                for package in wanted {
                    let folder = tree.join(&package.folder);
                    run(&folder, &package.command(&folder))?;
                }
            }
        }
        scratch.keep("installed", key, |kept| {
            for modules in module_folders(tree) {
                let to = kept.join(&modules);
                if let Some(parent) = to.parent() {
                    create_folder(parent)?;
                }
                fs::rename(tree.join(&modules), &to).map_err(CheckoutError::io("write", &to))?;
            }
            Ok(())
        })
    }

    /// Packages that the project finds in a folder above it are found above the sides too.
    fn link_above(&self, scratch: &Scratch) -> Result<(), CheckoutError> {
        let above = self.user.ancestors().skip(1).map(|folder| folder.join(MODULES));
        let link = scratch.slot().join(MODULES);
        match above.into_iter().find(|folder| folder.is_dir()) {
            Some(folder) if fs::symlink_metadata(&link).is_err() => {
                symlink(folder, &link).map_err(CheckoutError::io("write", &link))
            }
            _ => Ok(()),
        }
    }
}

/// A folder whose packages have to be there.
struct Wanted {
    /// Below the tree.
    folder: PathBuf,
    /// The name of its lock file.
    lock: Option<String>,
}

impl Wanted {
    fn command(&self, folder: &Path) -> String {
        let modern_yarn = folder.join(".yarnrc.yml").is_file();
        match self.lock.as_deref() {
            Some("yarn.lock") if modern_yarn => "yarn install --immutable".to_owned(),
            Some(lock) => LOCKS
                .iter()
                .find(|(name, _)| *name == lock)
                .map_or_else(String::new, |(_, command)| (*command).to_owned()),
            None => "npm install --no-audit --no-fund --no-package-lock".to_owned(),
        }
    }
}

/// The folders of a tree with a lock file, or its top when that has a manifest that wants packages
/// and no lock.
fn wanted(tree: &Path) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    search(tree, Path::new(""), 0, &mut |below| {
        let folder = tree.join(below);
        let lock = LOCKS.iter().find(|(name, _)| folder.join(name).is_file());
        let lock = lock.map(|(name, _)| (*name).to_owned());
        let top = below.as_os_str().is_empty();
        if lock.is_some() && folder.join("package.json").is_file()
            || (top && wants_packages(&folder))
        {
            wanted.push(Wanted { folder: below.to_owned(), lock });
        }
    });
    wanted
}

fn wants_packages(folder: &Path) -> bool {
    let tables = manifest_tables(folder);
    let some = |name: &str| tables[name].as_object().is_some_and(|table| !table.is_empty());
    TABLES[..3].iter().any(|name| some(name)) || !tables["workspaces"].is_null()
}

fn manifest_tables(folder: &Path) -> Value {
    let text = fs::read(folder.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
    TABLES.iter().map(|name| ((*name).to_owned(), manifest[*name].clone())).collect()
}

/// What a folder's lock file says, or its manifest where there is no lock. The project's own
/// version, which npm repeats there, installs nothing.
fn said_by(folder: &Path, lock: Option<&str>) -> Vec<u8> {
    let Some(lock) = lock else {
        return manifest_tables(folder).to_string().into_bytes();
    };
    let bytes = fs::read(folder.join(lock)).unwrap_or_default();
    if !lock.ends_with(".json") {
        return bytes;
    }
    let Ok(mut parsed) = serde_json::from_slice::<Value>(&bytes) else { return bytes };
    let mut forget = |pointer: &str| {
        if let Some(table) = parsed.pointer_mut(pointer).and_then(Value::as_object_mut) {
            table.shift_remove("version");
            table.shift_remove("name");
        }
    };
    forget("");
    forget("/packages/");
    parsed.to_string().into_bytes()
}

fn key_of(tree: &Path, wanted: &[Wanted], install: Option<&str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for package in wanted {
        hasher.update(package.folder.to_string_lossy().as_bytes());
        hasher.update(&[0]);
        hasher.update(&said_by(&tree.join(&package.folder), package.lock.as_deref()));
        hasher.update(&[0]);
    }
    hasher.update(install.unwrap_or_default().as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Calls back for every folder below the tree that may be a package.
fn search(tree: &Path, below: &Path, depth: usize, found: &mut dyn FnMut(&Path)) {
    found(below);
    if depth == DEEPEST {
        return;
    }
    let entries = fs::read_dir(tree.join(below)).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.file_name())
        .filter(|name| !UNSEARCHED.iter().any(|unsearched| name == *unsearched))
        .collect();
    folders.sort();
    for name in folders {
        search(tree, &below.join(name), depth + 1, found);
    }
}

/// The `node_modules` folders of a tree, by their paths below it.
fn module_folders(tree: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    search(tree, Path::new(""), 0, &mut |below| {
        let modules = below.join(MODULES);
        if tree.join(&modules).is_dir() {
            folders.push(modules);
        }
    });
    folders
}

/// Gives a tree links to the packages that lie below `provider`, which stands for `origin`.
fn mirror(provider: &Path, origin: &Path, tree: &Path) -> Result<(), CheckoutError> {
    for modules in module_folders(provider) {
        let package = modules.parent().unwrap_or(Path::new(""));
        // A package of another version of the project.
        if !tree.join(package).is_dir() {
            continue;
        }
        let to = tree.join(&modules);
        remove_tree(&to)?;
        create_folder(&to)?;
        link_entries(&provider.join(&modules), &to, origin, tree)?;
    }
    Ok(())
}

fn link_entries(from: &Path, to: &Path, origin: &Path, tree: &Path) -> Result<(), CheckoutError> {
    for entry in fs::read_dir(from).map_err(CheckoutError::io("read", from))? {
        let entry = entry.map_err(CheckoutError::io("read", from))?;
        let (name, path) = (entry.file_name(), entry.path());
        let text = name.to_string_lossy();
        let link = to.join(&name);
        // A scope holds packages; other hidden entries are caches and notes of installers.
        if text.starts_with('@') && path.is_dir() && !path.is_symlink() {
            create_folder(&link)?;
            link_entries(&path, &link, origin, tree)?;
        } else if !text.starts_with('.') || text == ".bin" {
            let target = own_package(&path, origin, tree).unwrap_or(path);
            symlink(target, &link).map_err(CheckoutError::io("write", &link))?;
        }
    }
    Ok(())
}

/// The side's own copy of a package that is a part of the project.
fn own_package(entry: &Path, origin: &Path, tree: &Path) -> Option<PathBuf> {
    let target = fs::read_link(entry).ok()?;
    let target = plain(&entry.parent()?.join(target));
    let below = target.strip_prefix(origin).ok()?;
    let foreign = below.components().any(|part| part.as_os_str() == MODULES);
    (!foreign).then(|| tree.join(below))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Adds links for the packages of one folder that a tree does not have yet.
pub(crate) fn add_missing(from: &Path, to: &Path) -> Result<(), CheckoutError> {
    create_folder(to)?;
    let present: BTreeSet<_> =
        fs::read_dir(to).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.');
        if !hidden && !present.contains(&name) {
            let link = to.join(&name);
            symlink(entry.path(), &link).map_err(CheckoutError::io("write", &link))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn packages_are_linked_and_workspaces_are_the_sides_own() {
        let folder = tempfile::tempdir().unwrap();
        let (user, tree) = (folder.path().join("user"), folder.path().join("tree"));
        write(&user.join("node_modules/left/index.js"), "1");
        write(&user.join("node_modules/@scope/right/index.js"), "2");
        write(&user.join("node_modules/.cache/x"), "3");
        write(&user.join("packages/own/index.js"), "user's");
        write(&tree.join("packages/own/index.js"), "side's");
        symlink("../packages/own", user.join("node_modules/own")).unwrap();
        mirror(&user, &user, &tree).unwrap();
        let read = |name: &str| fs::read_to_string(tree.join("node_modules").join(name)).unwrap();
        assert_eq!(read("left/index.js"), "1");
        assert_eq!(read("@scope/right/index.js"), "2");
        assert_eq!(read("own/index.js"), "side's");
        assert!(!tree.join("node_modules/.cache").exists());
    }

    #[test]
    fn the_projects_own_version_is_no_difference_of_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        let lock = |name: &str, text: &str| {
            write(&folder.path().join(name).join("package-lock.json"), text);
            said_by(&folder.path().join(name), Some("package-lock.json"))
        };
        let one = lock(
            "a",
            r#"{"version":"1.0.0","packages":{"":{"version":"1.0.0"},"node_modules/x":{"version":"2.0.0"}}}"#,
        );
        let two = lock(
            "b",
            r#"{"version":"1.0.1","packages":{"":{"version":"1.0.1"},"node_modules/x":{"version":"2.0.0"}}}"#,
        );
        let three = lock(
            "c",
            r#"{"version":"1.0.0","packages":{"":{"version":"1.0.0"},"node_modules/x":{"version":"2.0.1"}}}"#,
        );
        assert_eq!(one, two);
        assert_ne!(one, three);
    }
}
