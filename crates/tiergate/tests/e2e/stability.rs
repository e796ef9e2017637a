//! Suites compared with themselves.

use crate::support::{ENGINES, Project, Script, need_x86, scripted, skip};

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

const MAP: &str = "
import { bench } from 'tiergate';
const keys = Array.from({ length: 200 }, (_, i) => `key-${i * 7919}`);
bench('map', () => {
  const map = new Map();
  for (const key of keys) map.set(key, key.length);
  let sum = 0;
  for (const key of keys) sum += map.get(key);
  return sum;
});
";

#[test]
fn every_cause_that_an_engine_has_is_shown_with_its_effect() {
    need_x86!();
    for engine in ENGINES {
        let project = Project::with_budget(400, 100);
        project.file("a.bench.mjs", MAP);
        let words = format!("noise --detail *::map --repeats 3 --format json --engine {engine}");
        let outcome = project.tiergate(&words).run();
        let details = outcome.exits(0).json();
        let effects = details[0]["effects"].as_array().unwrap();
        let mut names: Vec<&str> =
            effects.iter().map(|effect| effect["perturbation"].as_str().unwrap()).collect();
        names.sort_unstable();
        // Only root may always mount.
        names.retain(|name| *name != "path");
        let mut expected = vec!["addresses", "environment", "heap-phase", "random-seed", "warm-up"];
        let has_hash_seed = engine.starts_with("node");
        if has_hash_seed {
            expected.insert(2, "hash-seed");
        }
        assert_eq!(names, expected, "{engine}");
        for effect in effects {
            assert_eq!(effect["changes"].as_array().unwrap().len(), 4, "{engine} {effect}");
            let moves = effect["changes"].as_array().unwrap().iter().any(|draw| *draw != 0.0);
            // Other keys collide under other seeds: without any change the seed has not arrived.
            assert!(moves || effect["perturbation"] != "hash-seed", "{engine} {effect}");
        }
        if has_hash_seed {
            project.tiergate("noise --detail nobody::map").run().exits(64).says("no bench matches");
        }
    }
}
