//! The few things that are asked of git, through its command line.

use crate::CheckoutError;
use crate::copy::{copy_file, create_folder};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io};

/// Variables by which a caller, such as a hook, points git at another repository.
const FOREIGN: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
];

/// The user's repository. It is read only: neither its index, nor its work trees, nor its
/// references change.
#[derive(Debug, Clone)]
pub struct Repository {
    /// The top of the work tree.
    pub root: PathBuf,
    git_dir: PathBuf,
    shallow: bool,
}

/// A commit by its full hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit(pub String);

impl Commit {
    /// Enough of the hash for people.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl Repository {
    /// The repository that a folder belongs to.
    ///
    /// # Errors
    /// Without git, outside of a repository, and where git refuses.
    pub fn containing(folder: &Path) -> Result<Self, CheckoutError> {
        let mut command = git(folder);
        command.args([
            "rev-parse",
            "--show-toplevel",
            "--absolute-git-dir",
            "--is-shallow-repository",
        ]);
        let output = start(&mut command)?;
        if !output.status.success() {
            let message = said(&output);
            return Err(if message.contains("not a git repository") {
                CheckoutError::NotARepository { folder: folder.to_owned() }
            } else {
                CheckoutError::Git { command: "rev-parse".to_owned(), message }
            });
        }
        let mut lines = output.stdout.split(|byte| *byte == b'\n');
        let mut path = || PathBuf::from(OsStr::from_bytes(lines.next().unwrap_or_default()));
        let (root, git_dir) = (path(), path());
        let shallow = lines.next() == Some(b"true");
        let root = root.canonicalize().map_err(CheckoutError::io("read", &root))?;
        Ok(Self { root, git_dir, shallow })
    }

    /// The commit that a name means here; a branch that only the remote `origin` has is found too.
    ///
    /// # Errors
    /// [`CheckoutError::UnknownRef`] when there is none.
    pub fn commit(&self, name: &str) -> Result<Commit, CheckoutError> {
        let names = [name.to_owned(), format!("refs/remotes/origin/{name}")];
        for name in &names {
            let output = self.ask(&[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &format!("{name}^{{commit}}"),
            ])?;
            if output.status.success() {
                return Ok(Commit(line(&output)));
            }
        }
        Err(CheckoutError::UnknownRef { name: name.to_owned(), shallow: self.shallow })
    }

    /// The last common ancestor.
    ///
    /// # Errors
    /// [`CheckoutError::NoMergeBase`] when there is none here.
    pub fn merge_base(
        &self,
        (base_name, base): (&str, &Commit),
        (head_name, head): (&str, &Commit),
    ) -> Result<Commit, CheckoutError> {
        let output = self.ask(&["merge-base", &base.0, &head.0])?;
        match (output.status.code(), line(&output)) {
            (Some(0), hash) if !hash.is_empty() => Ok(Commit(hash)),
            (Some(0 | 1), _) => Err(CheckoutError::NoMergeBase {
                base: base_name.to_owned(),
                head: head_name.to_owned(),
                shallow: self.shallow,
            }),
            _ => Err(failed("merge-base", &output)),
        }
    }

    /// Whether the present files differ from the checked-out commit. What lies below `except` is no
    /// part of the project.
    ///
    /// # Errors
    /// When git fails.
    pub fn is_dirty(&self, except: &[PathBuf]) -> Result<bool, CheckoutError> {
        let arguments = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
        let output = self.ask(&arguments)?;
        if !output.status.success() {
            return Err(failed("status", &output));
        }
        // Two letters and a space come before each path.
        let paths = zero_separated(&output.stdout).filter_map(|entry| entry.get(3..));
        let mut paths = paths.map(|path| self.root.join(OsStr::from_bytes(path)));
        Ok(paths.any(|path| !except.iter().any(|except| path.starts_with(except))))
    }

    /// Writes the files of a commit into an empty folder, submodules included where they are
    /// checked out here; those that are not stay empty, and are named. `index` is a file to be
    /// used and removed.
    ///
    /// # Errors
    /// When git can't read the commit or the files can't be written.
    pub fn export(
        &self,
        commit: &Commit,
        folder: &Path,
        index: &Path,
    ) -> Result<Vec<String>, CheckoutError> {
        create_folder(folder)?;
        let mut command = git(folder);
        command.env("GIT_INDEX_FILE", index);
        command.arg("--git-dir").arg(&self.git_dir).arg("--work-tree").arg(folder);
        command.args(["read-tree", "--reset", "-u", &commit.0]);
        let output = start(&mut command)?;
        let _ = fs::remove_file(index);
        if !output.status.success() {
            return Err(failed("read-tree", &output));
        }
        let mut empty = Vec::new();
        for (path, recorded) in self.submodules(commit)? {
            match self.submodule(&path) {
                Some(module) => {
                    let commit = module.commit(&recorded).map_err(|_| {
                        CheckoutError::Submodule { path: path.clone(), commit: recorded.clone() }
                    })?;
                    let below = module.export(&commit, &folder.join(&path), index)?;
                    empty.extend(below.iter().map(|inner| format!("{path}/{inner}")));
                }
                None => empty.push(path),
            }
        }
        Ok(empty)
    }

    /// Copies the present files, uncommitted and untracked ones included and ignored ones left
    /// out, into an empty folder. What lies below `except`, for example a cache in the work tree, is
    /// no part of the project.
    ///
    /// # Errors
    /// When git fails or a file can't be copied.
    pub fn copy_present(&self, folder: &Path, except: &[PathBuf]) -> Result<(), CheckoutError> {
        create_folder(folder)?;
        for path in self.present()? {
            let from = self.root.join(&path);
            if except.iter().any(|except| from.starts_with(except)) {
                continue;
            }
            let Ok(kind) = fs::symlink_metadata(&from).map(|metadata| metadata.file_type()) else {
                // Deleted and not yet committed.
                continue;
            };
            let to = folder.join(&path);
            if kind.is_dir() {
                match path.to_str().and_then(|path| self.submodule(path.trim_end_matches('/'))) {
                    Some(module) => module.copy_present(&to, except)?,
                    None => create_folder(&to)?,
                }
            } else {
                copy_file(&from, &to)?;
            }
        }
        Ok(())
    }

    fn present(&self) -> Result<Vec<PathBuf>, CheckoutError> {
        let arguments =
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let output = self.ask(&arguments)?;
        if !output.status.success() {
            return Err(failed("ls-files", &output));
        }
        Ok(zero_separated(&output.stdout)
            .map(|name| PathBuf::from(OsStr::from_bytes(name)))
            .collect())
    }

    /// Path and recorded commit of every submodule.
    fn submodules(&self, commit: &Commit) -> Result<Vec<(String, String)>, CheckoutError> {
        let output = self.ask(&["ls-tree", "-r", "-z", "--full-tree", &commit.0])?;
        if !output.status.success() {
            return Err(failed("ls-tree", &output));
        }
        let entry = |entry: &[u8]| {
            let entry = String::from_utf8_lossy(entry);
            let (head, path) = entry.split_once('\t')?;
            let mut head = head.split(' ');
            let (mode, _, hash) = (head.next()?, head.next()?, head.next()?);
            (mode == "160000").then(|| (path.to_owned(), hash.to_owned()))
        };
        Ok(zero_separated(&output.stdout).filter_map(entry).collect())
    }

    /// A submodule that is checked out.
    fn submodule(&self, path: &str) -> Option<Self> {
        let folder = self.root.join(path);
        folder.join(".git").exists().then(|| Self::containing(&folder).ok()).flatten()
    }

    fn ask(&self, arguments: &[&str]) -> Result<Output, CheckoutError> {
        start(git(&self.root).args(arguments))
    }
}

/// A git command that asks nobody, takes no optional locks, and speaks English.
fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in FOREIGN {
        command.env_remove(name);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(std::process::Stdio::null())
        .current_dir(folder);
    command
}

fn start(command: &mut Command) -> Result<Output, CheckoutError> {
    command.output().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => CheckoutError::NoGit,
        _ => CheckoutError::Io { action: "start", path: "git".into(), cause },
    })
}

fn failed(command: &str, output: &Output) -> CheckoutError {
    CheckoutError::Git { command: command.to_owned(), message: said(output) }
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().next().unwrap_or("it said nothing").trim_start_matches("fatal: ").to_owned()
}

fn line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn zero_separated(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty())
}
