//! Packages that teach Node TypeScript, as they are installed for a file.

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use tiergate_measure::executor::{Loader, Suite};

/// A package and the arguments by which Node loads it, with the paths of its files.
struct Known {
    package: &'static str,
    arguments: &'static [(&'static str, &'static str)],
}

/// The first that is installed is taken.
const KNOWN: [Known; 3] = [
    Known { package: "tsx", arguments: &[("--import", "dist/loader.mjs")] },
    Known { package: "ts-node", arguments: &[("--require", "register/transpile-only.js")] },
    Known { package: "@swc-node/register", arguments: &[("--require", "lib/register.js")] },
];

/// The suite with the loader that is installed for the file, if it is TypeScript and has none yet.
pub(crate) fn loaded_suite(suite: &Suite, file: &Path) -> Option<Suite> {
    let extension = file.extension()?.to_str()?;
    if suite.loader.is_some() || !["ts", "mts", "cts", "tsx"].contains(&extension) {
        return None;
    }
    let loader = KNOWN.iter().find_map(|known| known.installed_for(file))?;
    Some(Suite { loader: Some(loader), ..suite.clone() })
}

/// The loader that a configuration names.
pub(super) fn named(name: &str, file: &Path) -> Result<Loader, Failure> {
    let Some(known) = KNOWN.iter().find(|known| known.package == name) else {
        let names = KNOWN.map(|known| known.package).join(", ");
        return Err(Failure::usage(format!("unknown loader `{name}` of a `[[suite]]`"))
            .hint(format!("known: {names}, none; others go into `engine_args`")));
    };
    known.installed_for(file).ok_or_else(|| {
        Failure::usage(format!("the loader `{name}` is not installed for `{}`", file.display()))
            .hint(format!("install it there, for example with `npm install --save-dev {name}`"))
    })
}

impl Known {
    fn installed_for(&self, file: &Path) -> Option<Loader> {
        let folder = file
            .ancestors()
            .skip(1)
            .map(|folder| folder.join("node_modules").join(self.package))
            .find(|folder| folder.join("package.json").is_file())?;
        let version = version_of(&folder)?;
        let arguments = self.arguments.iter().map(|(option, path)| {
            // An absolute path is no module specifier for `--import` on every system; a URL is.
            let path = folder.join(path);
            [(*option).to_owned(), as_specifier(option, &path)]
        });
        Some(Loader {
            name: format!("{} {version}", self.package),
            engine_args: arguments.flatten().collect(),
        })
    }
}

fn as_specifier(option: &str, path: &Path) -> String {
    if option == "--import" {
        format!("file://{}", path.display())
    } else {
        path.display().to_string()
    }
}

fn version_of(folder: &Path) -> Option<String> {
    let path: PathBuf = folder.join("package.json");
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    manifest.get("version")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_of_the_nearest_folder_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("node_modules/tsx");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("package.json"), r#"{"version": "4.1.2"}"#).unwrap();
        let file = folder.path().join("a/x.bench.ts");
        let suite = loaded_suite(&Suite::default(), &file).unwrap();
        let loader = suite.loader.clone().unwrap();
        assert_eq!(loader.name, "tsx 4.1.2");
        let [option, specifier] = &loader.engine_args[..] else { unreachable!("{loader:?}") };
        assert_eq!(option, "--import");
        assert!(specifier.starts_with("file:///") && specifier.ends_with("tsx/dist/loader.mjs"));
        assert_eq!(loaded_suite(&suite, &file), None);
        assert_eq!(loaded_suite(&Suite::default(), &file.with_extension("js")), None);
        assert!(named("babel", &file).is_err() && named("ts-node", &file).is_err());
    }
}
