//! What must be equal for two measurements to be comparable, and flags that come and go.

use crate::support::Project;

fn project() -> Project {
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    project
}

/// Wide limits: the clock is not what is tested here.
const WIDE: &str = "compare base.json head.json --fail 1000% --warn 1000% --improved 1000%";
const RUN: &str = "run --instrument wall --repeats 3 --engine node@24 --save";

#[test]
fn the_same_environment_is_comparable() {
    let project = project();
    for name in ["base.json", "head.json"] {
        project
            .tiergate(RUN)
            .arg(name)
            .env("GLIBC_TUNABLES", "glibc.malloc.check=0")
            .run()
            .exits(0);
    }
    project.tiergate(WIDE).run().exits(0);
}

#[test]
fn another_choice_of_routines_is_not_comparable() {
    let project = project();
    let less = "glibc.cpu.hwcaps=-AVX2,-AVX512F,-ERMS";
    for (name, tunables) in [("base.json", "glibc.cpu.hwcaps="), ("head.json", less)] {
        project.tiergate(RUN).arg(name).env("GLIBC_TUNABLES", tunables).run().exits(0);
    }
    let outcome = project.tiergate(WIDE).arg("--format=json").run();
    let document = outcome.exits(2).json();
    assert_eq!(document["rows"], serde_json::json!([]));
    assert!(!document["differences"].as_array().unwrap().is_empty(), "{outcome}");
}

#[test]
fn other_variables_and_flags_are_not_comparable() {
    let project = project();
    project.tiergate(RUN).arg("base.json").run().exits(0);
    project.tiergate(RUN).arg("head.json").arg("--engine-arg=--stack-size=900").run().exits(0);
    project.tiergate(WIDE).run().exits(2).prints("--stack-size=900");

    let config = project.read("tiergate.toml");
    project.file("tiergate.toml", format!("{config}\n[environment.set]\nMODE = \"fast\"\n"));
    project.tiergate(RUN).arg("head.json").run().exits(0);
    project.tiergate(WIDE).run().exits(2);
}

/// Nothing that an engine would read from the caller's environment reaches it.
#[test]
fn variables_that_are_not_passed_make_no_difference() {
    let project = project();
    project.tiergate(RUN).arg("base.json").run().exits(0);
    let run = project.tiergate(RUN).arg("head.json");
    let run = run.env("NODE_OPTIONS", "--no-opt").env("UNRELATED", "x".repeat(5_000));
    run.env("TZ", "Asia/Tokyo").env("LC_ALL", "C").run().exits(0);
    project.tiergate(WIDE).run().exits(0);
}

#[test]
fn a_flag_that_an_engine_no_longer_has_is_named() {
    let project = project();
    let run = |engine: &str, flag: &str| {
        let run = project.tiergate("run --instrument wall --repeats 3 --save head.json --engine");
        run.arg(engine).arg(format!("--engine-arg={flag}")).run()
    };
    run("node@24", "--always-turbofan").exits(0);
    let head = project.result("head.json");
    assert!(head.fingerprint.engine.flags.iter().any(|flag| flag == "--always-turbofan"));
    let before = project.read("head.json");

    let refused = run("node@26", "--always-turbofan");
    refused.refuses(4, "--always-turbofan").says("node 26");
    // The older numbers are not touched, and not shown as the new ones.
    assert_eq!(project.read("head.json"), before);

    for (engine, flag, name) in [
        ("bun@1.4", "BUN_JSC_useNothing=1", "BUN_JSC_useNothing"),
        ("deno@2.9", "--v8-flags=--no-such", "--no-such"),
    ] {
        let refused = run(engine, flag);
        assert!(matches!(refused.code, Some(4 | 64)), "{refused}");
        refused.says(name);
    }
}

#[test]
fn a_profile_that_is_not_there_is_named() {
    let project = project();
    project.tiergate(RUN).arg("base.json").arg("--profile=sloppy").run().exits(64).says("sloppy");
    project.tiergate(RUN).arg("base.json").arg("--profile=default").run().exits(0);
    project.tiergate(RUN).arg("head.json").arg("--profile=exact").run().exits(0);
    project.tiergate(WIDE).run().exits(2);
}
