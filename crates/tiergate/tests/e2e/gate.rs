//! Gates on real repositories with a real engine: base and head from git, judged.

use crate::support::{Outcome, Repository, need_x86, skip};

const WORK: &str = "bench/lib.bench.mjs::work";
const TWIN: &str = "bench/lib.bench.mjs::twin";

fn gate(repository: &Repository, words: &str) -> Outcome {
    let state = repository.state();
    let line = format!("gate --instrument counter --format json {words}");
    let outcome = repository.tiergate(&line).run();
    assert_eq!(repository.state(), state, "the gate changed the repository\n{outcome}");
    outcome
}

#[track_caller]
fn reason(outcome: &Outcome, id: &str) -> String {
    let document = outcome.json();
    let rows = document["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{outcome}"));
    row["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_planted_regression_fails_and_a_small_change_does_not() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    for (steps, verdict, code) in [(1_050, "FAIL", 1), (1_005, "ok", 0), (900, "improved", 0)] {
        repository.library(steps);
        let outcome = gate(&repository, "--base main");
        let verdicts = outcome.exits(code).verdicts();
        assert_eq!(verdicts[WORK], verdict, "{outcome}");
        assert_eq!(verdicts[TWIN], "ok", "{outcome}");
    }
}

#[test]
fn the_base_is_where_the_branch_began() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.git("checkout --quiet -b change").library(1_050).commit("slower");
    // What main has gained meanwhile is not the branch's doing.
    repository.git("checkout --quiet main").library(500).commit("faster");
    repository.git("checkout --quiet change");
    let outcome = gate(&repository, "--base main --head change");
    outcome.exits(1).says("the last common commit with main");
    assert_eq!(outcome.verdicts()[WORK], "FAIL");
}

#[test]
fn a_change_of_the_readme_only_is_ok_measured_or_not() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.file("README.md", "# Other words\n");
    let outcome = gate(&repository, "--base main");
    outcome.exits(0);
    assert!(reason(&outcome, WORK).contains("nothing that the bench loads differs"), "{outcome}");
    assert!(outcome.json()["notes"].to_string().contains("not measured"), "{outcome}");

    let outcome = gate(&repository, "--base main --no-build-hash");
    outcome.exits(0);
    assert_eq!(outcome.verdicts()[WORK], "ok");
    let change = outcome.json()["rows"][0]["change"].as_f64().unwrap();
    assert!(change.abs() < 0.001, "{outcome}");
}

#[test]
fn a_bench_that_reads_what_has_changed_is_measured() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.file("src/data.txt", "one two three\n".repeat(50));
    repository.file(
        "bench/data.bench.mjs",
        "import { bench } from 'tiergate';\nimport fs from 'node:fs';\n\
         let text;\n\
         bench('words', () => text.split(' ').length, {\n\
           setup: () => { text = fs.readFileSync('src/data.txt', 'utf8'); },\n\
         });\n\
         bench('readme', () => fs.existsSync('none') || 1);\n",
    );
    repository.commit("data").git("checkout --quiet -b change");
    repository.file("src/data.txt", "one two three\n".repeat(80));
    let outcome = gate(&repository, "--base main");
    let verdicts = outcome.exits(1).verdicts();
    assert_eq!(verdicts["bench/data.bench.mjs::words"], "FAIL", "{outcome}");
    assert!(reason(&outcome, WORK).starts_with("unchanged"), "{outcome}");
    // By another path it is the same file.
    repository.git("checkout --quiet -- src").git("checkout --quiet main");
    std::os::unix::fs::symlink("src", repository.path("link")).unwrap();
    let bench = std::fs::read_to_string(repository.path("bench/data.bench.mjs")).unwrap();
    repository.file("bench/data.bench.mjs", bench.replace("src/data.txt", "link/data.txt"));
    repository.commit("link").file("src/data.txt", "one two three\n".repeat(80));
    let verdicts = gate(&repository, "--base main").exits(1).verdicts();
    assert_eq!(verdicts["bench/data.bench.mjs::words"], "FAIL");
    // A file that is only looked for.
    repository.git("checkout --quiet -- src").file("switch.json", "{}");
    let outcome = gate(&repository, "--base main");
    assert!(outcome.exits(0).json()["notes"].to_string().contains("switch.json"), "{outcome}");
    assert_eq!(reason(&outcome, WORK), "", "{outcome}");
}

#[test]
fn both_sides_are_measured_with_heads_bench_files() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    // A harder bench of the same code is no regression.
    repository.file(
        "bench/lib.bench.mjs",
        "import { bench } from 'tiergate';\nimport { twin, work } from '../src/lib.mjs';\n\
         bench('work', () => work() + work());\nbench('twin', twin);\n",
    );
    let outcome = gate(&repository, "--base main --no-build-hash");
    assert_eq!(outcome.exits(0).verdicts()[WORK], "ok", "{outcome}");
    assert!(outcome.json()["notes"].to_string().contains("head's bench files"), "{outcome}");

    let outcome = gate(&repository, "--base main --bench-from own");
    assert_eq!(outcome.exits(1).verdicts()[WORK], "FAIL", "{outcome}");
}

#[test]
fn benches_of_one_side_are_added_or_removed() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    let with = |benches: &str| {
        let imports = "import { bench } from 'tiergate';\nimport * as lib from '../src/lib.mjs';\n";
        repository.file("bench/lib.bench.mjs", format!("{imports}{benches}"));
    };
    with("bench('work', lib.work);\nbench('new', lib.twin);\n");
    let outcome = gate(&repository, "--base main");
    let verdicts = outcome.exits(4).verdicts();
    assert_eq!(verdicts[TWIN], "INCOMPLETE", "{outcome}");
    assert_eq!(verdicts["bench/lib.bench.mjs::new"], "added", "{outcome}");
    let outcome = gate(&repository, "--base main --allow-removed");
    assert_eq!(outcome.exits(0).verdicts()[TWIN], "removed", "{outcome}");

    repository.git("checkout --quiet -- bench").file(
        "bench/other.bench.mjs",
        "import { bench } from 'tiergate';\nbench('other', () => [1, 2].map(String).join());\n",
    );
    repository.commit("other").git("rm --quiet bench/lib.bench.mjs");
    let outcome = gate(&repository, "--base main");
    assert_eq!(outcome.exits(4).verdicts()[WORK], "INCOMPLETE", "{outcome}");
}

#[test]
fn a_bench_file_that_needs_new_code_leaves_base_with_its_own() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    let library = std::fs::read_to_string(repository.path("src/lib.mjs")).unwrap();
    repository.file("src/lib.mjs", format!("{library}export const extra = () => mix(300);\n"));
    repository.file(
        "bench/lib.bench.mjs",
        "import { bench } from 'tiergate';\nimport { extra, twin, work } from '../src/lib.mjs';\n\
         bench('work', work);\nbench('twin', twin);\nbench('extra', extra);\n",
    );
    let outcome = gate(&repository, "--base main");
    let verdicts = outcome.exits(0).verdicts();
    assert_eq!(verdicts[WORK], "ok", "{outcome}");
    assert_eq!(verdicts["bench/lib.bench.mjs::extra"], "added", "{outcome}");
    assert!(outcome.json()["notes"].to_string().contains("its own bench file"), "{outcome}");
}

#[test]
fn a_throwing_bench_is_incomplete_and_does_not_hide_the_others() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    let library = std::fs::read_to_string(repository.path("src/lib.mjs")).unwrap();
    let broken =
        library.replace("twin = () => mix(1000)", "twin = () => { throw new Error('boom') }");
    repository.file("src/lib.mjs", broken.replace("mix(1000)", "mix(1050)"));
    let outcome = gate(&repository, "--base main");
    let verdicts = outcome.exits(4).verdicts();
    assert_eq!(verdicts[TWIN], "INCOMPLETE", "{outcome}");
    assert_eq!(verdicts[WORK], "FAIL", "{outcome}");
    assert!(reason(&outcome, TWIN).contains("boom"), "{outcome}");
}

#[test]
fn a_process_that_crashes_is_started_again_and_not_for_ever() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.file("README.md", "# Other words\n");
    let crashing = |limit: u32| {
        let marker = repository.path(&format!("saved-{limit}"));
        repository.file(
            "bench/lib.bench.mjs",
            format!(
                "import {{ bench }} from 'tiergate';\nimport fs from 'node:fs';\n\
                 import {{ work }} from '../src/lib.mjs';\n\
                 bench('work', work, {{ setup: () => {{\n\
                   fs.appendFileSync('{}', 'x');\n\
                   if (fs.statSync('{}').size <= {limit}) process.kill(process.pid, 'SIGKILL');\n\
                 }} }});\n",
                marker.display(),
                marker.display()
            ),
        );
        let line = "gate --base main --no-build-hash --allow-removed --format json --jobs 1";
        repository.tiergate(&format!("{line} --instrument counter")).run()
    };
    let outcome = crashing(1);
    assert_eq!(outcome.exits(0).verdicts()[WORK], "ok", "{outcome}");
    assert!(outcome.stdout.contains("was started again once"), "{outcome}");
    let outcome = crashing(1_000);
    assert_eq!(outcome.exits(4).verdicts()[WORK], "INCOMPLETE", "{outcome}");
    assert!(outcome.stdout.contains("was started again 2 times"), "{outcome}");
    assert!(reason(&outcome, WORK).contains("SIGKILL"), "{outcome}");
}

#[test]
fn every_report_can_be_had_of_a_gate() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.file("README.md", "# Other words\n");
    for words in ["", "--no-build-hash"] {
        let kinds = ["markdown", "json", "junit", "html"];
        let exports: Vec<String> =
            kinds.iter().map(|kind| format!("--export {kind}=saved.{kind}")).collect();
        let line = format!("gate --instrument counter --base main {words} {}", exports.join(" "));
        repository.tiergate(&line).run().exits(0).prints("2 ok");
        for kind in kinds {
            let text = repository.project().read(&format!("saved.{kind}"));
            assert!(text.contains("twin"), "{kind}: {text}");
        }
    }
}

#[test]
fn another_engine_is_compared_on_purpose_and_said_to_be_one() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    let outcome = gate(&repository, "--base-engine node@22 --head-engine node@24");
    let document = outcome.json();
    assert_eq!(document["differences"], serde_json::json!([]), "{outcome}");
    assert!(document["notes"].to_string().contains("the engine changes"), "{outcome}");
    assert!(document["base"]["engine"].as_str().unwrap().contains("22."), "{outcome}");
    assert!(document["rows"][0]["change"].is_number(), "{outcome}");
    gate(&repository, "--base-engine node@22").exits(64).says("--head-engine");
}
