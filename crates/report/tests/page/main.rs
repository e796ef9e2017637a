//! The HTML report in a real browser. The pages are made here; what they do in Chromium is tested
//! by `tests/page/page.test.mjs` of the repository.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests and their helpers fail by panicking")]

mod pages;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's and Ubuntu's name, Fedora's, and Google's.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

#[test]
fn the_page_works_in_chromium() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/page");
    let pages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&pages).unwrap();
    for (name, page) in pages::all() {
        std::fs::write(pages.join(name).with_extension("html"), page).unwrap();
    }
    let missing = match browser() {
        None => "no Chromium is installed",
        Some(_) if !tests.join("node_modules/playwright-core").is_dir() => {
            "`tests/page/node_modules` is not installed"
        }
        Some(_) if !answers("node") => "no Node.js is installed",
        Some(browser) => return test(&tests, &pages, &browser),
    };
    // Not by a macro, whose output the test runner would keep to itself.
    let hint = "`cargo xtask setup` installs what is missing, where it may";
    let skipped = format!("\nSKIPPED: the HTML report in a browser: {missing}; {hint}\n");
    std::io::stderr().write_all(skipped.as_bytes()).unwrap();
    assert!(
        std::env::var_os("TIERGATE_BROWSER_TESTS").is_none(),
        "the browser's tests are demanded, and {missing}"
    );
}

fn test(tests: &Path, pages: &Path, browser: &Path) {
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec", "page.test.mjs"])
        .current_dir(tests)
        .env("TIERGATE_PAGES", pages)
        .env("TIERGATE_BROWSER", browser)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    // A file without tests passes as one.
    let tests = text.lines().find_map(|line| line.trim().strip_prefix("ℹ pass "));
    let tests: usize = tests.and_then(|count| count.parse().ok()).unwrap_or_default();
    assert!(tests >= 20, "only {tests} passed:\n{text}");
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file())
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
