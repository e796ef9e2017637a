//! `tiergate.lock`: the warm-up and window of every bench, so that all runs use the same.

use crate::StoreError;
use crate::files::{self, Loaded};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tiergate_model::{BenchId, EngineKind, OpBudget};
use toml::{Table, Value};

/// The version of the lock's format; a reader refuses every other.
const LOCK_VERSION: i64 = 1;

const HEADING: &str = "\
# Written by tiergate: the ops before and in the window of every bench, per engine.
# Keep it in version control, so that base and head are measured alike.
";

/// What the lock knows of one bench on one engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LockEntry {
    /// Ops before and in the window.
    pub budget: OpBudget,
    /// Wall-clock seconds that one reading took when this was recorded.
    pub seconds: f64,
}

/// The content of `tiergate.lock`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lock {
    engines: BTreeMap<String, BTreeMap<BenchId, LockEntry>>,
}

/// The name under which the lock keeps an engine: its kind and major version, as `node-24`.
pub fn lock_engine(kind: EngineKind, version: &str) -> String {
    let major = version.split('.').next().unwrap_or_default();
    format!("{kind}-{major}")
}

impl Lock {
    /// Reads a lock; one that does not exist is empty.
    ///
    /// # Errors
    /// When the file can't be read, is no TOML, has another version, or an entry can't be used.
    pub fn read(path: impl AsRef<Path>) -> Result<Loaded<Self>, StoreError> {
        let path = path.as_ref();
        match files::read(path) {
            Ok(bytes) => Self::parse(path, &bytes),
            Err(StoreError::Missing { .. }) => {
                Ok(Loaded { value: Self::default(), warnings: Vec::new() })
            }
            Err(other) => Err(other),
        }
    }

    /// What is known of a bench on an engine, as [`lock_engine`] names it.
    pub fn get(&self, engine: &str, id: &BenchId) -> Option<&LockEntry> {
        self.engines.get(engine)?.get(id)
    }

    /// Records a bench on an engine, as [`lock_engine`] names it.
    pub fn insert(&mut self, engine: &str, id: BenchId, entry: LockEntry) {
        self.engines.entry(engine.to_owned()).or_default().insert(id, entry);
    }

    /// Takes over the entries of another lock; where both have one, the other's is kept.
    pub fn merge(&mut self, newer: Self) {
        for (engine, benches) in newer.engines {
            self.engines.entry(engine).or_default().extend(benches);
        }
    }

    /// Writes the lock in one step, sorted by engine and id, so that a change of one bench is a
    /// change of its lines only.
    ///
    /// # Errors
    /// When the file can't be written; the old content is kept.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        let path = path.as_ref();
        let text = self.to_text().map_err(|error| StoreError::Unwritable {
            path: path.to_owned(),
            cause: std::io::Error::other(error),
        })?;
        files::write(path, text.as_bytes())
    }

    fn to_text(&self) -> Result<String, toml::ser::Error> {
        let mut text = format!("{HEADING}version = {LOCK_VERSION}\n");
        let engines: BTreeMap<&str, BTreeMap<&str, WrittenEntry>> = self
            .engines
            .iter()
            .map(|(engine, benches)| {
                let benches = benches.iter().map(|(id, entry)| (id.as_str(), entry.into()));
                (engine.as_str(), benches.collect())
            })
            .collect();
        let tables = toml::to_string(&engines)?;
        if !tables.is_empty() {
            text.push('\n');
            text.push_str(&tables);
        }
        Ok(text)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Loaded<Self>, StoreError> {
        let fault = |line, fault: &str| StoreError::LockSyntax {
            path: path.to_owned(),
            line,
            fault: fault.to_owned(),
        };
        let text = std::str::from_utf8(bytes)
            .map_err(|error| fault(line_of(bytes, error.valid_up_to()), "it is not UTF-8 there"))?;
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            let place = error.span().map_or(0, |span| span.start);
            fault(line_of(bytes, place), error.message())
        })?;
        match table.remove("version") {
            Some(Value::Integer(LOCK_VERSION)) => {}
            Some(Value::Integer(found)) => {
                let path = path.to_owned();
                return Err(StoreError::LockVersion { path, found, known: LOCK_VERSION });
            }
            _ => return Err(fault(1, "it has no `version = NUMBER`")),
        }
        let mut loaded = Loaded { value: Self::default(), warnings: Vec::new() };
        for (engine, benches) in table {
            let Value::Table(benches) = benches else {
                loaded.warnings.push(unknown_key(path, &engine));
                continue;
            };
            for (id, entry) in benches {
                let place = format!("[{engine}.{}]", Value::String(id.clone()));
                let entry =
                    parse_entry(path, &place, entry, &mut loaded.warnings).map_err(|fault| {
                        StoreError::LockEntry { path: path.to_owned(), entry: place.clone(), fault }
                    })?;
                loaded.value.insert(&engine, BenchId::from_text(id), entry);
            }
        }
        Ok(loaded)
    }
}

/// Adds entries to a lock on disk: reads it, takes over the entries, and writes it.
///
/// # Errors
/// When the lock has a fault, which is not overwritten, or can't be written.
pub fn merge_into_lock(path: impl AsRef<Path>, newer: Lock) -> Result<(), StoreError> {
    let mut lock = Lock::read(&path)?.value;
    lock.merge(newer);
    lock.write(path)
}

#[derive(Serialize)]
struct WrittenEntry {
    warmup_ops: u64,
    window_ops: u64,
    seconds: f64,
}

impl From<&LockEntry> for WrittenEntry {
    fn from(entry: &LockEntry) -> Self {
        Self {
            warmup_ops: entry.budget.warmup_ops,
            window_ops: entry.budget.window_ops,
            // More digits would change with every recording and say nothing.
            seconds: (entry.seconds * 100.0).round() / 100.0,
        }
    }
}

fn parse_entry(
    path: &Path,
    place: &str,
    entry: Value,
    warnings: &mut Vec<String>,
) -> Result<LockEntry, String> {
    let Value::Table(mut entry) = entry else {
        return Err("it is no table".to_owned());
    };
    let warmup_ops = ops(&mut entry, "warmup_ops", 0)?;
    let window_ops = ops(&mut entry, "window_ops", 1)?;
    let seconds = match entry.remove("seconds") {
        Some(Value::Float(seconds)) if seconds.is_finite() && seconds >= 0.0 => seconds,
        Some(Value::Integer(seconds)) if seconds >= 0 => seconds as f64,
        Some(_) => return Err("`seconds` is no number of seconds".to_owned()),
        None => return Err("`seconds` is missing".to_owned()),
    };
    warnings.extend(entry.keys().map(|key| unknown_key(path, &format!("{place} {key}"))));
    Ok(LockEntry { budget: OpBudget { warmup_ops, window_ops }, seconds })
}

fn ops(entry: &mut Table, key: &str, least: u64) -> Result<u64, String> {
    match entry.remove(key) {
        Some(Value::Integer(ops)) => u64::try_from(ops)
            .ok()
            .filter(|ops| *ops >= least)
            .ok_or_else(|| format!("`{key}` is {ops}, it must be at least {least}")),
        Some(_) => Err(format!("`{key}` is no whole number")),
        None => Err(format!("`{key}` is missing")),
    }
}

fn unknown_key(path: &Path, key: &str) -> String {
    format!("`{}` has the unknown key `{key}`, ignored", path.display())
}

fn line_of(bytes: &[u8], offset: usize) -> usize {
    bytes.iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}
