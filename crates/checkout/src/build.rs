//! The project's build, kept by the hash of what it was made from.

use crate::command::ProjectCommand;
use crate::copy::{copy_tree, create_folder, remove_tree};
use crate::{CheckoutError, Provided, Scratch, digest_tree};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What a build writes beside its output belongs to the packages.
const LEFT_OUT: [&str; 2] = ["node_modules", ".git"];

/// A build command.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The command, for a shell.
    pub command: &'a str,
    /// The project's root below the top of its tree, where the command runs.
    pub root: &'a Path,
    /// Becomes true when the run is interrupted.
    pub interrupted: &'a AtomicBool,
}

/// How a side's build came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// The command ran.
    Made,
    /// An earlier one of the same tree was taken.
    Kept,
}

impl Builder<'_> {
    /// Builds a side's tree, or puts an earlier build of the same tree in its place.
    ///
    /// # Errors
    /// When the command fails or files can't be copied.
    pub fn build(
        &self,
        tree: &Path,
        side: &str,
        packages: &Provided,
        scratch: &Scratch,
        show: &dyn Fn(&[u8]),
    ) -> Result<Build, CheckoutError> {
        let key = self.key(tree, packages)?;
        if let Some(kept) = scratch.kept("built", &key) {
            // Files that the build removed must not come back by the copy.
            for entry in fs::read_dir(tree).map_err(CheckoutError::io("read", tree))?.flatten() {
                let (name, path) = (entry.file_name(), entry.path());
                let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if !folder {
                    fs::remove_file(&path).map_err(CheckoutError::io("remove", &path))?;
                } else if !LEFT_OUT.iter().any(|left_out| name == *left_out) && !has_modules(&path)
                {
                    remove_tree(&path)?;
                }
            }
            copy_tree(&kept, tree, &[])?;
            return Ok(Build::Kept);
        }
        let folder = tree.join(self.root);
        create_folder(&folder)?;
        let command = ProjectCommand {
            what: "the build",
            side,
            command: self.command,
            folder: &folder,
            log: &scratch.slot().join("build.log"),
            interrupted: self.interrupted,
        };
        command.run().inspect_err(|_| show(&command.output()))?;
        scratch.keep("built", &key, |kept| copy_tree(tree, kept, &LEFT_OUT))?;
        Ok(Build::Made)
    }

    fn key(&self, tree: &Path, packages: &Provided) -> Result<String, CheckoutError> {
        let mut hasher = blake3::Hasher::new();
        for part in [self.command, &self.root.to_string_lossy(), packages.key()] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        hasher.update(digest_tree(tree)?.whole().as_bytes());
        Ok(hasher.finalize().to_hex()[..32].to_owned())
    }
}

/// Whether packages of its own lie below a folder, which are not kept with a build.
fn has_modules(folder: &Path) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir())
            && (entry.file_name() == "node_modules" || has_modules(&entry.path()))
    })
}
