//! Whether run after run says the same of a file: counts and tiers of ten runs, on a machine that is
//! idle but for them or on one that is kept busy.

use crate::pinned::{prepare, print_heading, print_row, result, scratch};
use crate::steps::root;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hint::spin_loop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Where the benches are.
const EXAMPLE: &str = "examples/cache";

struct Options {
    times: usize,
    /// Threads that do nothing but spin, beside the runs.
    load: usize,
    engines: Vec<String>,
}

/// What all runs said of a bench.
#[derive(Default)]
struct Seen {
    counts: Vec<u64>,
    tiers: BTreeSet<String>,
}

/// Prints a Markdown table with a row for each engine: `cargo xtask same-runs [ENGINE…]`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::read(arguments)?;
    let engines = prepare(&options.engines)?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..options.load {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let printed = table(&engines, &options);
        stop.store(true, Ordering::Relaxed);
        printed
    })
}

fn table(engines: &[String], options: &Options) -> Result<()> {
    for (index, engine) in engines.iter().enumerate() {
        let seen = runs(engine, options.times)?;
        if index == 0 {
            let headings = [
                "engine",
                "busy threads",
                "benches",
                "runs",
                "counts",
                "equal",
                "furthest off",
                "other tiers",
            ];
            print_heading(headings);
        }
        let of_all = |what: fn(&Seen) -> usize| seen.values().map(what).sum::<usize>();
        let furthest = seen.values().map(Seen::furthest).fold(0.0, f64::max);
        let cells = [
            options.load.to_string(),
            seen.len().to_string(),
            options.times.to_string(),
            of_all(|bench| bench.counts.len()).to_string(),
            of_all(Seen::equal).to_string(),
            if furthest == 0.0 { "0".to_owned() } else { format!("{furthest:.0e}") },
            seen.values().filter(|bench| bench.tiers.len() > 1).count().to_string(),
        ];
        print_row(engine, cells);
        for (id, bench) in seen.iter().filter(|(_, bench)| bench.furthest() > 0.0) {
            eprintln!("{engine} {id}: {:?}", bench.counts);
        }
    }
    Ok(())
}

/// The first run finds the ops, where the example's lock does not hold them; all others take them
/// from there.
fn runs(engine: &str, times: usize) -> Result<BTreeMap<String, Seen>> {
    let folder = scratch(&format!("same-runs-{engine}"))?;
    copy(&root().join(EXAMPLE), &folder)?;
    result(&folder, &[], engine, &["--repeats", "3"])?;
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for _ in 0..times {
        let result = result(&folder, &[], engine, &["--repeats", "3"])?;
        for bench in result["benches"].as_array().context("the result has no benches")? {
            let id = bench["id"].as_str().context("a bench has no id")?;
            let readings = bench["readings"].as_array().context("a bench has no readings")?;
            let seen = seen.entry(id.to_owned()).or_default();
            seen.counts.extend(readings.iter().filter_map(|one| one["count"].as_u64()));
            seen.tiers.insert(readings.first().map_or(Value::Null, tiers).to_string());
        }
    }
    Ok(seen)
}

fn tiers(reading: &Value) -> Value {
    reading["proof"]["twin"]["tiers"].clone()
}

impl Seen {
    /// The count that most readings have.
    fn usual(&self) -> Option<u64> {
        let times = |count: &u64| self.counts.iter().filter(|one| *one == count).count();
        self.counts.iter().copied().max_by_key(times)
    }

    fn equal(&self) -> usize {
        self.counts.iter().filter(|count| Some(**count) == self.usual()).count()
    }

    /// How far a reading is from the usual one, a fraction.
    fn furthest(&self) -> f64 {
        let Some(usual) = self.usual() else { return 0.0 };
        let off = self.counts.iter().map(|count| count.abs_diff(usual) as f64 / usual as f64);
        off.fold(0.0, f64::max)
    }
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self> {
        let mut options = Self { times: 10, load: 0, engines: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut number = || -> Result<usize> {
                let text = words.next().with_context(|| format!("`{word}` needs a number"))?;
                text.parse().with_context(|| format!("`{text}` is no number"))
            };
            match word.as_str() {
                "--times" => options.times = number()?,
                "--load" => options.load = number()?,
                flag if flag.starts_with('-') => bail!("unknown option `{flag}`"),
                engine => options.engines.push(engine.to_owned()),
            }
        }
        Ok(options)
    }
}

fn copy(from: &Path, to: &PathBuf) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (from, to) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
