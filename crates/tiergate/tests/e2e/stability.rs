//! Suites compared with themselves.

use crate::support::{Project, Script, scripted};

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
