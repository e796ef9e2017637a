//! The reader on damaged files: it never panics, and what it accepts is sound.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{BenchStatus, ExitStatus, ResultFile};
use tiergate_store::{StoreError, parse_result};

fn text() -> String {
    let mut first = measured("bench/a.mjs::parse > short", &[100_000, 100_010, 100_005]);
    first.instructions_per_op = Some(100.005);
    first.aa_spread = Some(0.0001);
    let file = result_file(vec![
        first,
        measured("bench/a.mjs::größer", &[90_000, 90_000, 90_001]),
        incomplete("bench/a.mjs::throws", "TypeError: x is not a function"),
        skipped("bench/b.mjs::later", "marked `skip`"),
    ]);
    serde_json::to_string_pretty(&file).expect("a result file is JSON")
}

fn read(bytes: &[u8]) -> Result<ResultFile, StoreError> {
    parse_result(Path::new("base.json"), bytes).map(|loaded| loaded.value)
}

/// What every accepted file must be, said again and independently of the reader.
fn assert_sound(file: &ResultFile) {
    assert_eq!(file.schema_version, 1);
    let ids: BTreeSet<&str> = file.benches.iter().map(|bench| bench.id.as_str()).collect();
    assert_eq!(ids.len(), file.benches.len(), "an id twice");
    for bench in &file.benches {
        if bench.status != BenchStatus::Measured {
            assert!(bench.reason.is_some());
            continue;
        }
        assert!(!bench.readings.is_empty());
        for reading in &bench.readings {
            assert!(reading.count > 0 && reading.count <= 1 << 53);
            assert!(reading.window_ops > 0 && reading.per_op().is_finite());
            assert!(reading.seconds >= 0.0 && reading.seconds.is_finite());
            assert_eq!(reading.proof.marks.seen, reading.proof.marks.expected);
        }
    }
}

fn assert_sound_or_one_line(bytes: &[u8]) {
    match read(bytes) {
        Ok(file) => assert_sound(&file),
        Err(fault) => {
            assert!(fault.to_string().starts_with("`base.json` "), "{fault}");
            assert_ne!(fault.exit_status(), ExitStatus::Pass);
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_says_so() {
    let text = text();
    for end in 0..text.len() {
        let fault = read(&text.as_bytes()[..end]).expect_err("a part of a file is no file");
        assert!(matches!(fault, StoreError::CutOff { .. }), "after {end} bytes: {fault}");
        assert_eq!(fault.exit_status(), ExitStatus::Incomplete);
    }
}

/// All places of a JSON value that hold a number or a text, as pointers.
fn leaves(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{path}/{index}"), found);
            }
        }
        serde_json::Value::Object(fields) => {
            for (key, item) in fields {
                leaves(item, &format!("{path}/{key}"), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

proptest! {
    #[test]
    fn flipped_bytes_are_refused_or_sound(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..4),
    ) {
        let mut bytes = text().into_bytes();
        for (place, mask) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= mask;
        }
        assert_sound_or_one_line(&bytes);
    }

    #[test]
    fn swapped_values_are_refused_or_sound(
        one: prop::sample::Index, other: prop::sample::Index,
    ) {
        let mut value: serde_json::Value = serde_json::from_str(&text()).expect("JSON");
        let mut places = Vec::new();
        leaves(&value, "", &mut places);
        let (one, other) = (&places[one.index(places.len())], &places[other.index(places.len())]);
        let kept = value.pointer(one).cloned().expect("a leaf");
        let moved = value.pointer(other).cloned().expect("a leaf");
        *value.pointer_mut(one).expect("a leaf") = moved;
        *value.pointer_mut(other).expect("a leaf") = kept;
        assert_sound_or_one_line(value.to_string().as_bytes());
    }

    #[test]
    fn extreme_values_are_refused_or_sound(
        place: prop::sample::Index,
        extreme in prop::sample::select(vec![
            "0", "-0", "-1", "18446744073709551615", "18446744073709551616", "9007199254740993",
            "1e308", "1e-320", "-1e308", "null", "true", "[]", "{}", "\"\"", "\"\\u0000\"", "1.5",
        ]),
    ) {
        let mut value: serde_json::Value = serde_json::from_str(&text()).expect("JSON");
        let mut places = Vec::new();
        leaves(&value, "", &mut places);
        let place = &places[place.index(places.len())];
        *value.pointer_mut(place).expect("a leaf") = serde_json::from_str(extreme).expect("JSON");
        assert_sound_or_one_line(value.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}

#[test]
fn deep_nesting_is_refused_without_overflow() {
    let deep = format!("{{\"schema_version\": {}", "[".repeat(200_000));
    assert!(read(deep.as_bytes()).is_err());
    let deep = format!("{{\"unknown\": {}", "{\"a\":".repeat(200_000));
    assert!(read(deep.as_bytes()).is_err());
}
