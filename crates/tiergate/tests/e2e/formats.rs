//! What is printed where, and the choice of benches.

use crate::support::{Outcome, Project, Script, scripted};
use serde_json::{Value, json};

fn project() -> Project {
    let project = Project::new();
    let parse = [scripted("short", &[1e4]), scripted("long", &[3e4])];
    let script = Script::new()
        .file("bench/parse.bench.mjs", parse)
        .file("bench/print.bench.mjs", [scripted("a|b *c* <d>", &[2e4])]);
    script.write(&project, "script.json");
    project
}

fn run(project: &Project, words: &str) -> Outcome {
    project.tiergate("run --instrument mock").words(words).script("script.json").run()
}

fn list(project: &Project, words: &str) -> Outcome {
    project.tiergate("list --format json").words(words).script("script.json").run()
}

#[test]
fn results_are_on_standard_output_and_all_else_is_not() {
    let project = project();
    let outcome = run(&project, "--format json --save head.json");
    let printed = outcome.exits(0).json();
    let saved: Value = serde_json::from_str(&project.read("head.json")).unwrap();
    assert_eq!(printed, saved);
    assert!(outcome.stderr.contains("tiergate.lock"), "{outcome}");
}

#[test]
fn every_bench_is_in_every_format() {
    let project = project();
    run(&project, "--save base.json").exits(0);
    for format in ["human", "json", "markdown"] {
        for words in ["run --instrument mock", "compare base.json head.json", "list"] {
            run(&project, "--save head.json").exits(0);
            let outcome = project.tiergate(words).words("--format").arg(format);
            let outcome = outcome.script("script.json").run();
            outcome.exits(0).prints("short").prints("long");
        }
    }
}

#[test]
fn names_can_not_break_a_markdown_table() {
    let project = project();
    let outcome = run(&project, "--format markdown");
    let row = outcome.stdout.lines().find(|line| line.contains("*c*") || line.contains("\\*c"));
    let row = row.unwrap_or_else(|| panic!("{outcome}"));
    let head = outcome.stdout.lines().find(|line| line.starts_with('|')).unwrap();
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(columns(row), columns(head), "{outcome}");
}

#[test]
fn exports_hold_what_the_formats_print() {
    let project = project();
    let exports = "--export json=out.json --export markdown=out.md";
    let outcome = run(&project, &format!("--format json {exports}"));
    assert_eq!(outcome.exits(0).stdout, project.read("out.json"));
    let outcome = run(&project, &format!("--format markdown {exports}"));
    assert_eq!(outcome.exits(0).stdout, project.read("out.md"));
    run(&project, "--save base.json").exits(0);
    let outcome = run(&project, &format!("--compare base.json --format json {exports}"));
    assert_eq!(outcome.exits(0).stdout, project.read("out.json"));
    assert_eq!(outcome.json()["summary"]["ok"], 3);
}

#[test]
fn every_kind_is_exported_from_a_run_and_a_comparison() {
    let project = project();
    run(&project, "--save base.json").exits(0);
    let exports = "--export junit=out.xml --export html=out.html";
    for words in [format!("--save head.json {exports}"), format!("--compare base.json {exports}")] {
        run(&project, &words).exits(0);
        let (junit, page) = (project.read("out.xml"), project.read("out.html"));
        assert_eq!(junit.matches("<testcase ").count(), 3, "{junit}");
        assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
        assert!(page.contains("a|b *c* &lt;d&gt;") && !page.contains("<d>"), "{page}");
    }
    let compare = project.tiergate("compare base.json head.json --suite core --export junit=-");
    let printed = compare.run().exits(0).stdout.clone();
    assert!(
        printed.starts_with("<?xml") && printed.contains("name=\"tiergate core\""),
        "{printed}"
    );
}

#[test]
fn an_export_that_can_not_be_made_is_refused_before_anything_runs() {
    let project = project();
    for (export, said) in [
        ("--export pdf=x", "no kind `pdf`"),
        ("--export markdown", "names no file"),
        ("--export json=no/such/folder/x", "can't write"),
        ("--export json=- --export markdown=-", "standard output"),
        ("--export json=- --format markdown", "standard output"),
        ("--export json=x --export markdown=x", "two exports"),
        ("--export github", "GITHUB_STEP_SUMMARY"),
    ] {
        run(&project, export).refuses(64, said);
        assert!(!project.has("tiergate.lock"), "{export}");
    }
    let outcome = run(&project, "--suite a--b");
    assert!(outcome.exits(64).stderr.contains("a suite's name has"), "{outcome}");
}

#[test]
fn a_job_of_github_actions_gets_summary_and_annotations() {
    let project = Project::new();
    for (name, count) in [("base", 1e4), ("head", 1.05e4)] {
        Script::steady("bench/a.bench.mjs", &[("x, y: 1%", count)]).write(&project, "script.json");
        run(&project, &format!("--save {name}.json")).exits(0);
    }
    project.file("core/tiergate.toml", "").file("summary.md", "# before\n");
    let compare = |words: &str| {
        let command = project.tiergate("compare base.json head.json --export github").words(words);
        let command = command.env("GITHUB_ACTIONS", "true");
        let command = command.env("GITHUB_STEP_SUMMARY", project.path("summary.md"));
        command.env("GITHUB_WORKSPACE", project.path("")).run()
    };
    let annotation = "::error file=bench/a.bench.mjs,title=FAIL +5.00 %25%3A x%2C y%3A 1%25::";
    let outcome = compare("");
    let line = outcome.exits(1).stdout.lines().find(|line| line.starts_with("::"));
    assert!(line.unwrap().starts_with(annotation), "{outcome}");
    let summary = project.read("summary.md");
    assert!(summary.starts_with("# before\n\n<!-- tiergate -->\n"), "{summary}");
    let outcome = compare("--config core/tiergate.toml --format json");
    outcome.exits(1).json();
    assert!(outcome.stderr.contains("::error file=core/bench/a.bench.mjs,"), "{outcome}");
    assert_eq!(project.read("summary.md").matches("<!-- tiergate -->").count(), 2);
}

#[test]
fn colours_are_for_terminals() {
    let project = project();
    let plain = run(&project, "");
    assert!(!plain.stdout.contains('\x1b') && !plain.stderr.contains('\x1b'), "{plain}");
    let coloured = run(&project, "--color always");
    assert!(coloured.stdout.contains('\x1b'), "{coloured}");
    let command = project.tiergate("run --instrument mock").script("script.json");
    let never = command.env("CLICOLOR_FORCE", "1").arg("--color=never").run();
    assert!(!never.stdout.contains('\x1b'), "{never}");
    let command = project.tiergate("run --instrument mock").script("script.json");
    let no_color = command.env("NO_COLOR", "1").run();
    assert!(!no_color.stdout.contains('\x1b'), "{no_color}");
}

#[test]
fn a_filter_chooses_by_the_whole_id() {
    let project = project();
    let short = "bench/parse.bench.mjs::short";
    let long = "bench/parse.bench.mjs::long";
    assert_eq!(list(&project, "").listed().len(), 3);
    assert_eq!(list(&project, "--filter *parse*").listed(), [short, long]);
    assert_eq!(list(&project, "--filter *::s* --filter *long").listed(), [short, long]);
    assert_eq!(list(&project, "--filter *::?ong").listed(), [long]);
    list(&project, "--filter short").refuses(64, "filter");
    let exact = project.tiergate("list --format json --exact --filter").arg(short);
    assert_eq!(exact.script("script.json").run().listed(), [short]);
    list(&project, "--exact --filter *short").refuses(64, "filter");
    run(&project, "--filter *short --save head.json").exits(0);
    assert_eq!(project.result("head.json").benches.len(), 1);
}

#[test]
fn a_filter_takes_signs_of_globs_literally_when_exact() {
    let project = project();
    let exact = project.tiergate("list --format json --exact --filter");
    let exact = exact.arg("bench/print.bench.mjs::a|b *c* <d>").script("script.json").run();
    assert_eq!(exact.listed(), ["bench/print.bench.mjs::a|b *c* <d>"]);
}

#[test]
fn paths_choose_files_and_folders() {
    let project = project();
    assert_eq!(list(&project, "bench/parse.bench.mjs").listed().len(), 2);
    assert_eq!(list(&project, "bench").listed().len(), 3);
    assert_eq!(list(&project, "bench bench/parse.bench.mjs").listed().len(), 3);
    project.file("node_modules/x/x.bench.mjs", "").file("bench/other.mjs", "");
    assert_eq!(list(&project, "").listed().len(), 3);
    project.file("tiergate.toml", "files = [\"bench/par*.mjs\"]\n");
    assert_eq!(list(&project, "").listed().len(), 2);
}

#[test]
fn ids_are_relative_to_the_root_wherever_it_is_run_from() {
    let project = project();
    project.file("tiergate.toml", "");
    let below = project.path("bench");
    let outcome = project.tiergate("list --format json --filter *short").script("script.json");
    let outcome = outcome.prepare(|command| {
        command.current_dir(below);
    });
    assert_eq!(outcome.run().listed(), ["bench/parse.bench.mjs::short"]);
}

#[test]
fn the_schema_describes_the_result_file() {
    let project = project();
    run(&project, "--save head.json").exits(0);
    let schema = project.tiergate("schema").run().json();
    let head: Value = serde_json::from_str(&project.read("head.json")).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    for key in head.as_object().unwrap().keys() {
        assert!(properties.contains_key(key), "`{key}` is not in the schema");
    }
    assert_eq!(head["schema_version"], json!(1));
}

#[test]
fn shells_get_completions() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish"] {
        let outcome = project.tiergate("completions").arg(shell).run();
        outcome.exits(0).prints("tiergate").prints("save-baseline");
    }
    for words in ["run --help", "compare --help"] {
        project.tiergate(words).run().prints("Examples:");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = project();
    let outcome = project.tiergate("run --instrument mock --format json").script("script.json");
    let outcome = outcome.prepare(|command| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        command.stdout(writer);
    });
    let mut child = outcome.spawn_as_it_is();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
