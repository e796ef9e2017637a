//! Benches that need no measuring: nothing that they load differs between base and head.

use super::ACCEPTED;
use super::benches::Benches;
use super::trees::Trees;
use crate::failure::Failure;
use crate::listing::Listed;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tiergate_checkout::digest_tree;
use tiergate_measure::executor::{Bench, Executor};
use tiergate_model::BenchId;

/// Files that are loaded by the dynamic loader, which nobody sees opening them.
const NATIVE: [&str; 4] = ["node", "so", "dylib", "dll"];

const SAME_FILES: &str = "unchanged: no file of base and head differs";
const SAME_LOADED: &str = "unchanged: nothing that the bench loads differs";

/// The answer, with what the reader should know.
#[derive(Default)]
pub(super) struct Unchanged {
    /// How it is known, by bench.
    pub(super) benches: BTreeMap<BenchId, String>,
    pub(super) notes: Vec<String>,
}

/// What differs between the trees.
pub(super) struct Differences<'a> {
    trees: &'a Trees,
    paths: BTreeSet<PathBuf>,
    /// One that only one side has, and that a bench can look for without opening it.
    one_sided: Option<PathBuf>,
    /// One hash for each side: of its files, and of the packages that it loads.
    pub(super) base_digest: String,
    pub(super) head_digest: String,
}

impl<'a> Differences<'a> {
    pub(super) fn between(trees: &'a Trees) -> Result<Self, Failure> {
        let (base, head) = (digest_tree(&trees.base.top)?, digest_tree(&trees.head.top)?);
        let paths = head.differing(&base).map(Path::to_owned).collect();
        let packages = |side: &super::trees::Tree| side.packages.key().to_owned();
        let whole = |digest: &str, packages: String| {
            blake3::hash(format!("{digest} {packages}").as_bytes()).to_hex()[..32].to_owned()
        };
        let mut one_sided = head.one_sided(&base).filter(|path| !is_never_looked_for(path));
        Ok(Self {
            trees,
            one_sided: one_sided.next().map(Path::to_owned),
            paths,
            base_digest: whole(&base.whole(), packages(&trees.base)),
            head_digest: whole(&head.whole(), packages(&trees.head)),
        })
    }

    /// The benches that are in both lists and load nothing that differs. Those whose loaded files
    /// are not known are unchanged only where no file differs at all.
    pub(super) fn unchanged(
        &self,
        benches: &Benches,
        has: &dyn Fn(&BenchId) -> bool,
        executor: &dyn Executor,
        jobs: usize,
    ) -> Unchanged {
        let Benches { base, head, .. } = benches;
        let mut unchanged = Unchanged::default();
        if !self.trees.share_packages() {
            let note = "the packages of base and head differ, so every bench is measured";
            unchanged.notes.push(note.to_owned());
            return unchanged;
        }
        let in_base: BTreeSet<&BenchId> = base.benches.iter().map(Bench::id).collect();
        let both = head.benches.iter().filter(|bench| {
            let id = bench.id();
            has(id) && in_base.contains(id) && !bench.discovered.skipped
        });
        if self.paths.is_empty() {
            let benches = both.map(|bench| (bench.id().clone(), SAME_FILES.to_owned()));
            unchanged.benches = benches.collect();
            return unchanged;
        }
        if self.paths.iter().any(|path| is_native(path)) {
            let note = "native code differs between base and head, so every bench is measured";
            unchanged.notes.push(note.to_owned());
            return unchanged;
        }
        if let Some(path) = &self.one_sided {
            unchanged.notes.push(format!(
                "only one side has `{}`, and a bench can look for a file without opening it, so \
                 every bench is measured",
                path.display()
            ));
            return unchanged;
        }
        let mut unknown = BTreeSet::new();
        let candidates: Vec<&Bench> = both
            .filter(|bench| {
                let file = &bench.file.relative;
                let of = |listed: &Listed, top: &Path| {
                    let opened = listed.opened.get(file)?.as_ref()?;
                    Some(self.touches(opened, top))
                };
                match (of(base, &self.trees.base.top), of(head, &self.trees.head.top)) {
                    (Some(base), Some(head)) => !base && !head,
                    _ => {
                        unknown.insert(file.clone());
                        false
                    }
                }
            })
            .collect();
        if !unknown.is_empty() {
            unchanged.notes.push(format!(
                "which files {} load can't be seen with this engine or framework, and some files \
                 differ, so they are measured",
                counted(unknown.len(), "bench file", "bench files")
            ));
        }
        let run = self.those_that_run_alike(&candidates, executor, jobs);
        unchanged.benches = run.into_iter().map(|id| (id, SAME_LOADED.to_owned())).collect();
        unchanged
    }

    /// Runs each bench for a few ops and keeps those that open nothing that differs either.
    fn those_that_run_alike(
        &self,
        candidates: &[&Bench],
        executor: &dyn Executor,
        jobs: usize,
    ) -> Vec<BenchId> {
        let next = AtomicUsize::new(0);
        let alike = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, candidates.len().max(1)) {
                scope.spawn(|| {
                    while let Some(bench) = candidates.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // A bench that fails here fails again when it is measured, with a reason.
                        let opened = executor.opened(bench).ok().flatten();
                        let same = opened
                            .is_some_and(|opened| !self.touches(&opened, &self.trees.head.top));
                        if let (true, Ok(mut alike)) = (same, alike.lock()) {
                            alike.push(bench.id().clone());
                        }
                    }
                });
            }
        });
        alike.into_inner().unwrap_or_default()
    }

    fn touches(&self, opened: &BTreeSet<PathBuf>, top: &Path) -> bool {
        let differs = |path: &Path| {
            path.strip_prefix(top).is_ok_and(|below| self.paths.contains(&plain(below)))
        };
        // A link leads to a file of another path.
        opened
            .iter()
            .any(|path| differs(path) || path.canonicalize().is_ok_and(|target| differs(&target)))
    }
}

/// The files of the user's own tree that a side has loaded instead of its own, which would measure
/// the same code on both sides.
pub(super) fn foreign(listed: &Listed, trees: &Trees) -> Option<PathBuf> {
    if trees.scratch.slot().starts_with(&trees.user_top) {
        // The trees themselves lie there.
        return None;
    }
    listed.opened.values().flatten().flatten().find_map(|path| {
        let below = path.strip_prefix(&trees.user_top).ok()?;
        let is_package = below.components().any(|part| part.as_os_str() == "node_modules");
        let is_code = below.extension().and_then(OsStr::to_str).is_some_and(|extension| {
            matches!(
                extension,
                "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" | "wasm"
            )
        });
        (is_code && !is_package && path.is_file()).then(|| below.to_owned())
    })
}

/// Words for people, the CI's and tiergate's own files: those that no code looks for in passing. One
/// that is opened counts all the same.
fn is_never_looked_for(path: &Path) -> bool {
    let hidden = path.iter().next().is_some_and(|first| first == ".github" || first == ".gitlab");
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let extension = path.extension().and_then(OsStr::to_str);
    hidden
        || name.starts_with("LICENSE")
        || ["tiergate.toml", "tiergate.lock", ACCEPTED].contains(&name)
        || extension.is_some_and(|extension| matches!(extension, "md" | "markdown" | "rst"))
}

fn is_native(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| NATIVE.contains(&extension))
}

/// Without `.` and `..`.
pub(super) fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
