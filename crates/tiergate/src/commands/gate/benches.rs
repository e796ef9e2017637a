//! Which benches each side has, and with whose bench files they are measured.

use super::trees::{Tree, Trees};
use crate::args::BenchFrom;
use crate::discover::{Filter, bench_files, id_glob};
use crate::failure::Failure;
use crate::listing::{Listed, list_all};
use crate::output;
use crate::settings::no_such_path;
use globset::GlobMatcher;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};
use tiergate_checkout::{CheckoutError, copy_file, digest_tree};
use tiergate_measure::executor::{Bench, BenchFile, Executor};

/// The benches of both sides.
pub(super) struct Benches {
    pub(super) base: Listed,
    pub(super) head: Listed,
    /// Benches that base has and head's bench files don't: by the base's own.
    pub(super) removed: Vec<Bench>,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

/// How benches are found.
pub(super) struct Search<'a> {
    pub(super) trees: &'a Trees,
    pub(super) base: &'a dyn Executor,
    pub(super) head: &'a dyn Executor,
    pub(super) paths: &'a [PathBuf],
    pub(super) filter: &'a Filter,
    pub(super) from: BenchFrom,
    /// Whether base has bench files of its own; a published package has none.
    pub(super) base_has_own: bool,
    pub(super) jobs: usize,
}

impl Search<'_> {
    pub(super) fn run(&self) -> Result<Benches, Failure> {
        let head_files = self.files(&self.trees.head, true)?;
        let base_files = self.files(&self.trees.base, false)?;
        let head = self.list(self.head, &head_files);
        if self.from == BenchFrom::Own {
            let base = self.list(self.base, &base_files);
            let notes = vec!["each side is measured with its own bench files".to_owned()];
            return Ok(Benches { base, head, removed: Vec::new(), notes });
        }
        self.with_heads_files(head, &head_files, &base_files)
    }

    /// Lays head's bench files over base's tree. What benches base has is asked before that.
    fn with_heads_files(
        &self,
        head: Listed,
        head_files: &[BenchFile],
        base_files: &[BenchFile],
    ) -> Result<Benches, Failure> {
        let head_has: BTreeSet<&str> =
            head_files.iter().map(|file| file.relative.as_str()).collect();
        let laid_over = self.differing(head_files)?;
        let mut notes = Vec::new();
        if !self.base_has_own {
            self.lay_over(&laid_over)?;
            let root = &self.trees.base.settings.root;
            let files: Vec<BenchFile> = head_files.iter().map(|file| file.in_tree(root)).collect();
            let base = self.list(self.base, &files);
            return Ok(Benches { base, head, removed: Vec::new(), notes });
        }
        if laid_over.is_empty() {
            let base = self.list(self.base, base_files);
            let (base, removed) = split(base, &head_has);
            return Ok(Benches { base, head, removed, notes });
        }
        let own = self.list(self.base, base_files);
        let backup = self.lay_over(&laid_over)?;
        let shared: Vec<BenchFile> = base_files
            .iter()
            .filter(|file| head_has.contains(file.relative.as_str()))
            .cloned()
            .collect();
        let mut base = self.list(self.base, &shared);
        notes.push(format!(
            "both sides are measured with head's bench files, of which {} differ from base's: {}",
            laid_over.len(),
            some_of(&laid_over)
        ));
        self.take_back(&mut base, &own, &backup, &mut notes)?;

        let unlisted: BTreeSet<&str> =
            own.faults.iter().map(|(file, _)| file.relative.as_str()).collect();
        let own_ids: BTreeSet<_> = own.benches.iter().map(|bench| bench.id().clone()).collect();
        let head_ids: BTreeSet<_> = head.benches.iter().map(|bench| bench.id().clone()).collect();
        // Head's new benches are none of base's, even where they would run there.
        base.benches.retain(|bench| {
            own_ids.contains(bench.id()) || unlisted.contains(bench.file.relative.as_str())
        });
        let removed = own.benches.into_iter().filter(|bench| !head_ids.contains(bench.id()));
        Ok(Benches { removed: removed.collect(), base, head, notes })
    }

    /// Files of head that do not load on base, for example because they import what base does not
    /// have, give way to base's own.
    fn take_back(
        &self,
        base: &mut Listed,
        own: &Listed,
        backup: &BTreeMap<PathBuf, PathBuf>,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let listed_before = |file: &BenchFile| {
            own.faults.iter().all(|(faulty, _)| faulty.relative != file.relative)
        };
        let (back, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut base.faults)
            .into_iter()
            .partition(|(file, _)| backup.contains_key(&file.absolute) && listed_before(file));
        base.faults = kept;
        for (file, fault) in back {
            if let Some(original) = backup.get(&file.absolute) {
                copy_file(original, &file.absolute)?;
            }
            notes.push(format!(
                "`{}`: base is measured with its own bench file, because head's does not load \
                 there: {fault}",
                file.relative
            ));
            let again = self.list(self.base, std::slice::from_ref(&file));
            base.benches.extend(again.benches);
            base.faults.extend(again.faults);
            base.opened.extend(again.opened);
        }
        Ok(())
    }

    fn list(&self, executor: &dyn Executor, files: &[BenchFile]) -> Listed {
        list_all(executor, files, self.filter, self.jobs)
    }

    /// The bench files of a tree. Paths that head lacks may have been removed.
    fn files(&self, tree: &Tree, is_head: bool) -> Result<Vec<BenchFile>, Failure> {
        let mapped = self.mapped(tree)?;
        let present: Vec<PathBuf> = mapped.iter().filter(|path| path.exists()).cloned().collect();
        if is_head {
            let other = self.mapped(&self.trees.base)?;
            for ((here, there), path) in mapped.iter().zip(&other).zip(self.paths) {
                if !here.exists() && !there.exists() {
                    return Err(no_such_path(path));
                }
            }
        }
        if present.is_empty() && !mapped.is_empty() {
            return Ok(Vec::new());
        }
        bench_files(&tree.settings, &present)
    }

    /// The user's paths in a tree.
    fn mapped(&self, tree: &Tree) -> Result<Vec<PathBuf>, Failure> {
        let here = std::env::current_dir()
            .and_then(|here| here.canonicalize())
            .map_err(|error| Failure::usage(format!("no working directory: {error}")))?;
        let map = |path: &PathBuf| {
            let absolute = here.join(path);
            let absolute = absolute.canonicalize().unwrap_or(absolute);
            let below = absolute.strip_prefix(&self.trees.user_top).map_err(|_| {
                Failure::usage(format!("`{}` lies outside of the repository", path.display()))
                    .hint("name files and folders of the project")
            })?;
            Ok(tree.top.join(below))
        };
        self.paths.iter().map(map).collect()
    }

    /// Head's bench files and their helpers, by their paths below the root, where base has others
    /// or none.
    fn differing(&self, head_files: &[BenchFile]) -> Result<Vec<PathBuf>, Failure> {
        let (base, head) = (&self.trees.base.settings.root, &self.trees.head.settings.root);
        let mut files: BTreeSet<PathBuf> =
            head_files.iter().map(|file| PathBuf::from(&file.relative)).collect();
        let globs = &self.trees.head.settings.file.gate.helpers;
        let globs: Vec<GlobMatcher> =
            globs.iter().map(|glob| id_glob(glob)).collect::<Result<_, _>>()?;
        if !globs.is_empty() {
            let paths = digest_tree(head)?.paths().map(Path::to_owned).collect::<Vec<_>>();
            files.extend(
                paths.into_iter().filter(|path| globs.iter().any(|glob| glob.is_match(path))),
            );
        }
        let mut differing = Vec::new();
        for file in files {
            let content = |root: &Path| fs::read(root.join(&file));
            match (content(base), content(head)) {
                (Ok(base), Ok(head)) if base == head => {}
                (Err(error), _) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unreadable(&base.join(&file), error));
                }
                (_, Err(error)) => return Err(unreadable(&head.join(&file), error)),
                _ => differing.push(file),
            }
        }
        Ok(differing)
    }

    /// Copies them; base's own are kept, by the places that they are taken from.
    fn lay_over(&self, files: &[PathBuf]) -> Result<BTreeMap<PathBuf, PathBuf>, Failure> {
        let (base, head) = (&self.trees.base.settings.root, &self.trees.head.settings.root);
        let kept = self.trees.scratch.slot().join("fresh");
        let mut backup = BTreeMap::new();
        for file in files {
            let place = base.join(file);
            if place.is_file() {
                copy_file(&place, &kept.join(file))?;
                backup.insert(place.clone(), kept.join(file));
            }
            copy_file(&head.join(file), &place)?;
        }
        Ok(backup)
    }
}

/// Takes what is in files that head does not have out of a list.
fn split(mut listed: Listed, head_has: &BTreeSet<&str>) -> (Listed, Vec<Bench>) {
    let (kept, removed) = std::mem::take(&mut listed.benches)
        .into_iter()
        .partition(|bench: &Bench| head_has.contains(bench.file.relative.as_str()));
    listed.benches = kept;
    (listed, removed)
}

fn unreadable(path: &Path, cause: io::Error) -> Failure {
    CheckoutError::Io { action: "read", path: path.to_owned(), cause }.into()
}

fn some_of(files: &[PathBuf]) -> String {
    let shown: Vec<String> =
        files.iter().take(3).map(|file| format!("`{}`", file.display())).collect();
    let more = if files.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Says on standard error what could not be listed.
pub(super) fn tell(benches: &Benches) {
    for (name, listed) in [("base", &benches.base), ("head", &benches.head)] {
        for (file, fault) in &listed.faults {
            output::error(&format!("{name}: `{}`: {fault}", file.relative));
            if let Some(hint) = fault.hint() {
                output::hint(hint);
            }
        }
    }
    benches.head.warnings.iter().for_each(|warning| output::warning(warning));
}
