//! `tiergate init`: a configuration and an example, a CI workflow, or the plugin for vitest.

use crate::args::{Ci, InitOptions};
use crate::failure::Failure;
use crate::output;
use crate::settings::FILE_NAME;
use std::fs;
use std::path::{Path, PathBuf};
use tiergate_model::ExitStatus;

const SETTINGS: &str = include_str!("../../templates/tiergate.toml");
const EXAMPLE: &str = include_str!("../../templates/example.bench.mjs");
const GITHUB: &str = include_str!("../../templates/github.yml");
const GITLAB: &str = include_str!("../../templates/gitlab.yml");
const VITEST_PLUGIN: &str = include_str!("../../../../harness/api/vitest.mjs");

/// More jobs than any CI starts for one pull request.
const MOST_SHARDS: u32 = 256;

pub(crate) fn init(options: &InitOptions) -> Result<ExitStatus, Failure> {
    if !(1..=MOST_SHARDS).contains(&options.shards) {
        return Err(Failure::usage(format!("{} shards can't be", options.shards))
            .hint(format!("name a number from 1 to {MOST_SHARDS}")));
    }
    let files = match options.ci {
        None if options.vitest => {
            let plugin = VITEST_PLUGIN.replace("'tiergate/vitest'", "'./tiergate.vitest.mjs'");
            vec![(PathBuf::from("tiergate.vitest.mjs"), plugin)]
        }
        None => vec![
            (PathBuf::from(FILE_NAME), SETTINGS.to_owned()),
            (PathBuf::from("bench/example.bench.mjs"), EXAMPLE.to_owned()),
        ],
        Some(Ci::Github) => {
            let shards: Vec<String> = (1..=options.shards).map(|one| one.to_string()).collect();
            let text = GITHUB.replace("@SHARDS@", &shards.join(", "));
            vec![(PathBuf::from(".github/workflows/tiergate.yml"), text)]
        }
        Some(Ci::Gitlab) => {
            let text = GITLAB.replace("@COUNT@", &options.shards.to_string());
            vec![(PathBuf::from(".gitlab/tiergate.yml"), text)]
        }
    };
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists() && !options.force) {
        return Err(Failure::usage(format!("`{}` is there already", path.display()))
            .hint("`--force` writes over it"));
    }
    for (path, text) in &files {
        write(path, text)?;
        output::results(&format!("{}\n", path.display()))?;
    }
    output::note(match options.ci {
        None if options.vitest => {
            "next: in the vitest configuration, `import tiergate from './tiergate.vitest.mjs'` and \
             add `tiergate()` to `plugins`; then `npx vitest bench`"
        }
        None => "next: `tiergate run`, and `tiergate init --ci github` for pull requests",
        Some(Ci::Github) => {
            "next: set the variables TIERGATE_SOURCE and TIERGATE_REVISION of the repository, \
             which say where tiergate is installed from"
        }
        Some(Ci::Gitlab) => {
            "next: include it in `.gitlab-ci.yml`, and set the variables TIERGATE_IMAGE, \
             TIERGATE_SOURCE and TIERGATE_REVISION, and TIERGATE_POST_TOKEN for comments"
        }
    });
    Ok(ExitStatus::Pass)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let unwritable =
        |error| Failure::incomplete(format!("can't write `{}`: {error}", path.display()));
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        _ => {}
    }
    fs::write(path, text).map_err(unwritable)
}
