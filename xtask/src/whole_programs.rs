//! Whole programs under the counter, from their first line to their last: what they print and how
//! they end must be as natively, and the count complete.

use crate::steps::root;
use crate::windows::{ENGINES, build_driver, engine_command};
use crate::{setup, windows};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Output};

const PROGRAMS: [&str; 15] = [
    "acorn",
    "esprima",
    "marked",
    "handlebars",
    "zod",
    "lodash",
    "terser",
    "typescript",
    "noble-hashes",
    "tweetnacl",
    "fflate",
    "readable-stream",
    "sql",
    "lz4",
    "kernels",
];

/// Determinism flags of Node, and of JavaScriptCore as environment variables.
const NODE_FLAGS: [&str; 3] = ["--single-threaded", "--random-seed=42", "--hash-seed=42"];
pub(crate) const BUN_SERIAL: [(&str, &str); 2] =
    [("BUN_JSC_useConcurrentJIT", "0"), ("BUN_JSC_useConcurrentGC", "0")];

/// `cargo xtask whole-programs [ENGINE…]`
pub(crate) fn run(words: &[String]) -> Result<()> {
    let chosen = |name: &&str| words.iter().any(|word| word == name);
    let mut engines: Vec<&str> = ENGINES.into_iter().filter(chosen).collect();
    if engines.is_empty() {
        engines = vec!["node-22", "node-24"];
    }
    let driver = prepare()?;
    println!("\n| program | {} |", engines.join(" | "));
    println!("|---{}|", "|---".repeat(engines.len()));
    let mut failed = 0;
    for program in PROGRAMS {
        let mut cells = Vec::new();
        for engine in &engines {
            let case = Case { driver: &driver, engine, program, settings: Settings::default() };
            let outcome = case.compare()?;
            failed += usize::from(outcome.is_err());
            cells.push(match outcome {
                Ok(instructions) => format!("equal, {:.2} G", instructions / 1e9),
                Err(reason) => format!("**{reason}**"),
            });
        }
        println!("| {program} | {} |", cells.join(" | "));
    }
    if failed > 0 {
        bail!("{failed} programs differ");
    }
    Ok(())
}

/// `cargo xtask stress [--times N] [ENGINE…]`: the stress program again and again, in every setting.
pub(crate) fn stress(words: &[String]) -> Result<()> {
    let mut times = 5;
    let mut engines = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--times" => times = words.next().context("`--times` needs a number")?.parse()?,
            engine if ENGINES.contains(&engine) => engines.push(engine),
            other => bail!("`{other}` is no engine"),
        }
    }
    if engines.is_empty() {
        engines = ENGINES.to_vec();
    }
    let driver = prepare()?;
    println!("\n| engine | setting | runs | equal |");
    println!("|---|---|---|---|");
    let mut failed = 0;
    for engine in engines {
        for settings in Settings::of(engine) {
            let case = Case { driver: &driver, engine, program: "stress", settings };
            let mut reasons = Vec::new();
            for _ in 0..times {
                reasons.extend(case.compare()?.err());
            }
            failed += reasons.len();
            let equal = times - reasons.len();
            let text = reasons.first().map(|reason| format!(": {reason}")).unwrap_or_default();
            println!("| {engine} | {settings} | {times} | {equal}{text} |");
        }
    }
    if failed > 0 {
        bail!("{failed} runs differ");
    }
    Ok(())
}

fn prepare() -> Result<std::path::PathBuf> {
    windows::install()?;
    setup::programs()?;
    build_driver()
}

/// How an engine is started.
#[derive(Clone, Copy, Default)]
struct Settings {
    /// One thread and fixed seeds, as far as the engine's flags go.
    serial: bool,
    fixed_addresses: bool,
}

impl Settings {
    fn of(engine: &str) -> Vec<Self> {
        let all = [(false, false), (false, true), (true, false), (true, true)];
        let all = all.map(|(serial, fixed_addresses)| Self { serial, fixed_addresses });
        all.into_iter().filter(|settings| !settings.serial || engine != "deno").collect()
    }
}

impl std::fmt::Display for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let threads = if self.serial { "one thread, fixed seeds" } else { "defaults" };
        let addresses = if self.fixed_addresses { "fixed addresses" } else { "random addresses" };
        write!(f, "{threads}, {addresses}")
    }
}

struct Case<'a> {
    driver: &'a Path,
    engine: &'a str,
    program: &'a str,
    settings: Settings,
}

impl Case<'_> {
    /// Runs natively and counted. The instructions, or what differs.
    fn compare(&self) -> Result<Result<f64, String>> {
        let report = std::env::temp_dir().join(format!("tiergate-whole-{}", std::process::id()));
        let native = self.command()?.output()?;
        let counted = self
            .command()?
            .env("LD_PRELOAD", self.driver)
            .env("TIERGATE_DRIVER", &report)
            .output()?;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        let _ = std::fs::remove_file(&report);
        Ok(judge(&native, &counted, &text))
    }

    fn command(&self) -> Result<Command> {
        let mut words = engine_command(self.engine)?;
        if self.settings.serial && self.engine.starts_with("node") {
            words.extend(NODE_FLAGS.map(str::to_owned));
        }
        if self.settings.fixed_addresses {
            words.splice(0..0, ["setarch".to_owned(), "--addr-no-randomize".to_owned()]);
        }
        let folder = root().join("tests/programs");
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(format!("{}.mjs", self.program)).current_dir(folder);
        if self.settings.serial && self.engine == "bun" {
            command.envs(BUN_SERIAL);
        }
        Ok(command)
    }
}

fn judge(native: &Output, counted: &Output, report: &str) -> Result<f64, String> {
    if native.status.code() != Some(0) {
        let text = String::from_utf8_lossy(&native.stderr);
        let line = text.lines().find(|line| line.contains("Error")).unwrap_or("no reason given");
        return Err(format!("fails natively: {line}"));
    }
    if counted.status != native.status {
        return Err(format!("{} instead of {}", counted.status, native.status));
    }
    if counted.stdout != native.stdout {
        return Err("another output".to_owned());
    }
    if counted.stderr != native.stderr {
        return Err("other messages".to_owned());
    }
    // A window that is open at the end says so.
    let whole = ["incomplete: None", "incomplete: Some(\n        Exited,\n    )"];
    if !whole.iter().any(|words| report.contains(words)) {
        return Err("the count is not complete".to_owned());
    }
    report
        .lines()
        .find_map(|line| line.strip_prefix("total ")?.parse().ok())
        .filter(|total: &f64| *total > 0.0)
        .ok_or_else(|| "no count".to_owned())
}
