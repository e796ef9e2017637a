//! What a bench file and the folders around it tell of how it is run.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tiergate_measure::executor::{Runner, Suite};

/// Configurations that vitest reads, without their extensions.
const VITEST_CONFIGURATIONS: [&str; 2] = ["vitest.config", "vitest.workspace"];
const VITE_CONFIGURATION: &str = "vite.config";
const EXTENSIONS: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];

/// An import of vitest in any form but that of types only. The line's beginning tells a comment.
static IMPORT_OF_VITEST: LazyLock<Regex> = LazyLock::new(|| {
    let statement = r"(?:import|export)\s+(?P<types>type\b)?[^;'\x22]*?\bfrom\s*";
    let call = r"\b(?:import|require)\s*\(\s*";
    let pattern = format!(r#"(?:{statement}|\bimport\s*|{call})["']vitest["']"#);
    #[allow(clippy::unwrap_used, reason = "a constant pattern, which the tests compile")]
    Regex::new(&pattern).unwrap()
});

/// The suite of a file of which nothing is said.
pub(super) fn suite_of(root: &Path, file: &Path) -> Suite {
    if is_vitest(file) { vitest_suite(root, file) } else { engine_suite(root, file) }
}

/// The suite of a file that may be vitest's although it does not say so, where one is installed for
/// it and has a configuration.
pub(crate) fn configured_vitest(root: &Path, file: &Path) -> Option<Suite> {
    let is_installed = file.ancestors().any(|folder| folder.join("node_modules/vitest").is_dir());
    let is_configured = vitest_folder(file).is_some();
    (is_installed && is_configured).then(|| vitest_suite(root, file))
}

fn is_vitest(file: &Path) -> bool {
    fs::read(file).is_ok_and(|text| imports_vitest(&String::from_utf8_lossy(&text)))
}

fn imports_vitest(text: &str) -> bool {
    IMPORT_OF_VITEST.captures_iter(text).any(|found| {
        let start = found.get(0).map_or(0, |whole| whole.start());
        let line = text[..start].rsplit('\n').next().unwrap_or_default().trim_start();
        let is_comment = ["//", "*", "/*"].iter().any(|mark| line.starts_with(mark));
        !is_comment && found.name("types").is_none()
    })
}

/// The suite of a file that vitest runs.
pub(crate) fn vitest_suite(root: &Path, file: &Path) -> Suite {
    let directory = vitest_folder(file).or_else(|| package_folder(root, file));
    Suite { runner: Runner::Vitest, directory, ..Suite::default() }
}

/// The suite of a file that the engine runs.
pub(super) fn engine_suite(root: &Path, file: &Path) -> Suite {
    Suite { directory: workspace_package(root, file), ..Suite::default() }
}

/// Where vitest is started for a file: the nearest folder upward with a configuration for it.
fn vitest_folder(file: &Path) -> Option<PathBuf> {
    folders_above(file).find(|folder| has_vitest_configuration(folder))
}

fn has_vitest_configuration(folder: &Path) -> bool {
    let named = |name: &str| {
        EXTENSIONS
            .iter()
            .map(|extension| folder.join(format!("{name}.{extension}")))
            .find(|path| path.is_file())
    };
    VITEST_CONFIGURATIONS.into_iter().any(|name| named(name).is_some())
        // Vite's own is often about a build only, and then the one for tests lies further up.
        || named(VITE_CONFIGURATION)
            .and_then(|path| fs::read_to_string(path).ok())
            .is_some_and(|text| text.contains("test:") || text.contains("vitest"))
}

/// The nearest folder upward with a package manifest, not beyond the root.
fn package_folder(root: &Path, file: &Path) -> Option<PathBuf> {
    folders_above(file)
        .take_while(|folder| folder.starts_with(root))
        .find(|folder| folder.join("package.json").is_file())
}

/// The package of a workspace that a file lies in: its benches are run as its own scripts are.
fn workspace_package(root: &Path, file: &Path) -> Option<PathBuf> {
    let package = package_folder(root, file).filter(|folder| name_of(folder).is_some())?;
    let mut above = package.ancestors().skip(1);
    above.any(is_workspace).then_some(package)
}

fn is_workspace(folder: &Path) -> bool {
    folder.join("pnpm-workspace.yaml").is_file()
        || manifest(folder).is_some_and(|manifest| manifest.get("workspaces").is_some())
}

fn name_of(folder: &Path) -> Option<String> {
    manifest(folder)?.get("name")?.as_str().map(str::to_owned)
}

fn manifest(folder: &Path) -> Option<serde_json::Value> {
    serde_json::from_slice(&fs::read(folder.join("package.json")).ok()?).ok()
}

/// The folders above a file, up to the root of its repository.
fn folders_above(file: &Path) -> impl Iterator<Item = PathBuf> {
    let mut is_through = false;
    file.ancestors().skip(1).map(Path::to_path_buf).take_while(move |folder| {
        let inside = !is_through;
        is_through = folder.join(".git").exists();
        inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_vitest_are_told_from_types_and_comments() {
        for text in [
            "import { bench } from 'vitest';",
            "import {\n  bench,\n  describe,\n} from \"vitest\"\n",
            "import * as vitest from 'vitest'",
            "import 'vitest';",
            "const { bench } = await import('vitest');",
            "const { bench } = require( 'vitest' );",
            "export * from 'vitest';",
            "import { a } from './a';\nimport { bench } from 'vitest';",
        ] {
            assert!(imports_vitest(text), "{text}");
        }
        for text in [
            "import type { Bench } from 'vitest';",
            "// import { bench } from 'vitest';",
            "/**\n * import { bench } from 'vitest'\n */",
            "import { run } from 'vitest-other';",
            "import { Bench } from 'tinybench';",
            "",
        ] {
            assert!(!imports_vitest(text), "{text}");
        }
    }

    fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn packages_of_a_workspace_are_working_directories() {
        let workspace = r#"{"name": "all", "workspaces": ["packages/*"]}"#;
        let folder = folder_of(&[
            ("package.json", workspace),
            ("packages/a/package.json", r#"{"name": "a"}"#),
            ("packages/a/esm/package.json", r#"{"type": "module"}"#),
            ("packages/a/bench/x.bench.js", ""),
            ("own/x.bench.js", ""),
        ]);
        let root = folder.path();
        let of = |file: &str| suite_of(root, &root.join(file)).directory;
        assert_eq!(of("packages/a/bench/x.bench.js"), Some(root.join("packages/a")));
        assert_eq!(of("own/x.bench.js"), None);
        fs::write(root.join("package.json"), r#"{"name": "one"}"#).unwrap();
        assert_eq!(of("packages/a/bench/x.bench.js"), None);
    }

    #[test]
    fn vitest_is_started_where_its_configuration_is() {
        let bench = "import { bench } from 'vitest';";
        let folder = folder_of(&[
            ("vitest.config.ts", ""),
            ("a/package.json", "{}"),
            ("a/vite.config.ts", "export default { build: {} }"),
            ("a/x.bench.ts", bench),
            ("b/vite.config.ts", "export default { test: {} }"),
            ("b/x.bench.ts", bench),
        ]);
        let root = folder.path();
        let suite = |file: &str| suite_of(root, &root.join(file));
        assert_eq!(suite("a/x.bench.ts").directory.as_deref(), Some(root));
        assert_eq!(suite("b/x.bench.ts").directory, Some(root.join("b")));
        assert_eq!(suite("b/x.bench.ts").runner, Runner::Vitest);
        fs::remove_file(root.join("vitest.config.ts")).unwrap();
        assert_eq!(suite("a/x.bench.ts").directory, Some(root.join("a")));
        assert_eq!(configured_vitest(root, &root.join("b/x.bench.ts")), None);
    }
}
