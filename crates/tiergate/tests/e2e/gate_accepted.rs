//! Regressions that a project has accepted.

use crate::support::{Outcome, Project, Repository, Script};

const FILE: &str = "a.bench.mjs";
const ID: &str = "a.bench.mjs::work";
const ACCEPTED: &str = "tiergate.accepted.toml";

/// A repository on a branch, with a script for each side.
fn repository() -> Repository {
    let project = Project::new();
    project.file(FILE, "// scripted\n");
    let repository = Repository::of(project);
    repository.git("checkout --quiet -b change").file("x", "1").commit("change");
    counts(&repository, "base", 1e4);
    counts(&repository, "head", 1.05e4);
    repository
}

fn counts(repository: &Repository, side: &str, count: f64) {
    let script = Script::steady(FILE, &[("work", count)]);
    script.write(repository.project(), &format!("script-{side}.json"));
}

fn gate(repository: &Repository, words: &str) -> Outcome {
    let line = format!("gate --instrument mock --base main --no-build-hash --format json {words}");
    let base = repository.path("script-base.json");
    repository.tiergate(&line).script("script-head.json").env("TIERGATE_MOCK_BASE", base).run()
}

fn accept(repository: &Repository, reason: &str) -> Outcome {
    repository.tiergate("accept").arg(ID).arg("--reason").arg(reason).run()
}

#[test]
fn an_accepted_change_passes_until_more_comes_of_it() {
    let repository = repository();
    assert_eq!(gate(&repository, "").exits(1).verdicts()[ID], "FAIL");
    accept(&repository, "worth it").exits(0).prints("+5.00 %");
    let outcome = gate(&repository, "");
    assert_eq!(outcome.exits(0).verdicts()[ID], "accepted", "{outcome}");
    assert!(outcome.stdout.contains("worth it"), "{outcome}");
    repository.tiergate("accept --list").run().exits(0).prints("worth it").prints(ID);

    counts(&repository, "head", 1.2e4);
    let outcome = gate(&repository, "");
    assert_eq!(outcome.exits(1).verdicts()[ID], "FAIL", "{outcome}");
    assert!(outcome.stdout.contains("more than the +5.00 %"), "{outcome}");
}

#[test]
fn it_expires_when_the_base_moves_on() {
    let repository = repository();
    gate(&repository, "").exits(1);
    accept(&repository, "worth it").exits(0);
    repository.commit("accepted").git("checkout --quiet main").git("merge --quiet change");
    repository.git("checkout --quiet -b next").file("y", "1");
    let outcome = gate(&repository, "");
    assert_eq!(outcome.exits(1).verdicts()[ID], "FAIL", "{outcome}");
    assert!(outcome.stdout.contains("expired"), "{outcome}");
}

#[test]
fn what_is_removed_on_purpose_can_be_accepted() {
    let repository = repository();
    Script::steady(FILE, &[("work", 1e4), ("gone", 1e4)])
        .write(repository.project(), "script-base.json");
    counts(&repository, "head", 1e4);
    gate(&repository, "").exits(4);
    let gone = format!("{FILE}::gone");
    let accept = repository.tiergate("accept").arg(&gone).arg("--reason").arg("not needed").run();
    accept.exits(0);
    assert_eq!(gate(&repository, "").exits(0).verdicts()[&gone], "removed");
}

#[test]
fn only_a_regression_of_the_last_gate_can_be_accepted() {
    let repository = repository();
    accept(&repository, "worth it").refuses(64, "no results of a gate");
    counts(&repository, "head", 1e4);
    gate(&repository, "").exits(0);
    accept(&repository, "worth it").refuses(64, "nothing to accept");
    accept(&repository, " ").refuses(64, "reason");
    counts(&repository, "head", 1.05e4);
    gate(&repository, "--save saved").exits(1);
    let other = repository.tiergate("accept none --reason x --from saved").run();
    other.refuses(64, "no bench `none`").says(ID);
    repository.tiergate("accept none").run().exits(64);
    repository.file(ACCEPTED, "[\"a\"]\nreason = 1\n");
    gate(&repository, "").refuses(64, ACCEPTED);
}

#[test]
fn it_holds_against_a_file_of_the_same_base_too() {
    let repository = repository();
    let run = "run --instrument mock --save saved-base.json";
    repository.git("checkout --quiet main");
    repository.tiergate(run).script("script-base.json").run().exits(0);
    repository.git("checkout --quiet change");
    gate(&repository, "").exits(1);
    accept(&repository, "worth it").exits(0);
    let against_file = || {
        let line = "gate --instrument mock --base-file saved-base.json --format json";
        repository.tiergate(line).script("script-head.json").run()
    };
    let outcome = against_file();
    assert_eq!(outcome.exits(0).verdicts()[ID], "accepted", "{outcome}");
    counts(&repository, "head", 1.2e4);
    assert_eq!(against_file().exits(1).verdicts()[ID], "FAIL");
    // Another base knows nothing of it.
    counts(&repository, "head", 1.05e4);
    repository.tiergate(run).script("script-base.json").run().exits(0);
    let outcome = against_file();
    assert_eq!(outcome.exits(1).verdicts()[ID], "FAIL", "{outcome}");
    assert!(outcome.stdout.contains("expired"), "{outcome}");
}
