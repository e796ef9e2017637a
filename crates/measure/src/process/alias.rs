//! All files under longer paths: a child sees the whole file system a second time below a folder,
//! by a mount of its own that nobody else sees and that ends with it.

#![allow(unsafe_code, reason = "the trial child mounts after fork")]

use super::orphans;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::chdir;
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Where a process sees all files a second time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// An empty folder.
    pub folder: PathBuf,
}

impl Alias {
    /// The other path of a file.
    pub fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(file.strip_prefix("/").unwrap_or(file))
    }

    /// What the child needs, made before it exists.
    pub(super) fn prepare(&self, directory: &Path) -> io::Result<PreparedAlias> {
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::from);
        Ok(PreparedAlias { folder: text(&self.folder)?, directory: text(&self.path(directory))? })
    }
}

pub(super) struct PreparedAlias {
    folder: CString,
    directory: CString,
}

impl PreparedAlias {
    /// To be called in the child before `exec`: mounts, and goes to the working directory's other
    /// path. Makes system calls only.
    pub(super) fn enter(&self) -> nix::Result<()> {
        const NOTHING: Option<&CStr> = None;
        let with_all_below = MsFlags::MS_REC;
        unshare(CloneFlags::CLONE_NEWNS)?;
        // Nothing of this may reach the mounts of others.
        mount(NOTHING, c"/", NOTHING, with_all_below | MsFlags::MS_PRIVATE, NOTHING)?;
        let folder = self.folder.as_c_str();
        mount(Some(c"/"), folder, NOTHING, with_all_below | MsFlags::MS_BIND, NOTHING)?;
        chdir(self.directory.as_c_str())
    }
}

/// Whether a child may mount here: it takes the rights of root.
pub fn can_alias() -> bool {
    static ALLOWED: OnceLock<bool> = OnceLock::new();
    *ALLOWED.get_or_init(|| try_alias().unwrap_or(false))
}

fn try_alias() -> io::Result<bool> {
    let folder = tempfile::tempdir()?;
    let alias = Alias { folder: folder.path().to_path_buf() };
    let prepared = alias.prepare(Path::new("/"))?;
    let mut trial = Command::new("/bin/true");
    trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: between fork and exec the closure makes system calls only.
    unsafe { trial.pre_exec(move || prepared.enter().map_err(io::Error::from)) };
    let mut child = orphans::register(|| trial.spawn())?;
    let status = child.wait()?;
    orphans::end(child.id());
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_sees_its_files_under_another_path_and_nobody_else_does() {
        if !can_alias() {
            eprintln!("SKIPPED: mounting is not allowed here");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "content").unwrap();
        let place = folder.path().join("alias");
        std::fs::create_dir(&place).unwrap();
        let alias = Alias { folder: place.clone() };
        let prepared = alias.prepare(folder.path()).unwrap();
        let mut cat = Command::new("/bin/sh");
        cat.args(["-c", "cat \"$0\"; pwd"]).arg(alias.path(&file)).env_remove("PWD");
        // SAFETY: between fork and exec the closure makes system calls only.
        unsafe { cat.pre_exec(move || prepared.enter().map_err(io::Error::from)) };
        let output = cat.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, format!("content{}\n", alias.path(folder.path()).display()));
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
    }
}
