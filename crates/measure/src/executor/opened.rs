//! The notes of the files that a process opened.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tiergate_protocol::opened::UNKNOWN;

/// Reads the notes. They are complete only where the bench file itself is among them: an engine
/// that opens files without libc's functions leaves none.
pub(super) fn read_notes(
    notes: &Path,
    root: &Path,
    bench_file: &Path,
) -> Option<BTreeSet<PathBuf>> {
    let bytes = fs::read(notes).ok()?;
    let mut paths = BTreeSet::new();
    for path in bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        if path == UNKNOWN.to_bytes() {
            return None;
        }
        paths.insert(root.join(OsStr::from_bytes(path)));
    }
    let real = bench_file.canonicalize().ok()?;
    (paths.contains(bench_file) || paths.contains(&real)).then_some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_without_the_bench_file_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let (notes, bench) = (folder.path().join("notes"), folder.path().join("a.mjs"));
        fs::write(&bench, "").unwrap();
        let read = |text: &str| {
            let text = text.replace("BENCH", bench.to_str().unwrap());
            fs::write(&notes, text).unwrap();
            read_notes(&notes, folder.path(), &bench).map(|paths| paths.len())
        };
        assert_eq!(read("/etc/passwd\0"), None);
        assert_eq!(read("BENCH\0lib.mjs\0BENCH\0"), Some(2));
        assert_eq!(read("BENCH\0?\0"), None);
        assert_eq!(read_notes(Path::new("/none"), folder.path(), &bench), None);
    }
}
