//! Flags of runs beside the readings, on engines that refuse some.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::all_real;
use tiergate_engine::{
    AcceptedFlags, Engine, FlagSet, Profile, check_flags, check_lowest_tier_flags,
    check_trace_flags,
};
use tiergate_model::EngineKind;

fn accepted(engine: &Engine) -> AcceptedFlags {
    let flags = FlagSet::of_profile(Profile::Exact, engine).unwrap();
    check_flags(engine, flags, Path::new("/")).unwrap()
}

/// A program that refuses an option as Node does.
fn refusing(folder: &Path, option: &str) -> Engine {
    let path = folder.join("node");
    let script = format!(
        "#!/bin/sh\nfor word; do case $word in {option}) echo \"node: bad option: $word\" >&2; exit 9;; esac; done\n"
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Engine {
        kind: EngineKind::Node,
        path,
        version: "27.0.0".parse().unwrap(),
        jit_engine: String::new(),
        content_hash: String::new(),
    }
}

#[test]
fn real_engines_take_all_of_them() {
    for engine in all_real() {
        let flags = accepted(&engine);
        let traces = check_trace_flags(&engine, &flags, Path::new("/")).unwrap();
        assert_eq!(traces.lacking, [] as [&str; 0], "{engine}");
        let lowest = check_lowest_tier_flags(&engine, &flags, Path::new("/")).unwrap();
        assert_eq!(lowest.lacking, [] as [&str; 0], "{engine}");
        let shown = flags.with_extras(&lowest).set().flags_shown();
        assert!(shown.len() > flags.set().flags().len(), "{engine}");
    }
}

#[test]
fn a_trace_can_do_without_some_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let engine = refusing(folder.path(), "--trace-baseline");
    let flags = accepted(&engine);
    let traces = check_trace_flags(&engine, &flags, folder.path()).unwrap();
    let lacking = "node 27.0.0 refuses `--trace-baseline`: compilations by the baseline compiler are \
                   not traced";
    assert_eq!(traces.lacking, [lacking]);
    let shown = flags.with_extras(&traces).set().flags_shown();
    assert!(shown.contains(&"--trace-deopt".to_owned()));
    assert!(!shown.contains(&"--trace-baseline".to_owned()));
}

#[test]
fn what_nothing_can_be_told_without_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let engine = refusing(folder.path(), "--trace-deopt|--no-maglev");
    let flags = accepted(&engine);
    let traces = check_trace_flags(&engine, &flags, folder.path()).unwrap_err();
    assert_eq!(
        traces.to_string(),
        "node 27.0.0 refuses `--trace-deopt`, for a trace: node: bad option: --trace-deopt"
    );
    let lowest = check_lowest_tier_flags(&engine, &flags, folder.path()).unwrap_err();
    assert!(lowest.to_string().contains("`--no-maglev`, for a run without optimisation"));
}
