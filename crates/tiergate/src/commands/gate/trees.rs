//! The trees of base and head: copied, provided with packages, and built.

use super::source::BaseSource;
use crate::args::GateOptions;
use crate::failure::Failure;
use crate::output;
use crate::settings::{FILE_NAME, Settings, SettingsFile};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tiergate_checkout::{
    Build, Builder, CheckoutError, Commit, Dependencies, Provided, Repository, Scratch,
    unpack_package,
};
use tiergate_model::Side;

/// The name of the present files as a head.
pub(crate) const WORKTREE: &str = "worktree";

/// One side, ready to be measured.
pub(super) struct Tree {
    /// The top of the tree, which stands for the top of the repository.
    pub(super) top: PathBuf,
    /// The settings, with the root in this tree.
    pub(super) settings: Settings,
    /// For people.
    pub(super) source: String,
    /// What it is, exactly.
    pub(super) identity: String,
    /// The commit, with `-dirty` where files differ from it.
    pub(super) commit: Option<String>,
    pub(super) packages: Provided,
}

/// Both sides.
pub(super) struct Trees {
    pub(super) base: Tree,
    pub(super) head: Tree,
    /// What the reader should know of them.
    pub(super) notes: Vec<String>,
    /// Holds the trees, and removes them at the end.
    pub(super) scratch: Scratch,
    /// The top of the user's own tree, which no side may load from.
    pub(super) user_top: PathBuf,
}

impl Trees {
    /// Whether both sides load the same packages.
    pub(super) fn share_packages(&self) -> bool {
        self.base.packages.key() == self.head.packages.key()
    }
}

/// What trees are made from.
pub(super) struct Preparation<'a> {
    pub(super) options: &'a GateOptions,
    pub(super) user: &'a Settings,
    pub(super) source: &'a BaseSource,
    pub(super) interrupted: &'a AtomicBool,
}

/// Where a side's files come from.
enum Files {
    Present,
    Commit(Commit),
}

impl Preparation<'_> {
    pub(super) fn prepare(&self) -> Result<Trees, Failure> {
        let user_root = canonical(&self.user.root)?;
        let repository = Repository::containing(&user_root)?;
        let below = user_root.strip_prefix(&repository.root).map(Path::to_owned).map_err(|_| {
            let root = user_root.display();
            Failure::usage(format!("the root `{root}` lies outside of the repository"))
                .hint("name a configuration in the repository with `--config`")
        })?;
        let scratch = Scratch::open(&cache_folders(), &repository.root)?;
        let mut notes = Vec::new();

        let checked_out = repository.commit("HEAD");
        let (head_files, head_commit) = if self.options.head == WORKTREE {
            (Files::Present, checked_out)
        } else {
            let commit = repository.commit(&self.options.head)?;
            (Files::Commit(commit.clone()), Ok(commit))
        };
        // Before anything is copied or built: a base that is not there ends it.
        let base_commit = match self.source {
            BaseSource::Ref(name) => {
                Some(self.merge_base(&repository, name, head_commit.as_ref(), &mut notes)?)
            }
            BaseSource::Package(_) | BaseSource::SameAsHead => None,
        };

        let top = scratch.tree(Side::Head);
        self.write(&repository, &head_files, &scratch, &top, &mut notes)?;
        create(&top.join(&below))?;
        let file = self.settings_file(&head_files, &top.join(&below))?;
        let side = Unfinished { name: "head", top: &top, below: &below, file: &file };
        let packages = self.finish(&side, &repository, &scratch, &mut notes)?;
        let head_commit = head_commit.ok();
        let (dirty, source) = match &head_files {
            Files::Present => (repository.is_dirty(&self.except(&scratch))?, WORKTREE.to_owned()),
            Files::Commit(_) => (false, self.options.head.clone()),
        };
        let suffix = if dirty { "-dirty" } else { "" };
        let commit = head_commit.as_ref().map(|commit| format!("{}{suffix}", commit.0));
        let head = Tree {
            settings: Settings { root: top.join(&below), file: file.clone() },
            top,
            source,
            identity: commit.clone().unwrap_or_else(|| "no commit yet".to_owned()),
            commit,
            packages,
        };

        let base =
            self.base(&repository, &head_files, base_commit, &head, &below, &scratch, &mut notes)?;
        if !dirty && base.commit.is_some() && base.commit == head.commit && self.source.is_ref() {
            notes.push("base and head are the same commit: there is no change to judge".to_owned());
        }
        Ok(Trees { base, head, notes, scratch, user_top: repository.root })
    }

    #[allow(clippy::too_many_arguments, reason = "it is the second half of one function")]
    fn base(
        &self,
        repository: &Repository,
        head_files: &Files,
        commit: Option<Commit>,
        head: &Tree,
        below: &Path,
        scratch: &Scratch,
        notes: &mut Vec<String>,
    ) -> Result<Tree, Failure> {
        let top = scratch.tree(Side::Base);
        let file = &head.settings.file;
        let side = Unfinished { name: "base", top: &top, below, file };
        let (source, identity, commit, packages) = match (self.source, commit) {
            (BaseSource::Package(package), _) => {
                output::note(&format!("installing {}@{}", package.name, package.version));
                let version = unpack_package(package, &head.top, &top, scratch)?;
                let source = format!("npm:{}@{version}", package.name);
                let packages = Provided::Installed(source.clone());
                (source.clone(), source, None, packages)
            }
            (BaseSource::Ref(name), Some(commit)) => {
                let files = Files::Commit(commit.clone());
                self.write(repository, &files, scratch, &top, notes)?;
                let packages = self.finish(&side, repository, scratch, notes)?;
                (name.clone(), commit.0.clone(), Some(commit.0), packages)
            }
            _ => {
                self.write(repository, head_files, scratch, &top, &mut Vec::new())?;
                let packages = self.finish(&side, repository, scratch, notes)?;
                (head.source.clone(), head.identity.clone(), head.commit.clone(), packages)
            }
        };
        let root = top.join(below);
        create(&root)?;
        mark_as_top(&top)?;
        Ok(Tree {
            settings: Settings { root, file: file.clone() },
            top,
            source,
            identity,
            commit,
            packages,
        })
    }

    fn merge_base(
        &self,
        repository: &Repository,
        name: &str,
        head: Result<&Commit, &CheckoutError>,
        notes: &mut Vec<String>,
    ) -> Result<Commit, Failure> {
        let named = repository.commit(name)?;
        let head = match head {
            Ok(head) => head,
            Err(_) => {
                return Err(Failure::incomplete("this repository has no commit yet")
                    .hint("commit something, or compare with a file: `--base-file FILE`"));
            }
        };
        let shared = repository.merge_base((name, &named), (&self.options.head, head))?;
        let note = if shared == named {
            format!("base is {name}, commit {}", shared.short())
        } else {
            format!(
                "base is {}, the last common commit with {name} ({})",
                shared.short(),
                named.short()
            )
        };
        output::note(&note);
        notes.push(note);
        Ok(shared)
    }

    /// Writes a side's files into its empty folder.
    fn write(
        &self,
        repository: &Repository,
        files: &Files,
        scratch: &Scratch,
        top: &Path,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        self.check_interrupted()?;
        match files {
            Files::Present => repository.copy_present(top, &self.except(scratch))?,
            Files::Commit(commit) => {
                let empty = repository.export(commit, top, &scratch.index())?;
                notes.extend(empty.iter().map(|path| {
                    format!("the submodule `{path}` is not checked out here, so it is empty on that side")
                }));
            }
        }
        mark_as_top(top)
    }

    /// Provides packages and builds.
    fn finish(
        &self,
        side: &Unfinished<'_>,
        repository: &Repository,
        scratch: &Scratch,
        notes: &mut Vec<String>,
    ) -> Result<Provided, Failure> {
        let build = &side.file.build;
        let show = |bytes: &[u8]| output::pass_on(bytes);
        let dependencies = Dependencies {
            user: &repository.root,
            install: build.install.as_deref(),
            interrupted: self.interrupted,
        };
        let packages = dependencies.provide(side.top, side.name, scratch, &show)?;
        if let Provided::Installed(_) = packages {
            let name = side.name;
            notes.push(format!("packages were installed for {name}: those of the work tree are of another lock file"));
        }
        if let Some(command) = &build.command {
            self.check_interrupted()?;
            output::note(&format!("building {}: {command}", side.name));
            let builder = Builder { command, root: side.below, interrupted: self.interrupted };
            if builder.build(side.top, side.name, &packages, scratch, &show)? == Build::Kept {
                output::note(&format!("{}: an earlier build of the same files is used", side.name));
            }
        }
        Ok(packages)
    }

    /// The configuration of head: that of its own files, unless one was named.
    fn settings_file(&self, files: &Files, root: &Path) -> Result<SettingsFile, Failure> {
        let named = self.options.selection.config.is_some();
        let path = root.join(FILE_NAME);
        match files {
            Files::Commit(_) if !named && path.is_file() => SettingsFile::read(&path),
            Files::Commit(_) if !named => Ok(SettingsFile::default()),
            _ => Ok(self.user.file.clone()),
        }
    }

    /// What tiergate itself writes below the work tree is no part of the project.
    fn except(&self, scratch: &Scratch) -> Vec<PathBuf> {
        let options = self.options;
        let exports = options.shown.export.iter().filter_map(|text| text.split_once('='));
        let written = exports.map(|(_, file)| PathBuf::from(file)).chain(options.save.clone());
        let absolute = |path: PathBuf| {
            let path = std::path::absolute(&path).unwrap_or(path);
            // The folder is there; what is written into it may not be yet.
            let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
            folder.zip(path.file_name()).map_or(path.clone(), |(folder, name)| folder.join(name))
        };
        let own = [scratch.cache().to_owned(), self.user.root.join(".tiergate")];
        written.chain(own).map(absolute).collect()
    }

    fn check_interrupted(&self) -> Result<(), Failure> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(CheckoutError::Interrupted("the sides were put together").into());
        }
        Ok(())
    }
}

/// A side in the making.
struct Unfinished<'a> {
    name: &'a str,
    top: &'a Path,
    below: &'a Path,
    file: &'a SettingsFile,
}

/// Ignore files above a tree say nothing about it.
fn mark_as_top(top: &Path) -> Result<(), Failure> {
    create(&top.join(".git"))
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|cause| {
        CheckoutError::Io { action: "create", path: folder.to_owned(), cause }.into()
    })
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))
}

/// The user's cache folders, the best first.
pub(crate) fn cache_folders() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    [cache, home, Some(std::env::temp_dir())]
        .into_iter()
        .flatten()
        .filter(|folder| folder.is_absolute())
        .collect()
}
