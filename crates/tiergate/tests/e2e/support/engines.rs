//! The engines and frameworks that `npm ci` installs in the repository's `tests` folder.

use std::path::{Path, PathBuf};

/// Every engine, by the name that the command line takes.
pub(crate) const ENGINES: [&str; 6] =
    ["node@20", "node@22", "node@24", "node@26", "bun@1.4", "deno@2.9"];

/// Those that run TypeScript by leaving the types out.
pub(crate) const STRIPPING_ENGINES: [&str; 5] =
    ["node@22", "node@24", "node@26", "bun@1.4", "deno@2.9"];

/// Where they are installed.
pub(crate) fn tests_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").canonicalize().unwrap();
    assert!(
        folder.join("node_modules").is_dir(),
        "the engines are not installed: run `npm ci` in `{}`",
        folder.display()
    );
    folder
}

/// The executable of one Node major.
pub(crate) fn node(major: u32) -> PathBuf {
    tests_folder().join(format!("node_modules/node-{major}/bin/node"))
}

/// The package folder of one major of a framework.
pub(crate) fn framework_folder(name: &str, major: u32) -> PathBuf {
    let tests = tests_folder();
    let beside = tests.join(format!("suites/{name}-{major}/node_modules/{name}"));
    // npm puts one of the majors at the top.
    let folder = if beside.is_dir() { beside } else { tests.join("node_modules").join(name) };
    let manifest = std::fs::read_to_string(folder.join("package.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let version = manifest["version"].as_str().unwrap();
    assert!(version.starts_with(&format!("{major}.")), "{name} {version} instead of {major}");
    folder
}
