//! Trace readers against traces of real engines, and against damage.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tiergate_engine::trace::{CollectionKind, Compile, Event, Tier, read_line};
use tiergate_model::EngineKind;

const FIXTURES: [(&str, EngineKind); 6] = [
    ("node-20", EngineKind::Node),
    ("node-22", EngineKind::Node),
    ("node-24", EngineKind::Node),
    ("node-26", EngineKind::Node),
    ("deno", EngineKind::Deno),
    ("bun", EngineKind::Bun),
];

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traces");
    fs::read_to_string(folder.join(name).with_extension("txt")).unwrap()
}

fn events(name: &str, kind: EngineKind) -> Vec<Event> {
    fixture(name).lines().filter_map(|line| read_line(kind, line)).collect()
}

fn has_compile(events: &[Event], name: &str, wanted: Tier, in_loop: bool) -> bool {
    events.iter().any(|event| {
        matches!(event, Event::Compile(Compile { function, tier, osr, .. })
            if function == name && *tier == wanted && *osr == in_loop)
    })
}

#[test]
fn every_engine_tells_compiles_bailouts_and_collections() {
    for (name, kind) in FIXTURES {
        let events = events(name, kind);
        let last = if kind == EngineKind::Bun { Tier::Dfg } else { Tier::TurboFan };
        assert!(has_compile(&events, "hot", last, false), "{name}: `hot` reached no {last}");
        assert!(has_compile(&events, "hot", Tier::Baseline, false), "{name}: no baseline");
        let in_loop = |last| has_compile(&events, "once", last, true);
        let tiers = [Tier::Maglev, Tier::TurboFan, Tier::Ftl];
        assert!(tiers.into_iter().any(in_loop), "{name}: no compile of a running loop");
        let failed = |event: &Event| matches!(event, Event::Bailout { function, reason, .. } if function == "hot" && !reason.is_empty());
        assert!(events.iter().any(failed), "{name}: no bailout of `hot`");
        for wanted in [CollectionKind::Young, CollectionKind::Full] {
            let collected =
                |event: &Event| matches!(event, Event::Collection { kind, .. } if *kind == wanted);
            assert!(events.iter().any(collected), "{name}: no {wanted:?} collection");
        }
    }
}

#[test]
fn v8_tells_running_loops_and_dependent_code() {
    for (name, kind) in FIXTURES.into_iter().filter(|(_, kind)| *kind != EngineKind::Bun) {
        let events = events(name, kind);
        let entered =
            |event: &Event| matches!(event, Event::OsrEntry { function } if function == "once");
        assert!(events.iter().any(entered), "{name}: no entry into optimised code");
        let invalid = |event: &Event| matches!(event, Event::Invalidated { function, reason } if !function.is_empty() && !reason.is_empty());
        assert!(events.iter().any(invalid), "{name}: no mark of dependent code");
    }
}

#[test]
fn no_line_of_a_known_beginning_is_passed_over() {
    for (name, kind) in FIXTURES {
        let text = fixture(name);
        let beginnings =
            ["[completed ", " MB, ", "[aborted ", "[bailout ", "[marking dep", "Optimized "];
        for line in text.lines().filter(|line| beginnings.iter().any(|text| line.contains(text))) {
            // Code of the engine's own, such as that of WebAssembly, has targets that are no tiers.
            assert!(read_line(kind, line).is_some(), "{name}: {line}");
        }
    }
}

fn damaged_line() -> impl Strategy<Value = (EngineKind, String, String)> {
    let lines: Vec<(EngineKind, String)> = FIXTURES
        .into_iter()
        .flat_map(|(name, kind)| {
            fixture(name).lines().map(|line| (kind, line.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    (prop::sample::select(lines), any::<prop::sample::Index>(), "\\PC{0,20}").prop_map(
        |((kind, line), end, noise)| {
            let length = end.index(line.chars().count() + 1);
            (kind, line.chars().take(length).collect(), noise)
        },
    )
}

proptest! {
    #[test]
    fn nothing_makes_a_reader_fail(line in "\\PC{0,300}") {
        read_line(EngineKind::Node, &line);
        read_line(EngineKind::Bun, &line);
    }

    #[test]
    fn lines_cut_off_or_mixed_do_not_either((kind, line, noise) in damaged_line()) {
        read_line(kind, &format!("{line}{noise}"));
        read_line(kind, &format!("{noise}{line}"));
    }

    #[test]
    fn output_before_a_line_does_not_hide_it((kind, line, _) in damaged_line(), noise in "[a-z ]{0,20}") {
        prop_assert_eq!(read_line(kind, &format!("{noise}{line}")), read_line(kind, &line));
    }
}
