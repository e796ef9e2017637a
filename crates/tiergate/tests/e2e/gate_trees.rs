//! Where a gate's sides come from, and what happens when they can't be had. Scripted counts, so
//! that nothing but the trees is tried.

use crate::support::{Invocation, Project, Repository, Script, git};
use nix::sys::signal::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

const FILE: &str = "a.bench.mjs";

/// A repository with one scripted bench, the same on both sides.
fn scripted() -> Repository {
    let project = Project::new();
    project.file(FILE, "// scripted\n");
    let repository = Repository::of(project);
    Script::steady(FILE, &[("work", 1e4)]).write(repository.project(), "script.json");
    repository
}

fn gate<'a>(repository: &'a Repository, words: &str) -> Invocation<'a> {
    let line = format!("gate --instrument mock {words}");
    repository.tiergate(&line).script("script.json")
}

#[test]
fn a_base_is_needed_and_can_be_configured() {
    let repository = scripted();
    gate(&repository, "").run().refuses(64, "needs a base");
    repository.file("tiergate.toml", "[gate]\nbase = \"main\"\n");
    gate(&repository, "").run().exits(0);
}

#[test]
fn an_unknown_base_is_incomplete_with_a_way_out() {
    let repository = scripted();
    gate(&repository, "--base nowhere").run().refuses(4, "`nowhere`").says("git fetch origin");
    gate(&repository, "--base main --head nowhere").run().refuses(4, "`nowhere`");
    gate(&repository, "--base --all").run().exits(64);
    repository.git("checkout --quiet --orphan apart").commit("apart");
    gate(&repository, "--base main").run().refuses(4, "no common commit");
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let origin = scripted();
    origin
        .git("checkout --quiet -b change")
        .file("x", "1")
        .commit("one")
        .file("x", "2")
        .commit("two");
    origin.git("checkout --quiet main").file("y", "1").commit("three");
    let project = Project::new();
    let url = format!("file://{}", origin.path("").display());
    let clone = git(project.root())
        .args(["clone", "--quiet", "--depth=1", "--no-single-branch", "--branch=change", &url, "c"])
        .status();
    assert!(clone.unwrap().success());
    Script::steady(FILE, &[("work", 1e4)]).write(&project, "script.json");
    let folder = project.path("c");
    let run = |base: &str| {
        project
            .tiergate(&format!("gate --instrument mock --base {base}"))
            .script("script.json")
            .prepare(|command| {
                command.current_dir(&folder);
            })
            .run()
    };
    run("main").refuses(4, "shallow").says("fetch-depth: 0");
    run("main~1").refuses(4, "shallow").says("git fetch --unshallow");
    assert!(git(&folder).args(["fetch", "--quiet", "--unshallow"]).status().unwrap().success());
    run("main").exits(0);
}

#[test]
fn without_git_or_a_repository_a_file_can_be_the_base() {
    let project = Project::new();
    Script::steady(FILE, &[("work", 1e4)]).write(&project, "script.json");
    let gate = |words: &str| {
        project.tiergate(&format!("gate --instrument mock {words}")).script("script.json")
    };
    gate("--base main").run().refuses(4, "not in a git repository").says("--base-file");
    fs::create_dir(project.path("empty")).unwrap();
    let empty = project.path("empty");
    gate("--base main").env("PATH", &empty).run().refuses(4, "`git` was not found");

    project.tiergate("run --instrument mock --save base.json").script("script.json").run().exits(0);
    gate("--base-file base.json").run().exits(0);
    Script::steady(FILE, &[("work", 1.1e4)]).write(&project, "script.json");
    gate("--base-file base.json").run().exits(1);
    gate("--base-file none.json").run().refuses(64, "none.json");
    gate("--base-file base.json --head main").run().refuses(64, "--head main");
}

#[test]
fn the_present_files_are_head_also_uncommitted_and_untracked_ones() {
    let repository = scripted();
    Script::steady(FILE, &[("work", 1e4)])
        .file("new.bench.mjs", [json!({ "name": "new", "counts_per_op": [1e4] })])
        .write(repository.project(), "script.json");
    repository.file("ignored/hidden.bench.mjs", "// scripted\n");
    let outcome = gate(&repository, "--base main --format json").run();
    let verdicts = outcome.exits(0).verdicts();
    assert_eq!(verdicts["new.bench.mjs::new"], "added", "{outcome}");
    assert_eq!(verdicts.len(), 2, "{outcome}");
    assert!(outcome.json()["head"]["commit"].as_str().unwrap().ends_with("-dirty"), "{outcome}");
    // Of a commit only what is in it.
    let outcome = gate(&repository, "--base main --head HEAD --format json").run();
    assert_eq!(outcome.exits(0).verdicts().len(), 1, "{outcome}");
}

#[test]
fn a_detached_head_a_subfolder_and_a_hooks_variables_are_no_matter() {
    let repository = scripted();
    repository.file("packages/one/b.bench.mjs", "// scripted\n");
    repository.file("packages/one/tiergate.toml", "repeats = 3\n").commit("package");
    Script::steady("b.bench.mjs", &[("b", 1e4)]).write(repository.project(), "script.json");
    repository.project().remove("b.bench.mjs");
    repository.git("checkout --quiet --detach");
    let folder = repository.path("packages/one");
    let outcome = gate(&repository, "--base main --format json")
        .env("GIT_INDEX_FILE", "/nonexistent/index")
        .env("GIT_DIR", "/nonexistent")
        .prepare(|command| {
            command.current_dir(folder);
        })
        .run();
    assert_eq!(outcome.exits(0).verdicts()["b.bench.mjs::b"], "ok", "{outcome}");
}

#[test]
fn the_build_runs_in_both_copies_and_only_once_for_each_tree() {
    let repository = scripted();
    let log = repository.path("saved.log");
    let build = format!(
        "[build]\ncommand = \"mkdir -p dist && cp {FILE} dist/ && pwd >> {}\"\n",
        log.display()
    );
    repository.file("tiergate.toml", build).file(".gitignore", "script*.json\nsaved*\ndist/\n");
    repository.commit("build").git("checkout --quiet -b change").file("x", "1");
    let built = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    gate(&repository, "--base main").run().exits(0);
    assert_eq!(built(), 2);
    gate(&repository, "--base main").run().exits(0);
    assert_eq!(built(), 2, "both builds are kept");
    repository.file("x", "2");
    gate(&repository, "--base main").run().exits(0);
    assert_eq!(built(), 3);
    let folders: Vec<usize> = fs::read_to_string(&log).unwrap().lines().map(str::len).collect();
    assert!(folders.windows(2).all(|two| two[0] == two[1]), "paths of equal length: {folders:?}");
    assert!(!repository.path("dist").exists());
}

#[test]
fn a_build_that_fails_is_incomplete_and_shows_its_output() {
    let repository = scripted();
    repository.file("tiergate.toml", "[build]\ncommand = \"echo went wrong; exit 3\"\n");
    gate(&repository, "--base main").run().exits(4).says("went wrong").says("exit code 3");
}

#[test]
fn packages_are_shared_and_workspaces_are_each_sides_own() {
    let repository = Repository::of(Project::with_budget(200, 50));
    let count = |steps: u32| {
        format!(
            "export const work = () => {{ let n = 0; for (let i = 0; i < {steps}; i++) n ^= i * 3; return n; }};\n"
        )
    };
    repository
        .file("node_modules/left/package.json", "{\"name\":\"left\",\"main\":\"i.js\"}")
        .file("node_modules/left/i.js", "module.exports = 1;")
        .file("packages/own/package.json", "{\"name\":\"own\",\"type\":\"module\",\"exports\":\"./i.js\"}")
        .file("packages/own/i.js", count(5_000))
        .file(
            "a.bench.mjs",
            "import { bench } from 'tiergate';\nimport 'left';\nimport { work } from 'own';\nbench('work', work);\n",
        );
    symlink("../packages/own", repository.path("node_modules/own")).unwrap();
    repository.commit("packages").git("checkout --quiet -b change");
    repository.file("packages/own/i.js", count(5_500));
    let state = repository.state();
    let outcome = repository.tiergate("gate --base main --format json --instrument wall").run();
    // The clock decides nothing here; that both sides ran with their own copy does.
    assert!(matches!(outcome.code, Some(0 | 1 | 3)), "{outcome}");
    assert!(outcome.json()["rows"][0]["head_per_op"].is_number(), "{outcome}");
    assert_eq!(repository.state(), state);
}

#[test]
fn files_of_the_work_tree_itself_are_no_side() {
    let repository = Repository::of(Project::with_budget(20, 5));
    let lib = repository.path("lib.mjs");
    repository.file("lib.mjs", "export const work = () => 1;\n").file(
        "a.bench.mjs",
        format!(
            "import {{ bench }} from 'tiergate';\nimport {{ work }} from '{}';\nbench('w', work);\n",
            lib.display()
        ),
    );
    repository.commit("absolute");
    repository.file("x", "1");
    let outcome = repository.tiergate("gate --base main --instrument wall").run();
    outcome.refuses(4, "lib.mjs").says("relative path");
}

#[test]
fn submodules_come_along_and_a_missing_commit_is_said() {
    let module = scripted();
    let repository = scripted();
    let url = module.path("").display().to_string();
    repository.git(&format!("submodule --quiet add {url} sub")).commit("submodule");
    Script::steady(FILE, &[("work", 1e4)])
        .file("sub/a.bench.mjs", [json!({ "name": "sub", "counts_per_op": [1e4] })])
        .write(repository.project(), "script.json");
    let outcome = gate(&repository, "--base main --format json --no-build-hash").run();
    assert_eq!(outcome.exits(0).verdicts()["sub/a.bench.mjs::sub"], "ok", "{outcome}");

    // Record a commit that nobody has.
    let commit = "0123456789012345678901234567890123456789";
    repository.git(&format!("update-index --cacheinfo 160000,{commit},sub"));
    repository.git("commit --quiet --message broken");
    gate(&repository, "--base HEAD --head HEAD").run().refuses(4, "submodule `sub`");
}

#[test]
fn folders_that_can_not_be_written_to_are_named() {
    if nix::unistd::geteuid().is_root() {
        // Permissions hold nobody back here; a file in the folder's place does.
        let repository = scripted();
        repository.file("saved/file", "");
        let cache = repository.path("saved/file");
        gate(&repository, "--base main")
            .env("XDG_CACHE_HOME", &cache)
            .env("HOME", &cache)
            .env("TMPDIR", &cache)
            .run()
            .exits(4);
        return;
    }
    let repository = scripted();
    let folder = repository.path("saved");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    gate(&repository, "--base main --save saved/gate").run().refuses(4, "saved/gate");
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let repository = scripted();
    // No file of this process may grow beyond some bytes: what a full disk looks like.
    repository.file("big.txt", "x".repeat(200_000));
    let state = repository.state();
    let outcome = gate(&repository, "--base main")
        .prepare(|command| {
            use std::os::unix::process::CommandExt;
            // SAFETY: the closure makes one system call.
            #[allow(unsafe_code, reason = "the limit is set between fork and exec")]
            unsafe {
                command.pre_exec(|| {
                    let limit = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
                    libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                    libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
                    Ok(())
                });
            }
        })
        .run();
    outcome.exits(4);
    assert_eq!(repository.state(), state);
}

#[test]
fn an_interrupted_gate_is_gone_on_with() {
    let repository = scripted();
    let slow = json!({ "name": "slow", "counts_per_op": [1e4], "delay_ms": 300 });
    let quick = json!({ "name": "quick", "counts_per_op": [1e4] });
    Script::new().file(FILE, [quick, slow]).write(repository.project(), "script.json");
    repository.file("x", "1");
    let line = "--base main --no-build-hash --jobs 1 --save saved";
    let mut running = gate(&repository, line).start();
    running.wait_until("the quick bench was measured", |project| {
        let text = fs::read_to_string(project.path("saved/head.json")).unwrap_or_default();
        text.contains("\"measured\"")
    });
    running.signal(Signal::SIGINT);
    running.end().exits(130).says("--resume");
    let outcome = gate(&repository, &format!("{line} --resume --format json")).run();
    let verdicts = outcome.exits(0).verdicts();
    assert_eq!(verdicts.len(), 2, "{outcome}");
    assert!(outcome.json()["notes"].to_string().contains("before the interruption"), "{outcome}");
    // Other files are another gate.
    repository.file("x", "2");
    gate(&repository, &format!("{line} --resume")).run().exits(0).says("have changed");
}

#[test]
fn a_time_limit_leaves_the_rest_incomplete() {
    let repository = scripted();
    let benches = (0..20).map(
        |number| json!({ "name": format!("b{number}"), "counts_per_op": [1e4], "delay_ms": 150 }),
    );
    Script::new().file(FILE, benches).write(repository.project(), "script.json");
    repository.file("x", "1");
    let line = "--base main --no-build-hash --jobs 1 --format json";
    let outcome = gate(&repository, &format!("{line} --time-limit 1")).run();
    outcome.exits(4);
    assert!(outcome.stdout.contains("the time limit of 1 s was reached"), "{outcome}");
    let outcome = gate(&repository, &format!("{line} --bench-time-limit 0 --filter *b1")).run();
    assert!(outcome.exits(4).stdout.contains("for one bench"), "{outcome}");
}
