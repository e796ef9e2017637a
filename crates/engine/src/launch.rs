//! The command line that runs a bench file under the harness.

use crate::{AcceptedFlags, Engine, Version, VersionRange};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tiergate_model::EngineKind;

/// One run of a bench file: the engine's main module is the file, preceded by the harness.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// Its flags.
    pub flags: &'a AcceptedFlags,
    /// The folder of the unpacked harness, which holds `entry/`.
    pub harness_directory: &'a Path,
    /// The user's file.
    pub bench_file: &'a Path,
}

/// A program, its arguments, and the variables that it needs beside those of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// The engine's executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The engine's variables, in order.
    pub variables: Vec<(String, String)>,
}

impl Launch<'_> {
    /// Writes the command line.
    pub fn command_line(&self) -> CommandLine {
        let entry = |name: &str| self.harness_directory.join("entry").join(name).into_os_string();
        let flags = self.flags.set().arguments().into_iter().map(OsString::from);
        let mut arguments: Vec<OsString> = Vec::new();
        match self.engine.kind {
            EngineKind::Node if has_register_hooks(&self.engine.version) => {
                arguments.extend(flags);
                arguments.extend(["--require".into(), entry("node.cjs")]);
            }
            EngineKind::Node => {
                arguments.extend(flags);
                arguments.push("--expose-internals".into());
                arguments.extend(["--require".into(), entry("node20.cjs")]);
            }
            EngineKind::Bun => {
                // Otherwise it downloads packages that a file imports and nobody installed.
                arguments.push("--no-install".into());
                arguments.extend(flags);
                arguments.extend(["--preload".into(), entry("bun.mjs")]);
            }
            EngineKind::Deno => {
                // A question for a permission would wait for ever.
                arguments.extend(["run".into(), "-A".into(), "--no-prompt".into()]);
                arguments.extend(flags);
                arguments.extend(["--require".into(), entry("deno.cjs")]);
            }
        }
        if self.engine.kind == EngineKind::Node && arguments.iter().any(is_import) {
            arguments.extend(["--import".into(), entry("main.mjs")]);
        }
        arguments.push(self.bench_file.as_os_str().to_owned());
        CommandLine {
            program: self.engine.path.clone(),
            arguments,
            variables: self.flags.set().variables(),
        }
    }
}

fn is_import(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text == "--import" || text.starts_with("--import="))
}

/// Whether Node has `module.registerHooks`, by which the harness sees modules of both kinds.
fn has_register_hooks(version: &Version) -> bool {
    let in_22 = VersionRange { since: [22, 15, 0], before: Some([23, 0, 0]) };
    in_22.contains(version) || VersionRange::since(23, 5, 0).contains(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hooks_are_known_by_version() {
        for (version, expected) in [
            ("20.20.2", false),
            ("22.14.0", false),
            ("22.15.0", true),
            ("23.4.0", false),
            ("23.5.0", true),
            ("26.12.1", true),
        ] {
            assert_eq!(has_register_hooks(&version.parse().unwrap()), expected, "{version}");
        }
    }
}
