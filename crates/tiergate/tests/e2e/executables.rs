//! Engines into which the library that makes the marks can't be loaded.

use crate::support::{Project, need_x86, node, skip};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use tiergate_model::BenchStatus;

const GLIBC: &[u8] = b"/lib64/ld-linux-x86-64.so.2\0";

/// A real engine whose dynamic loader has another path; what is there is the same loader.
#[test]
fn an_engine_for_musl_is_refused_with_the_reason() {
    need_x86!();
    let project = Project::with_budget(20, 10);
    project.file("a.bench.mjs", "import { bench } from 'tiergate';\nbench('work', () => 1);\n");
    // The path has to fit into the place of the other.
    let folder = tempfile::Builder::new().prefix("m").rand_bytes(4).tempdir_in("/tmp").unwrap();
    let loader = folder.path().join("ld-musl.so");
    symlink("/lib64/ld-linux-x86-64.so.2", &loader).unwrap();
    let mut path = loader.to_str().unwrap().as_bytes().to_vec();
    assert!(path.len() < GLIBC.len());
    path.resize(GLIBC.len(), 0);
    let mut engine = fs::read(node(24)).unwrap();
    let at = engine.windows(GLIBC.len()).position(|bytes| bytes == GLIBC).unwrap();
    engine[at..at + GLIBC.len()].copy_from_slice(&path);
    let program = folder.path().join("node");
    fs::write(&program, engine).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();

    let program = program.to_str().unwrap();
    let outcome = project.tiergate("run --save head.json --engine").arg(program).run();
    outcome.exits(4).says("built for musl").says("callgrind and perf");
    let bench = &project.result("head.json").benches[0];
    assert_eq!(bench.status, BenchStatus::Incomplete);
    assert!(bench.reason.as_deref().unwrap().contains("built for musl"), "{outcome}");
    assert!(bench.readings.is_empty());

    let outcome = project.tiergate("doctor --engine").arg(program).run();
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no node 24"), "{outcome}");
    assert!(words.contains("built for musl"), "{outcome}");
}
