//! The folders in which package and version managers keep engines.

use std::cmp::Reverse;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use tiergate_model::EngineKind::{self, Bun, Deno, Node};

/// A relative path in which a `*` stands for any text inside one component.
type Place = (EngineKind, &'static str);

/// In a `node_modules` folder, the packages made for one engine before aliases of any name.
pub(crate) const PACKAGED: &[Place] = &[
    (Node, "node/bin/node"),
    (Node, "node-linux-*/bin/node"),
    (Node, "node-darwin-*/bin/node"),
    (Node, "node/node_modules/node-*/bin/node"),
    (Node, "*/bin/node"),
    (Bun, "bun/bin/bun.exe"),
    (Bun, "bun/bin/bun"),
    (Bun, "@oven/bun-*/bin/bun"),
    (Bun, "*/bin/bun"),
    (Deno, "deno/deno"),
    (Deno, "@deno/*/deno"),
    (Deno, "*/deno"),
];

/// In the home folder.
pub(crate) const MANAGED: &[Place] = &[
    (Node, ".nvm/versions/node/*/bin/node"),
    (Node, ".local/share/fnm/node-versions/*/installation/bin/node"),
    (Node, ".fnm/node-versions/*/installation/bin/node"),
    (Node, ".volta/tools/image/node/*/bin/node"),
    (Node, ".local/share/mise/installs/node/*/bin/node"),
    (Node, ".asdf/installs/nodejs/*/bin/node"),
    (Bun, ".bun/bin/bun"),
    (Bun, ".local/share/mise/installs/bun/*/bin/bun"),
    (Bun, ".asdf/installs/bun/*/bin/bun"),
    (Deno, ".deno/bin/deno"),
    (Deno, ".local/share/mise/installs/deno/*/bin/deno"),
    (Deno, ".asdf/installs/deno/*/bin/deno"),
];

/// The existing paths below `root` for that kind, place by place.
pub(crate) fn expand_all(root: &Path, places: &[Place], kind: EngineKind) -> Vec<PathBuf> {
    places
        .iter()
        .filter(|(of, _)| *of == kind)
        .flat_map(|(_, pattern)| expand(root, pattern))
        .filter(|path| path.exists())
        .collect()
}

/// Replaces each `*` by what is there: the highest version first, then by name.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![root.to_path_buf()];
    for component in pattern.split('/') {
        paths = match component.split_once('*') {
            None => paths.into_iter().map(|path| path.join(component)).collect(),
            Some((begin, end)) => {
                paths.iter().flat_map(|path| matching(path, begin, end)).collect()
            }
        };
    }
    paths
}

fn matching(folder: &Path, begin: &str, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name.starts_with(begin) && name.ends_with(end))
        .collect();
    // Folders named after versions and aliases that end in one: the newest is the likely wish.
    names.sort_by_cached_key(|name| (Reverse(trailing_version(name)), name.clone()));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// The numbers of the version at the end of a name: `v24.1.0` and `node-24` have one.
fn trailing_version(name: &str) -> Vec<u64> {
    let start = name.trim_end_matches(|one: char| one.is_ascii_digit() || one == '.').len();
    name[start..].split('.').filter_map(|part| part.parse().ok()).collect()
}

/// Whether the file begins like a program of the system and not like a script.
pub(crate) fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && (&magic == b"\x7fELF" || magic == [0xcf, 0xfa, 0xed, 0xfe])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_comes_first_and_names_without_one_last() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["v9.9.0", "v24.1.0", "v24.10.0", "system", ".cache"] {
            let file = folder.path().join("versions").join(name).join("bin/node");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = expand_all(folder.path(), &[(Node, "versions/*/bin/node")], Node);
        let names: Vec<_> = found
            .iter()
            .map(|path| path.iter().rev().nth(2).unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["v24.10.0", "v24.1.0", "v9.9.0", "system"]);
    }

    #[test]
    fn other_kinds_and_missing_folders_give_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(expand_all(folder.path(), MANAGED, Node).is_empty());
        assert!(expand_all(Path::new("/nonexistent"), PACKAGED, Bun).is_empty());
        fs::create_dir_all(folder.path().join(".bun/bin")).unwrap();
        fs::write(folder.path().join(".bun/bin/bun"), "").unwrap();
        assert!(expand_all(folder.path(), MANAGED, Node).is_empty());
        assert_eq!(expand_all(folder.path(), MANAGED, Bun).len(), 1);
    }

    #[test]
    fn versions_at_the_end_of_a_name_are_read() {
        assert_eq!(trailing_version("node-24"), [24]);
        assert_eq!(trailing_version("v24.1.0"), [24, 1, 0]);
        assert_eq!(trailing_version("lts"), Vec::<u64>::new());
    }
}
