//! Wrong questions: one line that names the thing, a hint, and the documented exit code.

use crate::support::{Outcome, Project, Script};
use std::fs;

const FILE: &str = "a.bench.mjs";

fn project() -> Project {
    let project = Project::new();
    Script::steady(FILE, &[("work", 1e4)]).write(&project, "script.json");
    project
}

fn run(project: &Project, words: &str) -> Outcome {
    project.tiergate("run --instrument mock").words(words).script("script.json").run()
}

#[test]
fn an_unknown_key_of_the_configuration_is_named() {
    let project = project();
    for (text, key) in [
        ("repeat = 3\n", "repeat"),
        ("[limits]\nfails = \"2%\"\n", "limits.fails"),
        ("[environment]\nvariables = []\n", "environment.variables"),
        ("[bench.\"*\"]\nopps = 3\n", "opps"),
        ("[benches]\n", "benches"),
    ] {
        project.file("tiergate.toml", text);
        run(&project, "").refuses(64, key).says("tiergate.toml");
        project.tiergate("list").script("script.json").run().refuses(64, key);
    }
    project.file("tiergate.toml", "repeat = 3\n");
    run(&project, "").says("did you mean `repeats`?");
    project.file("tiergate.toml", "repeats = 3\n");
    run(&project, "").exits(0);
}

#[test]
fn a_broken_configuration_is_named_with_its_line() {
    let project = project();
    for text in
        ["repeats = 3\nengine = 5\n", "repeats = 3\n[limits\n", "\n[limits]\nfail = \"2\"\n"]
    {
        project.file("tiergate.toml", text);
        let outcome = run(&project, "");
        let line = if text.starts_with('\n') { "line 3" } else { "line 2" };
        outcome.exits(64).says("tiergate.toml").says(line);
    }
    run(&project, "--config nothing.toml").exits(64).says("nothing.toml");
}

#[test]
fn engines_that_are_not_there_are_named() {
    let project = project();
    for (engine, named) in [
        ("nodejs", "nodejs"),
        ("node@9", "node@9"),
        ("node@24.99", "node@24.99"),
        ("./no-such-engine", "no-such-engine"),
        (FILE, FILE),
        ("", "engine"),
    ] {
        let outcome = project.tiergate("run --instrument wall --engine").arg(engine).run();
        outcome.refuses(64, named);
        let outcome = project.tiergate("list --engine").arg(engine).run();
        outcome.refuses(64, named);
    }
}

#[test]
fn paths_that_are_not_there_are_named() {
    let project = project();
    run(&project, "nothing.bench.mjs").refuses(64, "nothing.bench.mjs");
    run(&project, "a.bench.mjs nothing").refuses(64, "nothing");
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("b.bench.mjs"), "").unwrap();
    let outcome = project.tiergate("run --instrument mock --config tiergate.toml");
    project.file("tiergate.toml", "");
    outcome.arg(outside.path()).script("script.json").run().refuses(64, "outside");
}

#[test]
fn nothing_to_measure_is_an_error_unless_it_is_allowed() {
    let empty = Project::new();
    for command in ["run --instrument wall", "list"] {
        empty.tiergate(command).run().refuses(64, "no bench files found");
        empty.tiergate(command).arg("--engine=node@24").arg("--allow-empty").run().exits(0);
    }
    let project = project();
    run(&project, "--filter nothing*").refuses(64, "filter");
    run(&project, "--filter nothing* --allow-empty").exits(0);
}

#[test]
fn a_file_without_benches_is_incomplete_and_named() {
    let project = project();
    let script = Script::steady(FILE, &[("work", 1e4)]).file("b.bench.mjs", []);
    script.write(&project, "script.json");
    let outcome = run(&project, "--save head.json");
    outcome.exits(4).says("b.bench.mjs").says("no benchmark found").says("hint: ");
    let head = project.result("head.json");
    let ids: Vec<&str> = head.benches.iter().map(|bench| bench.id.as_str()).collect();
    assert_eq!(ids, ["b.bench.mjs", "a.bench.mjs::work"]);
    let outcome = project.tiergate("list").script("script.json").run();
    outcome.exits(4).says("b.bench.mjs").prints("a.bench.mjs::work");
}

#[test]
fn a_file_that_throws_while_loading_is_incomplete_and_named() {
    let project = project();
    let script = Script::steady(FILE, &[("work", 1e4)]).throwing_file("b.bench.mjs", "no database");
    script.write(&project, "script.json");
    run(&project, "").exits(4).says("b.bench.mjs").says("no database");
    let outcome = project.tiergate("list").script("script.json").run();
    outcome.exits(4).says("b.bench.mjs").says("no database").prints("a.bench.mjs::work");
}

#[test]
fn numbers_that_can_not_be_meant_are_refused() {
    let project = project();
    for (words, named) in [
        ("--repeats 2", "2 repeats"),
        ("--repeats 0", "0 repeats"),
        ("--fail 3", "`3`"),
        ("--fail=-3%", "-3%"),
        ("--fail nan%", "nan%"),
        ("--fail 1% --warn 2%", "warnings"),
        ("--export xml=a.xml", "xml"),
        ("--export json=", "json="),
        ("--export json=missing/a.json", "missing/a.json"),
    ] {
        run(&project, words).exits(64).says(named);
    }
    assert!(!project.has("tiergate.lock"), "something was measured");
}

#[test]
fn instruments_that_are_not_there_are_named() {
    let project = project();
    project.tiergate("run --instrument sundial").run().refuses(64, "sundial");
    project.tiergate("run --instrument mock").run().exits(64).says("TIERGATE_MOCK");
    project.file("script.json", "{\"files\": {}, \"typo\": 1}");
    run(&project, "").exits(64).says("script.json");
}

#[test]
fn wrong_command_lines_have_the_documented_exit_code() {
    let project = project();
    for words in ["", "--bogus", "run --bogus", "run --repeats many", "compare one.json", "gate"] {
        let outcome = project.tiergate(words).run();
        outcome.exits(64);
        assert!(outcome.stdout.is_empty() && !outcome.stderr.is_empty(), "{outcome}");
    }
    for words in ["--version", "--help", "run --help", "help compare"] {
        let outcome = project.tiergate(words).run();
        outcome.exits(0);
        assert!(outcome.stderr.is_empty() && !outcome.stdout.is_empty(), "{outcome}");
    }
}
