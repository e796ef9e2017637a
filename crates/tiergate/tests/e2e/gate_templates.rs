//! The job templates of docs/ci.md: as many processes as they start, each with its environment.

use crate::support::{Project, Repository, Script};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const FILE: &str = "a.bench.mjs";
const SHARDS: u32 = 4;

/// Nine scripted benches of which head makes one slower.
fn repository() -> Repository {
    let project = Project::new();
    project.file("tiergate.toml", "instrument = \"mock\"\n");
    let names: Vec<String> = (0..9).map(|number| format!("b{number}")).collect();
    for (side, slower) in [("base", 1e4), ("head", 1.05e4)] {
        let count = |name: &String| if name == "b4" { slower } else { 1e4 };
        let benches: Vec<(&str, f64)> =
            names.iter().map(|name| (name.as_str(), count(name))).collect();
        Script::steady(FILE, &benches).write(&project, &format!("script-{side}.json"));
    }
    let repository = Repository::of(project);
    repository.git("update-ref refs/remotes/origin/main main").file("x", "1");
    repository
}

/// The text between two lines of docs/ci.md, where each line is followed by what it begins.
fn template(heading: &str, fence: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md");
    let text = std::fs::read_to_string(path).unwrap();
    let section = text.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let block = section.split_once(&format!("\n```{fence}\n")).unwrap().1;
    block.split_once("\n```").unwrap().0.to_owned()
}

/// Runs a shell's words as one of the processes does; the exit code.
fn process(
    repository: &Repository,
    words: &str,
    variables: &BTreeMap<&str, String>,
) -> Option<i32> {
    let binary = Path::new(env!("CARGO_BIN_EXE_tiergate")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("bash")
        .args(["-c", words])
        .current_dir(repository.path(""))
        .env_clear()
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .env("TIERGATE_MOCK", repository.path("script-head.json"))
        .env("TIERGATE_MOCK_BASE", repository.path("script-base.json"))
        .envs(variables)
        .output()
        .unwrap();
    output.status.code()
}

fn all(
    repository: &Repository,
    words: &str,
    variables: impl Fn(u32) -> BTreeMap<&'static str, String> + Sync,
) {
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let start = |index| {
            let variables = &variables;
            scope.spawn(move || process(repository, words, &variables(index)))
        };
        let jobs: Vec<_> = (0..SHARDS).map(start).collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    });
    // Verdicts are given once all are through: no process fails for them.
    assert_eq!(codes, vec![Some(0); SHARDS as usize], "{words}");
}

fn merged_is_the_whole(repository: &Repository, folder: &str) {
    let merged = repository.tiergate(&format!("merge {folder} --format json")).run();
    let verdicts = merged.exits(1).verdicts();
    assert_eq!(verdicts.len(), 9, "{merged}");
    assert_eq!(verdicts[&format!("{FILE}::b4")], "FAIL", "{merged}");
}

#[test]
fn an_indexed_job_of_kubernetes_divides_the_benches() {
    let repository = repository();
    let text = template("Kubernetes", "yaml");
    assert!(text.contains(&format!("completions: {SHARDS}\n")), "{text}");
    let after = |key: &str| text.split_once(key).unwrap().1.trim_start();
    let value = after("- name: JOB_COMPLETION_TOTAL").split('"').nth(1).unwrap();
    assert_eq!(value, SHARDS.to_string());
    let words = after("args:").lines().next().unwrap().trim_start_matches("- ");
    // The volume that all pods share.
    let words = words.replace("/results", "saved-kubernetes");
    std::fs::create_dir(repository.path("saved-kubernetes")).unwrap();
    all(&repository, &words, |index| {
        BTreeMap::from([
            ("JOB_COMPLETION_INDEX", index.to_string()),
            ("JOB_COMPLETION_TOTAL", value.to_owned()),
        ])
    });
    merged_is_the_whole(&repository, "saved-kubernetes");
}

#[test]
fn an_array_of_slurm_divides_the_benches() {
    let repository = repository();
    let script = template("Slurm", "bash");
    assert!(script.contains(&format!("--array=0-{}\n", SHARDS - 1)), "{script}");
    let script = script.replace("results/", "saved-slurm/");
    std::fs::create_dir(repository.path("saved-slurm")).unwrap();
    let folder = repository.path("").display().to_string();
    all(&repository, &script, |index| {
        BTreeMap::from([
            ("SLURM_SUBMIT_DIR", folder.clone()),
            ("SLURM_ARRAY_TASK_ID", index.to_string()),
            ("SLURM_ARRAY_TASK_COUNT", SHARDS.to_string()),
            ("SLURM_ARRAY_TASK_MIN", "0".to_owned()),
            ("SLURM_ARRAY_TASK_MAX", (SHARDS - 1).to_string()),
        ])
    });
    merged_is_the_whole(&repository, "saved-slurm");
}
