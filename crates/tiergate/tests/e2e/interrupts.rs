//! Runs that are ended early keep what they have and leave nothing behind.

use crate::support::{Project, Script, bench_of, scripted};
use nix::sys::signal::Signal;
use serde_json::json;
use tiergate_model::BenchStatus;

fn slow(name: &str, delay_ms: u64) -> serde_json::Value {
    json!({ "name": name, "counts_per_op": [1e4], "delay_ms": delay_ms })
}

fn has_measured(project: &Project, name: &str) -> bool {
    let text = std::fs::read_to_string(project.path("head.json")).unwrap_or_default();
    // Written in one step, so there is never half a file to read.
    !text.is_empty() && bench_of(&project.result("head.json"), name).status == BenchStatus::Measured
}

#[test]
fn what_is_measured_is_kept() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let project = Project::new();
        let benches = [scripted("quick", &[1e4]), slow("slow", 1_000), scripted("later", &[1e4])];
        Script::new().file("a.bench.mjs", benches).write(&project, "script.json");
        let run = "run --instrument mock --jobs 1 --repeats 60 --save head.json";
        let mut running = project.tiergate(run).script("script.json").start();
        running.wait_until("one bench was measured", |project| has_measured(project, "quick"));
        running.signal(signal);
        running.end().exits(130);
        let head = project.result("head.json");
        assert_eq!(bench_of(&head, "quick").status, BenchStatus::Measured);
        for name in ["slow", "later"] {
            let bench = bench_of(&head, name);
            assert_eq!(bench.status, BenchStatus::Incomplete);
            assert!(bench.reason.as_deref().unwrap().contains("interrupted"), "{bench:?}");
        }
        // Half a head is never ok.
        std::fs::copy(project.path("head.json"), project.path("base.json")).unwrap();
        project.tiergate("compare base.json head.json").run().exits(4);
    }
}

#[test]
fn what_is_measured_is_compared_and_exported() {
    let project = Project::new();
    let benches = |slow| [scripted("quick", &[1e4]), slow];
    let script = |slow| Script::new().file("a.bench.mjs", benches(slow));
    script(scripted("slow", &[1e4])).write(&project, "script.json");
    let run = "run --instrument mock --jobs 1 --save base.json";
    project.tiergate(run).script("script.json").run().exits(0);
    script(slow("slow", 300_000)).write(&project, "script.json");
    let run = "run --instrument mock --jobs 1 --save head.json --compare base.json";
    let exported = project.file("out.json", "older").tiergate(run).words("--export json=out.json");
    let mut running = exported.script("script.json").start();
    running.wait_until("one bench was measured", |project| has_measured(project, "quick"));
    running.signal(Signal::SIGINT);
    running.end().exits(130).prints("1 INCOMPLETE, 1 ok");
    let document: serde_json::Value = serde_json::from_str(&project.read("out.json")).unwrap();
    assert_eq!(document["summary"]["incomplete"], 1, "{document}");
}

#[test]
fn a_second_signal_ends_the_run_at_once() {
    let project = Project::new();
    let benches = [scripted("quick", &[1e4]), slow("slow", 300_000)];
    Script::new().file("a.bench.mjs", benches).write(&project, "script.json");
    let run = project.tiergate("run --instrument mock --jobs 1 --save head.json");
    let mut running = run.script("script.json").start();
    running.wait_until("one bench was measured", |project| has_measured(project, "quick"));
    running.signal(Signal::SIGINT);
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal(Signal::SIGINT);
    running.end().exits(130);
    assert!(has_measured(&project, "quick"));
}

#[test]
fn a_file_kept_by_its_name_is_replaced_whole_or_not_at_all() {
    let project = Project::new();
    Script::new().file("a.bench.mjs", [slow("slow", 300_000)]).write(&project, "script.json");
    let run = project.tiergate("run --instrument mock --save head.json");
    let mut running = run.script("script.json").start();
    running.wait_until("the file is there", |project| project.has("head.json"));
    running.signal(Signal::SIGKILL);
    assert_eq!(running.end().code, None);
    let head = project.result("head.json");
    assert_eq!(bench_of(&head, "slow").status, BenchStatus::Incomplete);
}
