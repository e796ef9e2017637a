//! How the files of a suite are run, where that differs from one file to the next.

use std::collections::BTreeMap;
use std::path::PathBuf;
use tiergate_model::{EngineFingerprint, EngineSpec};

/// What runs a bench file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Runner {
    /// The engine, as its main module.
    #[default]
    Engine,
    /// The vitest that is installed for it, in a process that vitest starts.
    Vitest,
}

/// How a bench file is run; what is absent is as for every file of the run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Suite {
    /// The working directory.
    pub directory: Option<PathBuf>,
    /// What runs it.
    pub runner: Runner,
    /// Arguments of the engine, beside those of every file.
    pub engine_args: Vec<String>,
    /// Variables, beside those of every file.
    pub variables: BTreeMap<String, String>,
    /// The engines that it is for, as the user names them; all where none is named.
    pub engines: Vec<String>,
    /// What makes its TypeScript into JavaScript, where the engine does not.
    pub loader: Option<Loader>,
    /// The functions that are its benches, where no framework tells them.
    pub mark_functions: Vec<String>,
}

/// A package that engines load to understand more than JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loader {
    /// Name and version.
    pub name: String,
    /// The arguments by which the engine loads it.
    pub engine_args: Vec<String>,
}

impl Suite {
    /// Whether it is for this engine.
    pub fn is_for(&self, engine: &EngineFingerprint) -> bool {
        let admits = |text: &String| {
            text.parse::<EngineSpec>().is_ok_and(|spec| spec.admits(engine.name, &engine.version))
        };
        self.engines.is_empty() || self.engines.iter().any(admits)
    }

    /// All arguments that the engine gets for this suite only.
    pub(super) fn own_arguments(&self) -> Vec<String> {
        let loader = self.loader.iter().flat_map(|loader| &loader.engine_args);
        self.engine_args.iter().chain(loader).cloned().collect()
    }

    /// What makes its readings incomparable with those of a file that is run otherwise.
    pub(super) fn conditions(&self, root: &std::path::Path) -> BTreeMap<String, String> {
        let mut conditions = BTreeMap::new();
        let mut add = |name: &str, value: String| {
            if !value.is_empty() {
                conditions.insert(name.to_owned(), value);
            }
        };
        if let Some(directory) = &self.directory {
            let below = directory.strip_prefix(root).unwrap_or(directory);
            add("working directory", below.display().to_string());
        }
        add("engine arguments", self.engine_args.join(" "));
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        add("environment", variables.collect::<Vec<_>>().join(" "));
        if let Some(loader) = &self.loader {
            add("loader", loader.name.clone());
        }
        conditions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_special_is_a_condition() {
        let root = std::path::Path::new("/root");
        assert!(Suite::default().conditions(root).is_empty());
        let suite = Suite {
            directory: Some("/root/packages/a".into()),
            engine_args: vec!["--expose-gc".to_owned()],
            variables: BTreeMap::from([("A".to_owned(), "b".to_owned())]),
            loader: Some(Loader { name: "tsx 4.20.0".to_owned(), engine_args: Vec::new() }),
            ..Suite::default()
        };
        let conditions = suite.conditions(root);
        assert_eq!(conditions["working directory"], "packages/a");
        assert_eq!(conditions["engine arguments"], "--expose-gc");
        assert_eq!(conditions["environment"], "A=b");
        assert_eq!(conditions["loader"], "tsx 4.20.0");
        let at_root = Suite { directory: Some(root.to_owned()), ..Suite::default() };
        assert!(at_root.conditions(root).is_empty());
    }
}
