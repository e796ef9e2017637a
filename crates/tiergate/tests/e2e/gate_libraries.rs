//! Gates of real libraries: changes that do nothing, and a planted one. The whole suite, and more
//! changes, are `cargo xtask gates`.

use crate::support::{Outcome, Project, Repository, need_x86, skip};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const STEPS: &str = "src/steps.mjs";
const PLANTED: &str = "bench/code.bench.mjs::semver > satisfies";
/// One that keeps tables by strings, one whose input is shuffled, one that allocates.
const BENCHES: [&str; 4] = [
    PLANTED,
    "bench/data.bench.mjs::table > slots",
    "bench/data.bench.mjs::qs > stringify",
    "bench/text.bench.mjs::ms > parse",
];

fn project_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gates").canonicalize().unwrap()
}

/// A copy of the project in `tests/gates`; `None` where its libraries are not installed.
fn repository() -> Option<Repository> {
    let from = project_folder();
    let modules = from.join("node_modules");
    if !modules.is_dir() {
        return None;
    }
    let project = Project::new();
    for folder in ["", "src", "bench"] {
        for entry in std::fs::read_dir(from.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let name = Path::new(folder).join(entry.file_name());
                let content = std::fs::read(entry.path()).unwrap();
                project.file(name.to_str().unwrap(), content);
            }
        }
    }
    symlink(modules, project.path("node_modules")).unwrap();
    let repository = Repository::of(project);
    // Of a link, which a pattern with a slash does not match.
    let ignored = repository.project().read(".gitignore").replace("node_modules/", "node_modules");
    repository
        .file(".gitignore", ignored)
        .git("rm -r --cached --quiet --ignore-unmatch node_modules");
    repository.commit("libraries");
    Some(repository)
}

fn gate(repository: &Repository) -> Outcome {
    let line = "gate --base main --no-build-hash --instrument counter --format json --exact";
    let invocation = repository.tiergate(line);
    let filtered = BENCHES.iter().fold(invocation, |line, id| line.arg("--filter").arg(id));
    filtered.run()
}

fn edit(repository: &Repository, file: &str, change: impl FnOnce(String) -> String) {
    let text = repository.project().read(file);
    let changed = change(text.clone());
    assert_ne!(changed, text, "{file}");
    repository.file(file, changed);
}

#[test]
fn changes_that_do_nothing_are_ok() {
    need_x86!();
    let Some(repository) = repository() else {
        skip!("`tests/gates` is not installed: `cargo xtask setup` does it");
    };
    const INPUTS: &str = "src/inputs.mjs";
    let before = |text: String, line: &str| format!("{line}\n{text}");
    let changes: [&dyn Fn(); 3] = [
        &|| edit(&repository, "README.md", |text| text + "\nMore.\n"),
        &|| edit(&repository, INPUTS, |text| text.replace("slotIndex", "slotInbox")),
        &|| {
            let dead = "for (let i = 0; i < 20_000; i += 1) ({ number: i, list: [i, `${i}`] });";
            edit(&repository, INPUTS, |text| before(before(text, "Math.random();"), dead));
        },
    ];
    for change in changes {
        repository.git("checkout --quiet -- .");
        change();
        let outcome = gate(&repository);
        let verdicts = outcome.exits(0).verdicts();
        assert_eq!(verdicts.len(), BENCHES.len(), "{outcome}");
        assert!(verdicts.values().all(|verdict| verdict == "ok"), "{outcome}");
    }
}

#[test]
fn a_planted_slowdown_of_a_library_fails_and_half_a_percent_does_not() {
    need_x86!();
    let Some(repository) = repository() else {
        skip!("`tests/gates` is not installed: `cargo xtask setup` does it");
    };
    for (steps, expected, code) in [(210, "FAIL", 1), (206, "FAIL", 1), (201, "ok", 0)] {
        repository.git("checkout --quiet -- .");
        let planted = format!("VERSIONS = {steps};");
        edit(&repository, STEPS, |text| text.replace("VERSIONS = 200;", &planted));
        let outcome = gate(&repository);
        for (id, verdict) in outcome.exits(code).verdicts() {
            let expected = if id == PLANTED { expected } else { "ok" };
            assert_eq!(verdict, expected, "{id}: {outcome}");
        }
    }
}
