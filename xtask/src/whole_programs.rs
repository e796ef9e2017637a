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

/// Packages whose published archives hold their tests: of parsers, data structures and streams, hashes and ciphers, in
/// JavaScript, in wasm, and a native addon.
const SUITES: [&str; 14] = [
    "qs",
    "minimist",
    "jsonparse",
    "json-stable-stringify",
    "deep-equal",
    "varint",
    "bl",
    "duplexify",
    "split2",
    "sha.js",
    "siphash24",
    "blake2b-wasm",
    "xsalsa20",
    "sodium-native",
];

/// Determinism flags of Node, and of JavaScriptCore as environment variables.
const NODE_FLAGS: [&str; 3] = ["--single-threaded", "--random-seed=42", "--hash-seed=42"];
pub(crate) const BUN_SERIAL: [(&str, &str); 2] =
    [("BUN_JSC_useConcurrentJIT", "0"), ("BUN_JSC_useConcurrentGC", "0")];

/// `cargo xtask whole-programs [ENGINE…]`
pub(crate) fn run(words: &[String]) -> Result<()> {
    let engines = chosen(words);
    let driver = prepare()?;
    println!("\n| program | {} |", engines.join(" | "));
    println!("|---{}|", "|---".repeat(engines.len()));
    let mut failed = 0;
    for program in PROGRAMS {
        let mut cells = Vec::new();
        for engine in &engines {
            let script = Script::program(program);
            let case = Case { driver: &driver, engine, script, settings: Settings::default() };
            let outcome = case.compare()?;
            failed += usize::from(outcome.is_err());
            cells.push(match outcome {
                Ok(same) => format!("equal, {:.2} G", same.instructions / 1e9),
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
            let script = Script::program("stress");
            let case = Case { driver: &driver, engine, script, settings };
            let mut reasons = Vec::new();
            for _ in 0..times {
                reasons.extend(case.compare()?.err().map(|reason| reason.to_string()));
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

/// `cargo xtask package-suites [ENGINE…] [PACKAGE…]`: the test suites that packages publish, natively and counted.
pub(crate) fn package_suites(words: &[String]) -> Result<()> {
    let engines = chosen(words);
    windows::install()?;
    setup::package_suites()?;
    let driver = build_driver()?;
    println!("\n| package | {} |", engines.join(" | "));
    println!("|---{}|", "|---".repeat(engines.len()));
    let mut failed = 0;
    let named: Vec<&str> = SUITES.into_iter().filter(|p| words.iter().any(|w| w == p)).collect();
    for package in if named.is_empty() { SUITES.to_vec() } else { named } {
        let mut cells = Vec::new();
        for engine in &engines {
            let script = Script::suite(package);
            let case = Case { driver: &driver, engine, script, settings: Settings::default() };
            cells.push(match case.compare()? {
                Ok(same) => format!(
                    "equal, {} passed, {:.2} G",
                    passed(&same.output).context("the suite says nothing of passed tests")?,
                    same.instructions / 1e9
                ),
                Err(Unequal::Natively(_)) => "skipped: fails natively".to_owned(),
                Err(reason) => {
                    failed += 1;
                    format!("**{reason}**")
                }
            });
        }
        println!("| {package} | {} |", cells.join(" | "));
    }
    if failed > 0 {
        bail!("{failed} suites differ");
    }
    Ok(())
}

/// The engines named; two of Node if none is.
fn chosen(words: &[String]) -> Vec<&'static str> {
    let named = |name: &&str| words.iter().any(|word| word == name);
    let engines: Vec<&str> = ENGINES.into_iter().filter(named).collect();
    if engines.is_empty() { vec!["node-22", "node-24"] } else { engines }
}

/// Tests passed, as the Test Anything Protocol's harness sums them up.
fn passed(output: &str) -> Option<u64> {
    let count = |line: &str| line.strip_prefix("# pass ")?.trim().parse::<u64>().ok();
    output.lines().rev().find_map(count)
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

/// What an engine is to run.
struct Script {
    folder: &'static str,
    words: Vec<String>,
}

impl Script {
    fn program(name: &str) -> Self {
        Self { folder: "tests/programs", words: vec![format!("{name}.mjs")] }
    }

    fn suite(package: &str) -> Self {
        Self { folder: "tests/packages", words: vec!["suite.cjs".to_owned(), package.to_owned()] }
    }
}

/// Why a program can't be called the same natively and counted.
enum Unequal {
    /// It doesn't even run natively.
    Natively(String),
    Differs(String),
}

impl std::fmt::Display for Unequal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Natively(reason) => write!(f, "fails natively: {reason}"),
            Self::Differs(reason) => f.write_str(reason),
        }
    }
}

/// Natively and counted, a program said and did the same.
struct Same {
    instructions: f64,
    output: String,
}

struct Case<'a> {
    driver: &'a Path,
    engine: &'a str,
    script: Script,
    settings: Settings,
}

impl Case<'_> {
    /// Runs natively and counted. What was the same, or what differs.
    fn compare(&self) -> Result<Result<Same, Unequal>> {
        let report = std::env::temp_dir().join(format!("tiergate-whole-{}", std::process::id()));
        let native = self.command()?.output()?;
        let counted = self
            .command()?
            .env("LD_PRELOAD", self.driver)
            .env("TIERGATE_DRIVER", &report)
            .output()?;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        let _ = std::fs::remove_file(&report);
        let output = String::from_utf8_lossy(&native.stdout).into_owned();
        let judged = judge(&native, &counted, &text);
        Ok(judged.map(|instructions| Same { instructions, output }))
    }

    fn command(&self) -> Result<Command> {
        let mut words = engine_command(self.engine)?;
        if self.settings.serial && self.engine.starts_with("node") {
            words.extend(NODE_FLAGS.map(str::to_owned));
        }
        if self.settings.fixed_addresses {
            words.splice(0..0, ["setarch".to_owned(), "--addr-no-randomize".to_owned()]);
        }
        let folder = root().join(self.script.folder);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(&self.script.words).current_dir(folder);
        if self.settings.serial && self.engine == "bun" {
            command.envs(BUN_SERIAL);
        }
        Ok(command)
    }
}

/// The first line in which two texts differ, of the first and of the second.
fn first_difference(first: &[u8], second: &[u8]) -> String {
    let [first, second] = [first, second].map(String::from_utf8_lossy);
    let [mut ours, mut theirs] = [first.lines(), second.lines()];
    loop {
        match (ours.next(), theirs.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return "other ends of lines".to_owned(),
            (a, b) => {
                return format!("`{}` instead of `{}`", a.unwrap_or("end"), b.unwrap_or("end"));
            }
        }
    }
}

fn judge(native: &Output, counted: &Output, report: &str) -> Result<f64, Unequal> {
    let differs = |reason: String| Err(Unequal::Differs(reason));
    if native.status.code() != Some(0) {
        let text = String::from_utf8_lossy(&native.stderr);
        let line = text.lines().find(|line| line.contains("Error")).unwrap_or("no reason given");
        return Err(Unequal::Natively(line.to_owned()));
    }
    if counted.status != native.status {
        return differs(format!("{} instead of {}", counted.status, native.status));
    }
    if counted.stdout != native.stdout {
        return differs(format!(
            "another output: {}",
            first_difference(&counted.stdout, &native.stdout)
        ));
    }
    if counted.stderr != native.stderr {
        return differs(format!(
            "other messages: {}",
            first_difference(&counted.stderr, &native.stderr)
        ));
    }
    // A window that is open at the end says so.
    let whole = ["incomplete: None", "incomplete: Some(\n        Exited,\n    )"];
    if !whole.iter().any(|words| report.contains(words)) {
        return differs("the count is not complete".to_owned());
    }
    report
        .lines()
        .find_map(|line| line.strip_prefix("total ")?.parse().ok())
        .filter(|total: &f64| *total > 0.0)
        .ok_or_else(|| Unequal::Differs("no count".to_owned()))
}
