//! What only a real engine can confirm: identity, flags, tiers and command lines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use support::{all_real, real, search};
use tiergate_engine::{
    AcceptedFlags, Engine, FlagError, FlagOrigin, FlagSet, Launch, Profile, Search, check_flags,
    find, pins,
};
use tiergate_model::{EngineKind, EngineSpec};

fn checked(engine: &Engine, profile: Profile, user: &[&str]) -> Result<AcceptedFlags, FlagError> {
    let user: Vec<String> = user.iter().map(|word| (*word).to_owned()).collect();
    let flags = FlagSet::of_profile(profile, engine).unwrap().with_user(&user).unwrap();
    check_flags(engine, flags, Path::new("/"))
}

/// Runs `main.mjs` with this text by the command line of a launch, after a harness of one line.
fn launch(engine: &Engine, flags: &AcceptedFlags, main: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let entry = folder.path().join("entry");
    fs::create_dir(&entry).unwrap();
    for name in ["node.cjs", "node20.cjs", "bun.mjs", "deno.cjs"] {
        fs::write(entry.join(name), format!("console.log('entry {name}')")).unwrap();
    }
    // Only the entry of Node 20 gets at internals; only that of newer ones has hooks.
    fs::write(
        entry.join("node20.cjs"),
        "require('internal/modules/esm/translators'); console.log('entry node20.cjs')",
    )
    .unwrap();
    let hooks = "console.log(typeof require('node:module').registerHooks);";
    for name in ["node.cjs", "deno.cjs"] {
        fs::write(entry.join(name), format!("console.log('entry {name}'); {hooks}")).unwrap();
    }
    let bench_file = folder.path().join("main file.mjs");
    fs::write(&bench_file, main).unwrap();
    let launch =
        Launch { engine, flags, harness_directory: folder.path(), bench_file: &bench_file };
    let line = launch.command_line();
    Command::new(line.program)
        .args(line.arguments)
        .env_clear()
        .envs(line.variables)
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn engines_say_what_they_are() {
    for engine in all_real() {
        let jit = if engine.kind == EngineKind::Bun { "jsc " } else { "v8 " };
        assert!(engine.jit_engine.starts_with(jit), "{engine:?}");
        assert!(engine.path.is_absolute());
        assert_eq!(engine.content_hash.len(), 64);
        let [major, minor, patch] = engine.version.numbers();
        for version in [format!("{major}"), format!("{major}.{minor}.{patch}")] {
            let spec = EngineSpec::Version(engine.kind, version);
            assert_eq!(find(&spec, &search()).unwrap(), engine);
        }
    }
}

#[test]
fn every_profile_is_accepted() {
    for engine in all_real() {
        for profile in Profile::ALL {
            let Ok(pins) = pins(profile, &engine) else { continue };
            let flags = checked(&engine, profile, &[]);
            let flags = flags.unwrap_or_else(|error| panic!("{profile}: {error}"));
            let expected: Vec<_> = pins.iter().map(|pin| pin.text).collect();
            assert_eq!(engine.fingerprint(flags.set()).flags, expected);
        }
    }
}

#[test]
fn a_flag_that_a_newer_engine_dropped_is_named() {
    if let Some(engine) = real("node@24") {
        checked(&engine, Profile::Exact, &["--always-turbofan"]).unwrap();
    }
    if let Some(engine) = real("node@26") {
        let error = checked(&engine, Profile::Exact, &["--always-turbofan"]).unwrap_err();
        let expected = format!(
            "node {} refuses `--always-turbofan`, given by you: bad option: --always-turbofan",
            engine.version
        );
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some());
    }
    if let Some(engine) = real("deno") {
        let error =
            checked(&engine, Profile::Exact, &["--v8-flags=--always-turbofan"]).unwrap_err();
        let expected = format!(
            "deno {} refuses `--always-turbofan`, given by you: \
             V8 did not recognize flag '--always-turbofan'",
            engine.version
        );
        assert_eq!(error.to_string(), expected);
        let error = checked(&engine, Profile::Exact, &["--no-opt"]).unwrap_err();
        assert!(error.hint().unwrap().contains("--v8-flags="), "{error}");
    }
}

#[test]
fn a_flag_that_an_older_engine_lacks_is_named() {
    let Some(engine) = real("node@20") else { return };
    let flag = "--invocation-count-for-turbofan=150";
    let error = checked(&engine, Profile::Exact, &["--no-opt", flag]).unwrap_err();
    let FlagError::Refused { flag: named, origin, .. } = error else { panic!("{error}") };
    assert_eq!((named.as_str(), origin), (flag, FlagOrigin::User));
}

#[test]
fn the_first_of_two_wrong_flags_and_a_wrong_value_are_named() {
    for engine in all_real() {
        let (wrong, value) = match engine.kind {
            EngineKind::Node => (["--no-opt", "--wrong-a", "--wrong-b"], "--hash-seed=abc"),
            EngineKind::Deno => (
                ["--v8-flags=--no-opt", "--v8-flags=--wrong-a", "--wrong-b"],
                "--v8-flags=--hash-seed=abc",
            ),
            EngineKind::Bun => (
                ["--smol", "BUN_JSC_wrong_a=1", "BUN_JSC_wrong_b=1"],
                "BUN_JSC_useConcurrentJIT=abc",
            ),
        };
        for words in [&wrong[..], &[value][..]] {
            let error = checked(&engine, Profile::Exact, words).unwrap_err();
            let FlagError::Refused { flag, message, .. } = error else { panic!("{error}") };
            assert!(words.iter().any(|word| word.ends_with(&flag)), "{flag}");
            assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        }
    }
}

#[test]
fn bun_does_not_get_flags_that_it_would_ignore() {
    let Some(engine) = real("bun") else { return };
    for word in ["--no-such-option", "BUN_FEATURE_FLAG_NO_SUCH_THING=1", "BUN_NO_SUCH=1"] {
        let error = checked(&engine, Profile::Exact, &[word]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&format!("refuses `{word}`, given by you: it would be ignored")),
            "{error}"
        );
    }
    checked(&engine, Profile::Exact, &["--smol", "MY_OWN=1"]).unwrap();
}

#[test]
fn command_lines_load_the_harness_before_the_file() {
    for engine in all_real() {
        for profile in [Profile::Exact, Profile::Default] {
            let flags = checked(&engine, profile, &[]).unwrap();
            let output =
                launch(&engine, &flags, "console.log('main', import.meta.main ?? 'unknown')");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let (entry, hooks) = match engine.kind {
                EngineKind::Node if engine.version.begins_with("20") => ("node20.cjs", ""),
                EngineKind::Node => ("node.cjs", "function\n"),
                EngineKind::Bun => ("bun.mjs", ""),
                EngineKind::Deno => ("deno.cjs", "function\n"),
            };
            let expected = format!("entry {entry}\n{hooks}main ");
            assert!(stdout.starts_with(&expected), "{engine}: {stdout}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{engine}");
            assert!(output.status.success(), "{engine}");
        }
    }
}

#[test]
fn single_threaded_v8_still_reaches_turbofan_and_synchronously() {
    const HOT: &str = "function hot(n) { let s = 0; for (let i = 0; i < 20; i++) s = (s + i * n) | 0; return s }\n\
        function batch(n) { let t = 0; for (let j = 0; j < n; j++) t = (t + hot(j)) | 0; return t }\n\
        for (let i = 0; i < 400; i++) batch(50);";
    for engine in all_real().into_iter().filter(|engine| engine.kind != EngineKind::Bun) {
        let trace = match engine.kind {
            EngineKind::Deno => "--v8-flags=--trace-opt",
            _ => "--trace-opt",
        };
        let flags = checked(&engine, Profile::Exact, &[trace]).unwrap();
        let output = launch(&engine, &flags, HOT);
        let stdout = String::from_utf8_lossy(&output.stdout);
        let compiles: Vec<&str> =
            stdout.lines().filter(|line| line.starts_with("[compiling method")).collect();
        assert!(!compiles.is_empty(), "{engine}: {stdout}");
        assert!(
            compiles.iter().all(|line| line.contains("kSynchronous")),
            "{engine}: {compiles:?}"
        );
        let optimised = |line: &&str| line.contains("hot") && line.contains("(target TURBOFAN");
        assert!(compiles.iter().any(optimised), "{engine}: {compiles:?}");
    }
}

#[test]
fn seeds_fix_random_numbers_and_other_seeds_change_them() {
    let print = "console.log('random', Math.random(), Math.random())";
    let random = |engine: &Engine, flags: &AcceptedFlags| {
        let output = launch(engine, flags, print);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        stdout.lines().find(|line| line.starts_with("random")).unwrap().to_owned()
    };
    for engine in all_real() {
        let flags = checked(&engine, Profile::Exact, &[]).unwrap();
        let first = random(&engine, &flags);
        assert_eq!(first, random(&engine, &flags), "{engine}");
        let seed = 7.try_into().unwrap();
        let other = flags.with_seeds(tiergate_engine::Seeds { hash: seed, random: seed });
        assert_ne!(first, random(&engine, &other), "{engine}");
        assert_eq!(engine.fingerprint(other.set()).flags.len(), flags.set().flags().len());
    }
}

#[test]
fn relative_files_in_flags_are_meant_from_the_given_folder() {
    let Some(engine) = real("node@24") else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("extra.cjs"), "").unwrap();
    let user = ["--require".to_owned(), "./extra.cjs".to_owned()];
    let flags = FlagSet::of_profile(Profile::Exact, &engine).unwrap().with_user(&user).unwrap();
    check_flags(&engine, flags.clone(), folder.path()).unwrap();
    let error = check_flags(&engine, flags, Path::new("/")).unwrap_err();
    assert!(error.to_string().contains("`--require ./extra.cjs`"), "{error}");
}

#[test]
fn a_project_with_broken_settings_is_not_blamed_on_the_engine_or_its_flags() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bunfig.toml"), "preload = ['./missing.ts']").unwrap();
    fs::write(folder.path().join("deno.json"), "{ broken").unwrap();
    for engine in all_real().into_iter().filter(|engine| engine.kind != EngineKind::Node) {
        let search = Search { start_directory: folder.path().to_path_buf(), ..search() };
        let path = EngineSpec::Path(engine.path.display().to_string());
        assert_eq!(find(&path, &search).unwrap(), engine);
        let flags = FlagSet::of_profile(Profile::Exact, &engine).unwrap();
        let error = check_flags(&engine, flags, folder.path()).unwrap_err();
        assert!(matches!(error, FlagError::FailsAnyway { .. }), "{error}");
        let expected = format!("{engine} can't run an empty program in ");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
