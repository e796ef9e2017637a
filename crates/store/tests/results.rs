//! Result files and baselines: faults, loss-free writing.

use std::fs;
use std::path::{Path, PathBuf};
use tiergate_model::fixtures::{incomplete, measured, result_file, skipped};
use tiergate_model::{ExitStatus, ResultFile};
use tiergate_store::{Baselines, StoreError, read_result, write_result};

fn sample() -> ResultFile {
    result_file(vec![
        measured("bench/a.mjs::parse > short", &[100_000, 100_010, 100_005]),
        incomplete("bench/a.mjs::throws", "TypeError: x is not a function"),
        skipped("bench/b.mjs::later", "marked `skip`"),
    ])
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a text as `base.json`, reads it, and gives the message without the folder's path.
fn fault_of(text: &str) -> (String, StoreError) {
    let folder = folder();
    let path = folder.path().join("base.json");
    fs::write(&path, text).expect("a written file");
    let fault = read_result(&path).expect_err("the file has a fault");
    (short(&fault, folder.path()), fault)
}

fn short(fault: &StoreError, folder: &Path) -> String {
    fault.to_string().replace(&format!("{}/", folder.display()), "")
}

fn edited(edit: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value = serde_json::to_value(sample()).expect("a result file is JSON");
    edit(&mut value);
    value.to_string()
}

#[test]
fn what_is_written_is_read() {
    let folder = folder();
    let path = folder.path().join("base.json");
    write_result(&path, &sample()).unwrap();
    let loaded = read_result(&path).unwrap();
    assert_eq!(loaded.value, sample());
    assert!(loaded.warnings.is_empty());
    let rest: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(rest.len(), 1, "no temporary file is left");
}

#[test]
fn each_fault_is_one_line_with_file_and_hint() {
    let whole = serde_json::to_string_pretty(&sample()).unwrap();
    let cases = [
        ("", "`base.json` is cut off at line 1, column 0", ExitStatus::Incomplete),
        (&whole[..200], "`base.json` is cut off at line 10, column 29", ExitStatus::Incomplete),
        (
            "hello",
            "`base.json` is not JSON: expected value at line 1 column 1",
            ExitStatus::NotComparable,
        ),
        (
            "{}",
            "`base.json` is not a result file: it has no `schema_version`",
            ExitStatus::NotComparable,
        ),
        (
            "[1, 2]",
            "`base.json` is not a result file: it holds an array",
            ExitStatus::NotComparable,
        ),
        (
            r#"{"schema_version": "one"}"#,
            "`base.json` is not a result file: its `schema_version` is no version number",
            ExitStatus::NotComparable,
        ),
        (
            r#"{"schema_version": 7, "anything": []}"#,
            "`base.json` has schema version 7, this tiergate reads version 1",
            ExitStatus::NotComparable,
        ),
        (
            r#"{"schema_version": 1, "tool_version": "0.1.0"}"#,
            "`base.json` is not a result file: missing field `fingerprint` at line 1 column 46",
            ExitStatus::NotComparable,
        ),
    ];
    for (text, message, status) in cases {
        let (found, fault) = fault_of(text);
        assert_eq!(found, message);
        assert_eq!(fault.exit_status(), status, "{found}");
        assert!(fault.hint().is_some(), "{found}");
        assert!(!found.contains('\n') && !found.ends_with('.'));
    }
}

#[test]
fn untrustworthy_content_is_refused() {
    type Edit = fn(&mut serde_json::Value);
    let cases: [(Edit, &str); 9] = [
        (
            |file| {
                let first = file["benches"][0].clone();
                file["benches"].as_array_mut().unwrap().push(first);
            },
            "bench `bench/a.mjs::parse > short` is in it twice",
        ),
        (|file| file["benches"][0]["readings"][1]["count"] = 0.into(), "has a count of zero"),
        (
            |file| file["benches"][0]["readings"][1]["count"] = u64::MAX.into(),
            "has an absurdly large count",
        ),
        (|file| file["benches"][0]["readings"] = serde_json::json!([]), "has no reading"),
        (
            |file| file["benches"][0]["readings"][2]["repeat"] = 1.into(),
            "has the same repeat twice",
        ),
        (
            |file| file["benches"][0]["readings"][2]["window_ops"] = 1.into(),
            "has a reading over another number of ops",
        ),
        (
            |file| file["benches"][0]["readings"][0]["proof"]["marks"]["seen"] = 1.into(),
            "has a reading with missing or extra marks",
        ),
        (
            |file| file["benches"][0]["instructions_per_op"] = 5.into(),
            "states instructions per op that its readings don't have",
        ),
        (|file| file["benches"][1]["reason"] = "".into(), "without a reason"),
    ];
    for (edit, words) in cases {
        let (message, fault) = fault_of(&edited(edit));
        assert!(message.starts_with("`base.json` is damaged: "), "{message}");
        assert!(message.contains(words), "{message}");
        assert_eq!(fault.exit_status(), ExitStatus::NotComparable);
    }
}

#[test]
fn unknown_keys_warn_once_each() {
    let text = edited(|file| {
        file["new_key"] = 1.into();
        for bench in file["benches"].as_array_mut().unwrap() {
            bench["allocated"] = 12.into();
        }
    });
    let folder = folder();
    let path = folder.path().join("base.json");
    fs::write(&path, text).unwrap();
    let loaded = read_result(&path).unwrap();
    assert_eq!(loaded.value, sample());
    let name = path.display();
    assert_eq!(
        loaded.warnings,
        [
            format!("`{name}` has the unknown key `benches.*.allocated`, ignored"),
            format!("`{name}` has the unknown key `new_key`, ignored"),
        ]
    );
}

#[test]
fn missing_files_and_folders_are_wrong_questions() {
    let folder = folder();
    for (path, words) in [
        (folder.path().join("none.json"), "`none.json` does not exist"),
        (folder.path().to_owned(), "is a directory, not a file"),
    ] {
        let fault = read_result(&path).unwrap_err();
        assert!(short(&fault, folder.path()).contains(words), "{fault}");
        assert_eq!(fault.exit_status(), ExitStatus::Usage);
    }
}

#[test]
fn a_failed_write_keeps_the_old_content_and_names_the_path() {
    let folder = folder();
    let path = folder.path().join("missing/base.json");
    let fault = write_result(&path, &sample()).unwrap_err();
    assert_eq!(
        short(&fault, folder.path()),
        "can't write `missing/base.json`: its folder does not exist"
    );
    assert_eq!(fault.exit_status(), ExitStatus::Incomplete);

    let path = folder.path().join("base.json");
    write_result(&path, &sample()).unwrap();
    let mut unsound = sample();
    unsound.benches[0].readings[0].count = 0;
    let fault = write_result(&path, &unsound).unwrap_err();
    assert!(matches!(fault, StoreError::Unsound { .. }));
    assert_eq!(read_result(&path).unwrap().value, sample());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    // The limit on the size of files stands in for a full disk: writes beyond it fail. It is the
    // process's, so a process of its own takes it.
    let folder = folder();
    let path = folder.path().join("base.json");
    write_result(&path, &sample()).unwrap();
    let this = std::env::current_exe().unwrap();
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact writes_beyond_the_limit --ignored";
    let output = std::process::Command::new("bash")
        .args(["-c", script])
        .arg(this)
        .env("TIERGATE_TEST_TARGET", &path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(read_result(&path).unwrap().value, sample());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[ignore = "run by a_full_disk_loses_nothing, in a process with a limit"]
fn writes_beyond_the_limit() {
    let path = PathBuf::from(std::env::var_os("TIERGATE_TEST_TARGET").unwrap());
    let many = (0..50).map(|index| measured(&format!("a.mjs::{index}"), &[1000; 5])).collect();
    let fault = write_result(&path, &result_file(many)).unwrap_err();
    assert!(matches!(fault, StoreError::Unwritable { .. }), "{fault}");
    assert!(fault.to_string().contains("base.json"), "{fault}");
}

#[cfg(unix)]
#[test]
fn devices_are_not_replaced_and_links_stay_links() {
    let fault = write_result("/dev/null", &sample()).unwrap_err();
    assert_eq!(fault.to_string(), "can't write `/dev/null`: it is not a regular file");
    let folder = folder();
    let (target, link) = (folder.path().join("target.json"), folder.path().join("link.json"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_result(&link, &sample()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read_result(&target).unwrap().value, sample());
}

#[test]
fn baselines_have_plain_names() {
    let folder = folder();
    let baselines = Baselines::below(folder.path());
    for name in ["", "../up", "a/b", ".hidden", "-flag", "with space", "ü", &"x".repeat(65)] {
        let fault = baselines.save(name, &sample()).unwrap_err();
        assert_eq!(fault.to_string(), format!("`{name}` is not a baseline name"));
        assert_eq!(fault.exit_status(), ExitStatus::Usage);
    }
    let fault = baselines.read("main").unwrap_err();
    assert_eq!(fault.to_string(), "baseline `main` does not exist");
    assert_eq!(fault.hint().unwrap(), "`tiergate run --save-baseline main` writes it");

    let path = baselines.save("v1.0", &sample()).unwrap();
    assert_eq!(path, folder.path().join(".tiergate/baselines/v1.0.json"));
    assert_eq!(baselines.read("v1.0").unwrap().value, sample());
    assert_eq!(baselines.names(), ["v1.0"]);
    let fault = baselines.read("main").unwrap_err();
    assert_eq!(fault.hint().unwrap(), "there are `v1.0`");
}
