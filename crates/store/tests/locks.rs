//! `tiergate.lock`.

use proptest::prelude::*;
use std::fs;
use tiergate_model::{BenchId, EngineKind, ExitStatus, OpBudget};
use tiergate_store::{Lock, LockEntry, StoreError, lock_engine, merge_into_lock};

fn entry(warmup_ops: u64, window_ops: u64, seconds: f64) -> LockEntry {
    LockEntry { budget: OpBudget { warmup_ops, window_ops }, seconds }
}

fn id(text: &str) -> BenchId {
    BenchId::from_text(text)
}

fn sample() -> Lock {
    let mut lock = Lock::default();
    let node = lock_engine(EngineKind::Node, "24.22.1");
    lock.insert(&node, id("bench/b.mjs::say \"hi\""), entry(4000, 20_000, 1.987_654));
    lock.insert(&node, id("bench/a.mjs::parse > short"), entry(70_000, 1500, 2.0));
    lock.insert("bun-1", id("bench/a.mjs::parse > short"), entry(4000, 1500, 0.5));
    lock
}

struct Place {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tiergate.lock");
    Place { _folder: folder, path }
}

#[test]
fn the_file_is_sorted_and_made_for_eyes_and_diffs() {
    let place = place();
    sample().write(&place.path).unwrap();
    assert_eq!(
        fs::read_to_string(&place.path).unwrap(),
        r#"# Written by tiergate: the ops before and in the window of every bench, per engine.
# Keep it in version control, so that base and head are measured alike.
version = 1

[bun-1."bench/a.mjs::parse > short"]
warmup_ops = 4000
window_ops = 1500
seconds = 0.5

[node-24."bench/a.mjs::parse > short"]
warmup_ops = 70000
window_ops = 1500
seconds = 2.0

[node-24.'bench/b.mjs::say "hi"']
warmup_ops = 4000
window_ops = 20000
seconds = 1.99
"#
    );
}

#[test]
fn reading_gives_back_what_was_written() {
    let place = place();
    sample().write(&place.path).unwrap();
    let loaded = Lock::read(&place.path).unwrap();
    assert!(loaded.warnings.is_empty());
    let found = loaded.value.get("node-24", &id("bench/a.mjs::parse > short"));
    assert_eq!(found, Some(&entry(70_000, 1500, 2.0)));
    assert_eq!(loaded.value.get("node-22", &id("bench/a.mjs::parse > short")), None);
}

#[test]
fn a_missing_lock_is_empty_and_merging_keeps_the_rest() {
    let place = place();
    assert_eq!(Lock::read(&place.path).unwrap().value, Lock::default());
    merge_into_lock(&place.path, sample()).unwrap();
    let mut newer = Lock::default();
    newer.insert("bun-1", id("bench/a.mjs::parse > short"), entry(1, 2, 3.0));
    merge_into_lock(&place.path, newer).unwrap();
    let lock = Lock::read(&place.path).unwrap().value;
    assert_eq!(lock.get("bun-1", &id("bench/a.mjs::parse > short")), Some(&entry(1, 2, 3.0)));
    assert!(lock.get("node-24", &id("bench/a.mjs::parse > short")).is_some());
}

#[test]
fn a_damaged_lock_is_named_and_not_overwritten() {
    let cases = [
        ("version = 1\n\n[node-24.\"a", "is damaged at line 3: "),
        ("", "is damaged at line 1: it has no `version = NUMBER`"),
        ("version = 9\n", "has lock version 9, this tiergate reads version 1"),
        ("version = 1\nversion = 1\n", "is damaged at line 2: duplicate key"),
        ("version = 1\n[node-24]\na = 1\n", "is damaged: [node-24.\"a\"]: it is no table"),
        (
            "version = 1\n[node-24.a]\nwarmup_ops = 1\nwindow_ops = 0\nseconds = 1\n",
            "is damaged: [node-24.\"a\"]: `window_ops` is 0, it must be at least 1",
        ),
        (
            "version = 1\n[node-24.a]\nwarmup_ops = -1\nwindow_ops = 1\nseconds = 1\n",
            "`warmup_ops` is -1, it must be at least 0",
        ),
        (
            "version = 1\n[node-24.a]\nwarmup_ops = 1\nwindow_ops = 1\nseconds = nan\n",
            "`seconds` is no number of seconds",
        ),
        ("version = 1\n[node-24.a]\nwarmup_ops = 1\n", "`window_ops` is missing"),
    ];
    for (text, words) in cases {
        let place = place();
        fs::write(&place.path, text).unwrap();
        let fault = merge_into_lock(&place.path, sample()).unwrap_err();
        let message = fault.to_string();
        assert!(message.contains(words), "{message}");
        assert!(message.contains("tiergate.lock") && !message.contains('\n'), "{message}");
        assert_eq!(fault.exit_status(), ExitStatus::Usage);
        assert!(fault.hint().is_some());
        assert_eq!(fs::read_to_string(&place.path).unwrap(), text);
    }
}

#[test]
fn unknown_keys_warn() {
    let place = place();
    let text = "version = 1\nnote = \"mine\"\n[node-24.a]\nwarmup_ops = 1\nwindow_ops = 1\nseconds = 1\nextra = 2\n";
    fs::write(&place.path, text).unwrap();
    let warnings = Lock::read(&place.path).unwrap().warnings;
    assert_eq!(warnings.len(), 2);
    assert!(warnings[0].contains("unknown key `[node-24.\"a\"] extra`"), "{}", warnings[0]);
    assert!(warnings[1].contains("unknown key `note`"), "{}", warnings[1]);
}

#[test]
fn bytes_that_are_no_text_are_a_syntax_fault() {
    let place = place();
    fs::write(&place.path, b"version = 1\n\xff").unwrap();
    let fault = Lock::read(&place.path).unwrap_err();
    assert!(matches!(fault, StoreError::LockSyntax { line: 2, .. }), "{fault}");
}

proptest! {
    #[test]
    fn any_id_survives_and_a_second_writing_changes_nothing(
        ids in prop::collection::btree_set("\\PC{0,12}|[\\x00-\\x7f]{0,6}", 0..5), seconds in 0.0..1e4_f64,
    ) {
        let place = place();
        let mut lock = Lock::default();
        for text in &ids {
            lock.insert("node-24", id(text), entry(1, 2, seconds));
        }
        lock.write(&place.path).unwrap();
        let first = fs::read(&place.path).unwrap();
        let read = Lock::read(&place.path).unwrap().value;
        for text in &ids {
            prop_assert!(read.get("node-24", &id(text)).is_some());
        }
        read.write(&place.path).unwrap();
        prop_assert_eq!(first, fs::read(&place.path).unwrap());
    }

    #[test]
    fn damage_never_panics(place_of_damage: prop::sample::Index, mask in 1..=255_u8) {
        let place = place();
        sample().write(&place.path).unwrap();
        let mut bytes = fs::read(&place.path).unwrap();
        let index = place_of_damage.index(bytes.len());
        bytes[index] ^= mask;
        fs::write(&place.path, bytes).unwrap();
        let _ = Lock::read(&place.path);
    }
}
