//! A published version of a package as a base.

use crate::copy::{copy_tree, create_folder, remove_tree};
use crate::dependencies::add_missing;
use crate::{CheckoutError, Scratch};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package and its version or tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpmPackage {
    /// For example `@scope/name`.
    pub name: String,
    /// For example `1.2.3` or `latest`.
    pub version: String,
}

impl NpmPackage {
    /// Reads `name@version`; without a version it is `latest`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, version) = match text.rsplit_once('@') {
            Some((name, version)) if !name.is_empty() => (name, version),
            _ => (text, "latest"),
        };
        let sound = |part: &str, more: &str| {
            !part.is_empty()
                && part.chars().all(|char| char.is_ascii_alphanumeric() || more.contains(char))
        };
        (sound(name, "@/._-")
            && !name.starts_with('-')
            && !name.contains("..")
            && sound(version, "._-+^~"))
        .then(|| Self { name: name.to_owned(), version: version.to_owned() })
    }
}

/// Puts a published package into a base's tree. Where the project is that package, its published
/// files become the tree; where the project uses it, the tree is head's with that version of the
/// package. Returns the exact version.
///
/// # Errors
/// When npm can't install it or files can't be copied.
pub fn unpack_package(
    package: &NpmPackage,
    head: &Path,
    base: &Path,
    scratch: &Scratch,
) -> Result<String, CheckoutError> {
    let folder = scratch.slot().join("package");
    remove_tree(&folder)?;
    create_folder(&folder)?;
    let manifest = folder.join("package.json");
    fs::write(&manifest, "{\"private\": true}\n").map_err(CheckoutError::io("write", &manifest))?;
    let shown = format!("{}@{}", package.name, package.version);
    let failed = |message: String| CheckoutError::Package { package: shown.clone(), message };
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--omit=dev", "--loglevel=error", &shown])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("`npm` can't be started: {error}")))?;
    let modules = folder.join("node_modules");
    let installed = modules.join(&package.name);
    if !output.status.success() || !installed.is_dir() {
        let said = String::from_utf8_lossy(&output.stderr);
        // npm's first line is a code, the next one is in words.
        let mut lines = said.lines().map(|line| line.trim_start_matches("npm error").trim());
        let line = lines.find(|line| !line.is_empty() && !line.starts_with("code "));
        return Err(failed(line.unwrap_or("it said nothing").to_owned()));
    }
    let version = field(&installed, "version").unwrap_or_else(|| package.version.clone());
    if field(head, "name").as_deref() == Some(package.name.as_str()) {
        copy_tree(&installed, base, &["node_modules"])?;
        link_all(&modules, &base.join("node_modules"), &package.name)?;
        let nested = installed.join("node_modules");
        if nested.is_dir() {
            replace_links(&nested, &base.join("node_modules"))?;
        }
        add_missing(&head.join("node_modules"), &base.join("node_modules"))?;
    } else {
        copy_tree(head, base, &["node_modules"])?;
        link_all(&modules, &base.join("node_modules"), "")?;
        add_missing(&head.join("node_modules"), &base.join("node_modules"))?;
    }
    Ok(version)
}

/// Links every package of a folder but one into another.
fn link_all(from: &Path, to: &Path, left_out: &str) -> Result<(), CheckoutError> {
    create_folder(to)?;
    for (name, path) in packages(from) {
        if name != left_out {
            replace_link(&path, &to.join(&name))?;
        }
    }
    Ok(())
}

fn replace_links(from: &Path, to: &Path) -> Result<(), CheckoutError> {
    for (name, path) in packages(from) {
        replace_link(&path, &to.join(&name))?;
    }
    Ok(())
}

fn replace_link(target: &Path, link: &Path) -> Result<(), CheckoutError> {
    if let Some(folder) = link.parent() {
        create_folder(folder)?;
    }
    let _ = fs::remove_file(link);
    symlink(target, link).map_err(CheckoutError::io("write", link))
}

/// Names and folders of the packages in a `node_modules`.
fn packages(modules: &Path) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
            .collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for (name, path) in entries(modules) {
        if name.starts_with('@') {
            let scoped = entries(&path).into_iter();
            found.extend(scoped.map(|(inner, path)| (format!("{name}/{inner}"), path)));
        } else if !name.starts_with('.') {
            found.push((name, path));
        }
    }
    found
}

fn field(folder: &Path, name: &str) -> Option<String> {
    let text = fs::read(folder.join("package.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    manifest[name].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_a_name_and_perhaps_a_scope_and_a_version() {
        let parsed = |text: &str| {
            NpmPackage::parse(text).map(|package| format!("{} {}", package.name, package.version))
        };
        assert_eq!(parsed("left-pad@1.3.0").as_deref(), Some("left-pad 1.3.0"));
        assert_eq!(parsed("@scope/name@2").as_deref(), Some("@scope/name 2"));
        assert_eq!(parsed("@scope/name").as_deref(), Some("@scope/name latest"));
        assert_eq!(parsed("--help"), None);
        assert_eq!(parsed("a b"), None);
        assert_eq!(parsed("../x@1"), None);
    }
}
