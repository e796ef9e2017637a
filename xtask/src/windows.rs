//! The programs in `tests/windows`: one window each, run with the counter's example driver.

use crate::setup;
use crate::steps::{command, must_run, root};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const ENGINES: [&str; 6] = ["node-20", "node-22", "node-24", "node-26", "bun", "deno"];
pub(crate) const WORKLOADS: [&str; 7] =
    ["encode", "json", "churn", "regexp", "sha256", "wasm", "typescript"];

/// Flags that keep helper threads and seeds out of the comparison.
pub(crate) const NODE_FLAGS: [&str; 4] =
    ["--single-threaded", "--random-seed=42", "--hash-seed=42", "--v8-pool-size=0"];

/// Builds the driver, as fast as it is inside the tool; returns its path.
pub(crate) fn build_driver() -> Result<PathBuf> {
    let build = ["build", "--release", "--package", "tiergate-counter", "--example", "driver"];
    must_run(command("cargo", &build).args(["--example", "oracle"]))?;
    Ok(examples().join("libdriver.so"))
}

/// Where the counter's examples are built.
pub(crate) fn examples() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root().join("target"), PathBuf::from).join("release/examples")
}

/// Installs the engines where one is missing.
pub(crate) fn install() -> Result<()> {
    for engine in ENGINES {
        if !Path::new(&engine_command(engine)?[0]).exists() {
            return setup::engines();
        }
    }
    Ok(())
}

/// An engine's program and the arguments that come before a script.
pub(crate) fn engine_command(engine: &str) -> Result<Vec<String>> {
    let modules = root().join("tests/node_modules");
    let path = |relative: &str| modules.join(relative).to_string_lossy().into_owned();
    Ok(match engine {
        "bun" => vec![path("@oven/bun-linux-x64/bin/bun")],
        "deno" => vec![path("@deno/linux-x64-glibc/deno"), "run".into(), "-A".into()],
        node if ENGINES.contains(&node) => vec![path(&format!("{node}/bin/node"))],
        other => bail!("`{other}` is no engine of the tests"),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Native,
    Counted,
    Callgrind,
}

pub(crate) struct Window<'a> {
    pub(crate) driver: &'a Path,
    pub(crate) engine: &'a str,
    pub(crate) workload: &'a str,
}

/// What a run of a window showed.
pub(crate) struct Seen {
    /// CPU time of the thread between the marks.
    pub(crate) cpu_us: f64,
    /// By the program's own clock.
    pub(crate) ns_per_op: f64,
    /// How long the counter took to be in place.
    pub(crate) attach_ns: Option<f64>,
}

impl Window<'_> {
    pub(crate) fn run(&self, mode: Mode, ops: Option<f64>) -> Result<Seen> {
        let report = std::env::temp_dir().join(format!("tiergate-window-{}", std::process::id()));
        let mut words = engine_command(self.engine)?;
        if self.engine.starts_with("node") {
            words.extend(NODE_FLAGS.map(str::to_owned));
        }
        if mode == Mode::Callgrind {
            let valgrind = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
            words.splice(0..0, valgrind.map(str::to_owned));
        }
        let mut run = Command::new(&words[0]);
        run.args(&words[1..])
            .arg(root().join(format!("tests/windows/{}.mjs", self.workload)))
            .env("LD_PRELOAD", self.driver)
            .env("TIERGATE_DRIVER", &report)
            .env("TIERGATE_DRIVER_MODE", if mode == Mode::Counted { "count" } else { "plain" });
        if let Some(ops) = ops {
            run.args([self.warmup().to_string(), ops.to_string()]);
        }
        let output = run.output().with_context(|| format!("can't run `{}`", words[0]))?;
        let text = std::fs::read_to_string(&report).with_context(|| {
            format!("no report; the program said: {}", String::from_utf8_lossy(&output.stderr))
        })?;
        std::fs::remove_file(&report)?;
        let said: serde_json::Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        if mode == Mode::Counted && !text.contains("incomplete: None") {
            bail!("the count is not complete:\n{text}");
        }
        Ok(Seen {
            cpu_us: number_after(&text, "cpu_us ").context("the report has no time")?,
            ns_per_op: said["nsPerOp"].as_f64().context("the program gave no time")?,
            attach_ns: number_after(&text, "attach_nanos: "),
        })
    }

    /// Calls before the window: enough for the engines to have compiled what the op runs, as tiergate's own windows are.
    fn warmup(&self) -> u32 {
        match self.workload {
            "json" | "churn" => 4_000,
            "typescript" => 200,
            _ => 40_000,
        }
    }
}

fn number_after(text: &str, word: &str) -> Option<f64> {
    let (_, rest) = text.split_once(word)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
