//! `tiergate merge`: the results of shards put together.

use super::gate::{exit_status, judge};
use crate::args::MergeOptions;
use crate::export::Exports;
use crate::failure::Failure;
use crate::output;
use crate::report::Report;
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};
use tiergate_model::{
    BenchStatus, ExitStatus, Fingerprint, FingerprintDifference, ResultFile, Shard,
};
use tiergate_store::{GateFolder, GateRecord, GateResults, read_result, write_result};

/// Fields in which the machines of shards may differ: both sides of a bench are measured on one.
const OF_THE_MACHINE: [&str; 5] =
    ["cpu.model", "cpu.features_hash", "libc", "kernel", "address_randomisation_off"];

pub(crate) fn merge(options: &MergeOptions) -> Result<ExitStatus, Failure> {
    let settings = Settings::load(options.config.as_deref(), &[])?;
    let exports = Exports::parse(&options.shown, &settings.root)?;
    let mut found = Found::default();
    found.search(&options.folder)?;
    if !found.gates.is_empty() {
        return merge_gates(&found.gates, options, &exports);
    }
    if !found.files.is_empty() {
        return merge_runs(&found.files, options, &exports);
    }
    Err(Failure::incomplete(format!(
        "no results of a gate or a run are in `{}`",
        options.folder.display()
    ))
    .hint("`tiergate gate --shard 1/4 --save FOLDER/1` writes them, for every shard"))
}

/// What lies in the folder.
#[derive(Default)]
struct Found {
    gates: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Found {
    fn search(&mut self, folder: &Path) -> Result<(), Failure> {
        if GateFolder::new(folder).is_used() {
            self.gates.push(folder.to_owned());
            return Ok(());
        }
        let unreadable = |error: io::Error| {
            Failure::usage(format!("can't read `{}`: {error}", folder.display()))
                .hint("name the folder that holds the shards' results")
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            paths.push(entry.map_err(unreadable)?.path());
        }
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.search(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "json") {
                self.files.push(path);
            }
        }
        Ok(())
    }
}

fn merge_gates(
    folders: &[PathBuf],
    options: &MergeOptions,
    exports: &Exports,
) -> Result<ExitStatus, Failure> {
    let mut gates = Vec::new();
    for folder in folders {
        let loaded = GateFolder::new(folder).read()?;
        loaded.warnings.iter().for_each(|warning| output::warning(warning));
        gates.push(loaded.value);
    }
    let shards = gates.iter().map(|gate| (gate.record.shard, gate.folder.as_path()));
    check_shards(&shards.collect::<Vec<_>>())?;
    check_alike(&gates)?;
    let merged = put_together(gates)?;
    if let Some(folder) = &options.save {
        let folder = GateFolder::new(folder);
        folder.write_record(&merged.record)?;
        folder.write_results(&merged.base, &merged.head)?;
    }
    let comparison = judge(&merged.record, &merged.base, &merged.head);
    let report =
        Report::Comparison { comparison: &comparison, base: &merged.base, head: &merged.head };
    report.publish(&options.shown, exports)?;
    Ok(exit_status(&merged.record, &comparison))
}

/// Every shard once, and all of the same number of shards.
fn check_shards(shards: &[(Option<Shard>, &Path)]) -> Result<(), Failure> {
    if let [(None, _)] = shards {
        return Ok(());
    }
    let mut by_index: BTreeMap<u32, &Path> = BTreeMap::new();
    let mut count = None;
    for (shard, path) in shards {
        let Some(shard) = shard else {
            return Err(Failure::incomplete(format!("`{}` holds no shard", path.display()))
                .hint("put the results of `--shard` into a folder of their own, without others"));
        };
        if *count.get_or_insert(shard.count) != shard.count {
            return Err(Failure::incomplete(format!(
                "`{}` is shard {shard}, but others are of {}",
                path.display(),
                count.unwrap_or_default()
            ))
            .hint("leave results of an earlier run with another number of shards out"));
        }
        if let Some(first) = by_index.insert(shard.index, path) {
            return Err(Failure::incomplete(format!(
                "shard {shard} is there twice: `{}` and `{}`",
                first.display(),
                path.display()
            ))
            .hint("remove one of the two"));
        }
    }
    let count = count.unwrap_or_default();
    let missing: Vec<String> = (1..=count)
        .filter(|index| !by_index.contains_key(index))
        .map(|index| format!("{index}/{count}"))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let noun = if missing.len() == 1 { "shard" } else { "shards" };
    let verb = if missing.len() == 1 { "is" } else { "are" };
    Err(Failure::incomplete(format!("{noun} {} {verb} missing", missing.join(", ")))
        .hint("look at the log of that job, and run it again"))
}

/// The same sides, settings and tool.
fn check_alike(gates: &[GateResults]) -> Result<(), Failure> {
    let Some((first, others)) = gates.split_first() else { return Ok(()) };
    for gate in others {
        let fields = |record: &GateRecord| {
            let exact = |identity: &str, digest: &str| {
                // A commit says what was built; anything else only its content does.
                let commit =
                    identity.len() >= 40 && identity.chars().all(|c| c.is_ascii_hexdigit());
                if commit { identity.to_owned() } else { format!("{identity} {digest}") }
            };
            [
                ("tiergate's version", record.tool_version.clone()),
                ("base", exact(&record.base.identity, &record.base.digest)),
                ("head", exact(&record.head.identity, &record.head.digest)),
                ("settings", record.settings.clone()),
                ("filter", record.filter.join(", ")),
                ("limits", format!("{:?} {}", record.limits, record.allow_removed)),
            ]
        };
        for ((name, one), (_, other)) in fields(&first.record).iter().zip(fields(&gate.record)) {
            if *one != other {
                return Err(unlike(first, gate, name, one, &other));
            }
        }
        for (one, other) in [(&first.base, &gate.base), (&first.head, &gate.head)] {
            let differences = one.fingerprint.differences(&other.fingerprint);
            if let Some(difference) = differences.iter().find(|one| !is_of_the_machine(one)) {
                let FingerprintDifference { field, base, head } = difference;
                return Err(unlike(first, gate, field, base, head));
            }
        }
    }
    Ok(())
}

fn is_of_the_machine(difference: &FingerprintDifference) -> bool {
    OF_THE_MACHINE.contains(&difference.field.as_str())
}

fn unlike(first: &GateResults, gate: &GateResults, field: &str, one: &str, other: &str) -> Failure {
    Failure::new(
        ExitStatus::NotComparable,
        format!(
            "`{}` and `{}` do not belong together: {field} is `{one}` and `{other}`",
            first.folder.display(),
            gate.folder.display()
        ),
    )
    .hint("run all shards with the same tiergate on the same commits, with the same settings")
}

fn put_together(mut gates: Vec<GateResults>) -> Result<GateResults, Failure> {
    gates.sort_by_key(|gate| gate.record.shard.map(|shard| shard.index));
    let mut gates = gates.into_iter();
    let Some(mut merged) = gates.next() else {
        return Err(Failure::incomplete("there is nothing to put together"));
    };
    let count = merged.record.shard.map_or(1, |shard| shard.count);
    let mut machines = vec![merged.head.fingerprint.clone()];
    for gate in gates {
        if !gate.record.finished {
            let shard = gate.record.shard.map_or_else(String::new, |shard| shard.to_string());
            merged.record.notes.push(format!("shard {shard} was interrupted"));
        }
        merged.record.finished &= gate.record.finished;
        merged.record.unchanged.extend(gate.record.unchanged);
        merged.record.accepted.extend(gate.record.accepted);
        for note in gate.record.notes {
            if !merged.record.notes.contains(&note) {
                merged.record.notes.push(note);
            }
        }
        merged.base.benches.extend(gate.base.benches);
        merged.head.benches.extend(gate.head.benches);
        machines.push(gate.head.fingerprint);
    }
    merged.record.shard = None;
    (merged.base.shard, merged.head.shard) = (None, None);
    if count > 1 {
        merged.record.notes.push(format!("put together from {count} shards"));
    }
    merged.record.notes.extend(other_machines(&machines));
    for file in [&merged.base, &merged.head] {
        file.check().map_err(|fault| {
            Failure::incomplete(format!("the shards contradict each other: {fault}"))
                .hint("run all shards again, with the same `tiergate.lock`")
        })?;
    }
    Ok(merged)
}

fn other_machines(machines: &[Fingerprint]) -> Option<String> {
    let (first, others) = machines.split_first()?;
    let differs = others.iter().any(|other| !first.differences(other).is_empty());
    differs.then(|| {
        "the shards ran on machines of different kinds; base and head of each bench on the same one"
            .to_owned()
    })
}

fn merge_runs(
    paths: &[PathBuf],
    options: &MergeOptions,
    exports: &Exports,
) -> Result<ExitStatus, Failure> {
    let mut files: Vec<(PathBuf, ResultFile)> = Vec::new();
    for path in paths {
        let loaded = read_result(path)?;
        loaded.warnings.iter().for_each(|warning| output::warning(warning));
        files.push((path.clone(), loaded.value));
    }
    let shards: Vec<(Option<Shard>, &Path)> =
        files.iter().map(|(path, file)| (file.shard, path.as_path())).collect();
    check_shards(&shards)?;
    files.sort_by_key(|(_, file)| file.shard.map(|shard| shard.index));
    let mut files = files.into_iter();
    let Some((first, mut merged)) = files.next() else {
        return Err(Failure::incomplete("there is nothing to put together"));
    };
    for (path, file) in files {
        let differing = [
            ("commit", format!("{:?}", merged.commit), format!("{:?}", file.commit)),
            ("tiergate's version", merged.tool_version.clone(), file.tool_version.clone()),
            ("filter", merged.filter.join(", "), file.filter.join(", ")),
        ]
        .into_iter()
        .find(|(_, one, other)| one != other)
        .or_else(|| {
            // One-sided results are compared with others later, so the machine must be the same.
            let differences = merged.fingerprint.differences(&file.fingerprint);
            differences.into_iter().next().map(|one| {
                ("fingerprint", one.field.clone(), format!("{} and {}", one.base, one.head))
            })
        });
        if let Some((field, one, other)) = differing {
            return Err(Failure::new(
                ExitStatus::NotComparable,
                format!(
                    "`{}` and `{}` do not belong together: {field}: {one}, {other}",
                    first.display(),
                    path.display()
                ),
            )
            .hint("run all shards with the same tiergate on the same commit and kind of machine"));
        }
        merged.benches.extend(file.benches);
    }
    merged.shard = None;
    merged.check().map_err(|fault| {
        Failure::incomplete(format!("the shards contradict each other: {fault}"))
            .hint("run all shards again, with the same `tiergate.lock`")
    })?;
    if let Some(path) = &options.save {
        write_result(path, &merged)?;
    }
    Report::Run(&merged).publish(&options.shown, exports)?;
    let incomplete = merged.benches.iter().any(|bench| bench.status == BenchStatus::Incomplete);
    Ok(if incomplete { ExitStatus::Incomplete } else { ExitStatus::Pass })
}
