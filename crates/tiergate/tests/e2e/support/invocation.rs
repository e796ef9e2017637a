//! One run of the binary, and what came of it.

use super::Project;
use super::engines::tests_folder;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A run that hangs must not hang the tests; no run takes nearly so long.
const LONGEST_RUN: Duration = Duration::from_secs(400);

/// A command line in the making.
pub(crate) struct Invocation<'a> {
    command: Command,
    line: String,
    project: &'a Project,
}

impl<'a> Invocation<'a> {
    pub(super) fn new(project: &'a Project) -> Self {
        Self::of(project, env!("CARGO_BIN_EXE_tiergate"))
    }

    /// Another program, with the same environment.
    pub(super) fn of(project: &'a Project, program: impl AsRef<OsStr>) -> Self {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let line = program.as_ref().to_string_lossy().into_owned();
        let mut command = Command::new(program);
        command
            .current_dir(project.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", kept.join("home"))
            // Unpacked once for all tests.
            .env("XDG_CACHE_HOME", kept.join("cache"))
            .env("DENO_DIR", kept.join("deno"))
            .env("TIERGATE_ENGINES", tests_folder());
        Self { command, line, project }
    }

    pub(crate) fn words(self, words: &str) -> Self {
        words.split_whitespace().fold(self, Self::arg)
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.line.push(' ');
        self.line.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Changes the command in a way that only few tests need.
    pub(crate) fn prepare(mut self, change: impl FnOnce(&mut Command)) -> Self {
        change(&mut self.command);
        self
    }

    /// Takes the answers of `--instrument mock` from a script in the project.
    pub(crate) fn script(self, name: &str) -> Self {
        let path = self.project.path(name);
        self.env("TIERGATE_MOCK", path)
    }

    /// Runs it to its end, its output being any bytes.
    pub(crate) fn bytes(self) -> Output {
        assert_cmd::Command::from_std(self.command)
            .timeout(LONGEST_RUN)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.line))
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Outcome {
        let line = self.line.clone();
        let output = self.bytes();
        Outcome {
            line,
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Starts it with the streams that it was given.
    pub(crate) fn spawn_as_it_is(mut self) -> Child {
        self.command.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts it and comes back; the output goes to files of the project.
    pub(crate) fn start(mut self) -> Running<'a> {
        let sink = |name| Stdio::from(fs::File::create(self.project.path(name)).unwrap());
        let child = self
            .command
            .stdin(Stdio::null())
            .stdout(sink("stdout"))
            .stderr(sink("stderr"))
            .spawn()
            .unwrap();
        Running { child, line: self.line, project: self.project }
    }
}

/// A run that goes on beside the test.
pub(crate) struct Running<'a> {
    child: Child,
    line: String,
    project: &'a Project,
}

impl Running<'_> {
    /// Waits until something holds, and panics with the output where it never does.
    pub(crate) fn wait_until(&mut self, what: &str, holds: impl Fn(&Project) -> bool) {
        for _ in 0..6_000 {
            if holds(self.project) {
                return;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("{}: ended ({status}) before {what}\n{}", self.line, self.stderr());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        panic!("{}: never {what}\n{}", self.line, self.stderr());
    }

    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let id = nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        nix::sys::signal::kill(id, signal).unwrap();
    }

    pub(crate) fn stderr(&self) -> String {
        self.project.read("stderr")
    }

    pub(crate) fn end(mut self) -> Outcome {
        let status = self.child.wait().unwrap();
        let stdout = self.project.read("stdout");
        Outcome { code: status.code(), stdout, stderr: self.stderr(), line: self.line }
    }
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    line: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Standard error holds a text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "`{text}` is not on standard error\n{self}");
        self
    }

    /// Standard output holds a text.
    #[track_caller]
    pub(crate) fn prints(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "`{text}` is not on standard output\n{self}");
        self
    }

    /// One line of error that names the thing, at least one hint, and nothing on standard output.
    #[track_caller]
    pub(crate) fn refuses(&self, code: i32, named: &str) -> &Self {
        self.exits(code);
        let errors: Vec<&str> =
            self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(matches!(errors[..], [error] if error.contains(named)), "`{named}`\n{self}");
        assert!(self.stderr.lines().any(|line| line.starts_with("hint: ")), "no hint\n{self}");
        assert!(self.stdout.is_empty(), "{self}");
        self
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// The verdict of every row of a comparison in JSON, by id.
    #[track_caller]
    pub(crate) fn verdicts(&self) -> std::collections::BTreeMap<String, String> {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let document = self.json();
        let rows = document["rows"].as_array().unwrap_or_else(|| panic!("no rows\n{self}"));
        rows.iter().map(|row| (text(&row["id"]), text(&row["verdict"]))).collect()
    }

    /// The ids of a list in JSON, in its order.
    #[track_caller]
    pub(crate) fn listed(&self) -> Vec<String> {
        let document = self.json();
        let benches = document["benches"].as_array().unwrap_or_else(|| panic!("{self}"));
        benches.iter().map(|one| one["bench"]["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, code, stdout, stderr } = self;
        write!(formatter, "$ {line}\nexit: {code:?}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}
