//! What a gate and a comparison refuse to compare, and what they never pass without a word.

use crate::support::{Outcome, Project, Repository, Script, need_x86, skip};
use serde_json::Value;

const FILE: &str = "a.bench.mjs";

/// A repository whose benches are scripted.
fn scripted() -> Repository {
    let project = Project::new();
    Script::steady(FILE, &[("work", 1e4)]).write(&project, "script.json");
    let repository = Repository::of(project);
    repository.tiergate("run --instrument mock --save saved-base.json").script("script.json").run();
    repository
}

/// The fields that differ, as the reason for which no bench is compared.
fn refused(outcome: &Outcome) -> Vec<String> {
    let document = outcome.exits(2).json();
    assert_eq!(document["rows"], serde_json::json!([]), "{outcome}");
    let differences = document["differences"].as_array().unwrap();
    differences.iter().map(|one| one["field"].as_str().unwrap().to_owned()).collect()
}

/// The places of all values below one, with `.` between the names.
fn leaves(value: &Value, name: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                leaves(value, &name, found);
            }
        }
        _ => found.push(name.to_owned()),
    }
}

/// Another value of the same kind.
fn another(field: &str, value: &Value) -> Value {
    match (field, value) {
        ("engine.name", _) => "bun".into(),
        // Counts of another instrument of the same unit.
        ("instrument.name", _) => "perf".into(),
        (_, Value::Bool(flag)) => (!flag).into(),
        (_, Value::Array(_)) => serde_json::json!(["--other"]),
        (_, Value::String(text)) => format!("{text}-other").into(),
        (field, value) => panic!("`{field}` is {value}: say what another one is"),
    }
}

#[test]
fn every_field_of_the_fingerprint_is_compared() {
    let repository = scripted();
    let saved: Value = serde_json::from_str(&repository.project().read("saved-base.json")).unwrap();
    let mut fields = Vec::new();
    leaves(&saved["fingerprint"], "", &mut fields);
    assert!(fields.len() >= 14, "{fields:?}");
    let gate = "gate --instrument mock --base-file saved-other.json --format json";
    for field in fields {
        let mut other = saved.clone();
        let pointer = format!("/fingerprint/{}", field.replace('.', "/"));
        let place = other.pointer_mut(&pointer).unwrap();
        *place = another(&field, place);
        repository.file("saved-other.json", other.to_string());
        let compared =
            repository.tiergate("compare saved-other.json saved-base.json --format json");
        let outcomes = [compared.run(), repository.tiergate(gate).script("script.json").run()];
        for outcome in outcomes {
            if field == "kernel" {
                // It runs in no window of an instrument that counts.
                assert_eq!(outcome.exits(0).verdicts()[&format!("{FILE}::work")], "ok");
            } else {
                assert_eq!(refused(&outcome), [field.as_str()], "{outcome}");
            }
        }
    }
}

#[test]
fn another_kernel_matters_to_the_clock() {
    let repository = scripted();
    let saved = |name: &str, kernel: &str| {
        let text = repository.project().read("saved-base.json");
        let mut file: Value = serde_json::from_str(&text).unwrap();
        file["fingerprint"]["instrument"]["name"] = "wall".into();
        file["fingerprint"]["kernel"] = kernel.into();
        repository.file(name, file.to_string());
    };
    saved("saved-one.json", "6.1.0");
    saved("saved-two.json", "6.2.0");
    let outcome = repository.tiergate("compare saved-one.json saved-two.json --format json").run();
    assert_eq!(refused(&outcome), ["kernel"], "{outcome}");
}

/// The C library picks its routines by what it is told of the processor.
#[test]
fn a_gate_tells_another_environment_from_a_regression() {
    need_x86!();
    let repository = Repository::of(Project::with_budget(3_000, 500));
    repository.file(
        "bench/copy.bench.mjs",
        "import { bench } from 'tiergate';\nconst from = Buffer.alloc(4096, 7);\n\
         const to = Buffer.alloc(4096);\n\
         bench('copy', () => { from.copy(to); return from.equals(to); });\n",
    );
    repository.commit("copy");
    let with = |line: &str, tunables: &str| {
        repository.tiergate(line).env("GLIBC_TUNABLES", tunables).run()
    };
    let run = "run --instrument counter --repeats 3 --save saved-base.json";
    with(run, "glibc.cpu.hwcaps=").exits(0);
    let gate = "gate --instrument counter --base-file saved-base.json --format json";
    with(gate, "glibc.cpu.hwcaps=").exits(0);
    let outcome = with(gate, "glibc.cpu.hwcaps=-AVX2,-AVX512F,-ERMS");
    assert!(refused(&outcome).contains(&"cpu.features_hash".to_owned()), "{outcome}");
}

#[test]
fn a_gate_names_a_flag_that_the_engine_no_longer_has() {
    need_x86!();
    let repository = Repository::with_library(1_000);
    repository.file("README.md", "# Other words\n");
    let gate = |engine: &str| {
        let line = "gate --base main --no-build-hash --instrument counter --format json";
        repository
            .tiergate(&format!("{line} --engine {engine} --engine-arg=--always-turbofan"))
            .run()
    };
    gate("node@24").exits(0);
    gate("node@26").refuses(4, "--always-turbofan").says("node 26");
}

#[test]
fn a_gate_drops_no_bench_that_goes_by_another_name() {
    let project = Project::new();
    let old = [("parse", 1e4), ("print", 3e4), ("sort", 5e4)];
    Script::steady("bench/old.bench.mjs", &old).write(&project, "script-base.json");
    let repository = Repository::of(project);
    let gate = |head: Script, words: &str| {
        head.write(repository.project(), "script-head.json");
        let line =
            format!("gate --instrument mock --base main --format json --no-build-hash {words}");
        let base = repository.path("script-base.json");
        repository.tiergate(&line).script("script-head.json").env("TIERGATE_MOCK_BASE", base).run()
    };
    let id = |file: &str, name: &str| format!("bench/{file}.bench.mjs::{name}");

    let deleted = gate(Script::steady("bench/old.bench.mjs", &old[..2]), "");
    let verdicts = deleted.exits(4).verdicts();
    assert_eq!(verdicts[&id("old", "sort")], "INCOMPLETE", "{deleted}");
    assert_eq!(verdicts[&id("old", "parse")], "ok");

    let swapped = [("parse", 3e4), ("print", 1e4), ("sort", 5e4)];
    let swapped = gate(Script::steady("bench/old.bench.mjs", &swapped), "");
    assert!(swapped.exits(1).stdout.contains("swap"), "{swapped}");

    repository.git("mv bench/old.bench.mjs bench/new.bench.mjs");
    let renamed = || Script::steady("bench/new.bench.mjs", &old);
    let outcome = gate(renamed(), "");
    let document = outcome.exits(4).json();
    let renames = document["probable_renames"].as_array().unwrap();
    assert_eq!(renames.len(), old.len(), "{outcome}");
    for (name, _) in old {
        assert_eq!(outcome.verdicts()[&id("old", name)], "INCOMPLETE", "{outcome}");
        assert_eq!(outcome.verdicts()[&id("new", name)], "added", "{outcome}");
    }
    gate(renamed(), "--allow-removed").exits(0);
}
