//! Differences that make none, and changes that are there, measured under perturbations.

use crate::support::{Project, Script, bench_of, need_x86, scripted, skip};
use std::collections::BTreeMap;
use tiergate_model::{Perturbation, PerturbationKind};

/// What differs between base and head.
#[derive(Clone, Copy)]
struct Variant {
    /// The folder, whose length is part of every path.
    folder: &'static str,
    /// A key of the objects and a part of the map's keys.
    key: &'static str,
    /// Run before anything else.
    load: &'static str,
    /// Of 200 rounds in each op.
    more_rounds: u32,
}

const BASE: Variant = Variant { folder: "base", key: "displayName", load: "", more_rounds: 0 };

impl Variant {
    /// Three ops that hash strings, collect garbage and sort random numbers.
    fn source(self) -> String {
        let Self { key, load, more_rounds, .. } = self;
        let rounds = 200 + more_rounds;
        format!(
            "import {{ bench }} from 'tiergate';
             {load}
             const text = JSON.stringify({{ identifier: 7, {key}: 'user', tags: ['a', 'b'], at: {{ x: 1.5 }} }});
             bench('json', () => {{
               let sum = 0;
               for (let i = 0; i < {rounds}; i++) sum += JSON.parse(text).tags.length;
               return sum;
             }});
             const words = Array.from({{ length: 220 }}, (_, i) =>
               Array.from({{ length: 6 }}, (_, k) => `{key}-${{i}}-${{k}}`));
             bench('map', () => {{
               let sum = 0;
               for (let i = 0; i < {rounds}; i++) {{
                 const counts = new Map();
                 for (const word of words[i]) counts.set(word, (counts.get(word) ?? 0) + 1);
                 sum += counts.size;
               }}
               return sum;
             }});
             const numbers = Array.from({{ length: 8 }}, () => Math.random());
             bench('sort', () => {{
               let sum = 0;
               for (let i = 0; i < {rounds}; i++) sum += numbers.slice().sort((a, b) => a - b)[0];
               return sum;
             }});"
        )
    }

    /// Measures it under six circumstances.
    fn measure(self, project: &Project, engine: &str) -> String {
        let Self { folder, .. } = self;
        project
            .file(&format!("{folder}/tiergate.toml"), "[bench.\"*\"]\nwarmup = 60\nops = 20\n")
            .file(&format!("{folder}/a.bench.mjs"), self.source());
        let saved = format!("{folder}/result.json");
        let words = format!(
            "run {folder}/a.bench.mjs --config {folder}/tiergate.toml --engine {engine} --instrument counter \
             --repeats 3 --perturbations 6 --save {saved}"
        );
        project.tiergate(&words).run().exits(0);
        saved
    }
}

/// The verdicts of a comparison of base with each of the variants, by the variant's folder.
fn verdicts(
    engine: &str,
    variants: &[Variant],
) -> BTreeMap<&'static str, BTreeMap<String, String>> {
    let project = Project::new();
    let base = BASE.measure(&project, engine);
    variants
        .iter()
        .map(|variant| {
            let head = variant.measure(&project, engine);
            let outcome = project.tiergate(&format!("compare {base} {head} --format json")).run();
            (variant.folder, outcome.verdicts())
        })
        .collect()
}

fn all_are(verdicts: &BTreeMap<String, String>, expected: &str) -> bool {
    verdicts.len() == 3 && verdicts.values().all(|verdict| verdict == expected)
}

#[test]
fn harmless_differences_are_ok() {
    need_x86!();
    let litter = "for (let i = 0; i < 20000; i++) ({ i, text: String(i) });";
    let harmless = [
        Variant { folder: "renamed", key: "displayNome", ..BASE },
        Variant { folder: "random", load: "Math.random();", ..BASE },
        Variant { folder: "littered", load: litter, ..BASE },
        Variant { folder: "under-a-path/that-is-longer/than-the-one-of-base", ..BASE },
    ];
    for engine in ["node@22", "node@24"] {
        for (folder, verdicts) in verdicts(engine, &harmless) {
            assert!(all_are(&verdicts, "ok"), "{engine} {folder}: {verdicts:?}");
        }
    }
}

#[test]
fn more_work_is_found_whatever_else_differs() {
    need_x86!();
    let litter = "Math.random(); for (let i = 0; i < 20000; i++) ({ i, text: String(i) });";
    let slower = |folder, more_rounds| Variant { folder, more_rounds, ..BASE };
    for engine in ["node@22", "node@24"] {
        let found = verdicts(
            engine,
            &[
                slower("half-a-percent", 1),
                slower("three-percent", 6),
                slower("five-percent", 10),
                Variant { load: litter, ..slower("littered-and-five-percent", 10) },
            ],
        );
        for (folder, verdicts) in found {
            let expected = if folder == "half-a-percent" { "ok" } else { "FAIL" };
            assert!(all_are(&verdicts, expected), "{engine} {folder}: {verdicts:?}");
        }
    }
}

#[test]
fn every_engine_measures_under_perturbations() {
    need_x86!();
    for engine in ["node@26", "bun@1.4"] {
        let project = Project::new();
        let saved = BASE.measure(&project, engine);
        let file = project.result(&saved);
        let bench = bench_of(&file, "map");
        let kinds: Vec<Perturbation> =
            bench.readings.iter().skip(3).map(|reading| reading.perturbation).collect();
        let mut expected: Vec<Perturbation> = PerturbationKind::Mixed.draws(5).collect();
        let has_hash_seed = !engine.starts_with("bun");
        expected.extend(
            PerturbationKind::MOVING
                .into_iter()
                .filter(|kind| has_hash_seed || *kind != PerturbationKind::HashSeed)
                .flat_map(|kind| kind.draws(1)),
        );
        assert_eq!(kinds, expected, "{engine}");
        // Its own repeats are equal, and other circumstances show.
        let count = |at: usize| bench.readings[at].count;
        assert!(count(0) == count(1) && count(1) == count(2), "{engine}");
        assert!((3..8).any(|at| count(at) != count(0)), "{engine}");
        let median = bench.instructions_per_op.unwrap() * bench.window_ops as f64;
        assert!(
            (median - count(0) as f64).abs() < 1.0,
            "{engine}: the unperturbed readings' median"
        );
    }
}

#[test]
fn noise_tells_what_moves_a_bench() {
    need_x86!();
    let project = Project::with_budget(60, 20);
    project.file("a.bench.mjs", BASE.source());
    let outcome = project
        .tiergate("noise --engine node@24 --instrument counter --repeats 3 --format json")
        .arg("--detail")
        .arg("a.bench.mjs::map")
        .run();
    let found = outcome.exits(0).json();
    let effects = found[0]["effects"].as_array().unwrap();
    let effect = |name: &str| -> f64 {
        let effect = effects.iter().find(|effect| effect["perturbation"] == name).unwrap();
        let changes = effect["changes"].as_array().unwrap();
        changes.iter().map(|change| change.as_f64().unwrap().abs()).fold(0.0, f64::max)
    };
    assert!(effect("hash-seed") > 0.001, "{outcome}");
    assert!(effect("random-seed") < 0.01, "{outcome}");
    assert!(effect("environment") < 0.01, "{outcome}");
    let outcome =
        project.tiergate("noise --engine node@24 --instrument counter --detail a::b").run();
    outcome.refuses(64, "no bench matches");
}

#[test]
fn noise_counts_false_alarms() {
    let project = Project::new();
    Script::steady("a.mjs", &[("steady", 20_000.0), ("other", 30_000.0)]).write(&project, "s.json");
    let noise = |words: &str| {
        project.tiergate(&format!("noise a.mjs --instrument mock {words}")).script("s.json").run()
    };
    noise("--rounds 3").exits(0).prints("no false alarm in 6 comparisons");
    assert_eq!(noise("--rounds 2 --format json").exits(0).json()["rounds"], 2);
    // Readings that never repeat: what is head's in one comparison is base's in the next.
    let counts: Vec<f64> = (0..200).map(|i| 20_000.0 + 300.0 * f64::from(i % 7)).collect();
    Script::new().file("a.mjs", [scripted("noisy", &counts)]).write(&project, "s.json");
    noise("--rounds 3").exits(3).prints("false alarms in 3 comparisons").prints("INCONCLUSIVE");
    Script::new()
        .file("a.mjs", [serde_json::json!({ "name": "bad", "throws": "no" })])
        .write(&project, "s.json");
    noise("--rounds 1").exits(4).prints("no comparison");
}
