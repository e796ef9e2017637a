//! From a gate's record and results to the comparison that is reported.

use std::collections::BTreeMap;
use tiergate_model::{
    BenchId, Comparison, ComparisonRow, ExitStatus, Percent, ResultFile, Verdict,
};
use tiergate_store::{Accepted, GateRecord};

/// Judges what a gate has found. A change of the engine on purpose does not forbid a comparison,
/// other differences do.
pub(crate) fn judge(record: &GateRecord, base: &ResultFile, head: &ResultFile) -> Comparison {
    let mut compared_as = base.clone();
    if record.engine_change {
        compared_as.fingerprint.engine = head.fingerprint.engine.clone();
    }
    let options = tiergate_stats::CompareOptions {
        limits: record.limits,
        allow_removed: record.allow_removed,
        base_source: record.base.source.clone(),
        head_source: record.head.source.clone(),
    };
    let mut comparison =
        tiergate_stats::compare_with(&compared_as, head, &options, &record.own_limits);
    comparison.notes.clone_from(&record.notes);
    if record.engine_change {
        let engine = |file: &ResultFile| {
            let engine = &file.fingerprint.engine;
            format!("{} {}", engine.name, engine.version)
        };
        comparison.base.engine = engine(base);
        comparison.notes.push(format!(
            "the engine changes, from {} to {}: the changes are the engine's as well as the code's",
            engine(base),
            engine(head)
        ));
    }
    if !comparison.differences.is_empty() {
        return comparison;
    }
    add_unchanged(&mut comparison, record);
    accept(&mut comparison, &record.accepted);
    comparison
}

/// Takes accepted changes for what they are.
pub(crate) fn accept(comparison: &mut Comparison, accepted: &BTreeMap<BenchId, Accepted>) {
    let leeway = comparison.limits.warn;
    for row in &mut comparison.rows {
        if let Some(accepted) = accepted.get(&row.id) {
            apply(row, accepted, leeway);
        }
    }
    sort(&mut comparison.rows);
}

/// How the gate ends on a comparison. A shard can have no bench at all, and then passes: the other
/// shards have them.
pub(crate) fn exit_status(record: &GateRecord, comparison: &Comparison) -> ExitStatus {
    let nothing = comparison.rows.is_empty() && comparison.differences.is_empty();
    if nothing && record.shard.is_some_and(|shard| shard.count > 1) {
        return ExitStatus::Pass;
    }
    comparison.exit_status()
}

fn add_unchanged(comparison: &mut Comparison, record: &GateRecord) {
    let count = record.unchanged.len();
    if count == 0 {
        return;
    }
    let row = |(id, reason): (&BenchId, &String)| {
        ComparisonRow::without_figures(id.clone(), Verdict::Ok, reason.clone())
    };
    comparison.rows.extend(record.unchanged.iter().map(row));
    let all = comparison.rows.len() == count;
    let which = match (all, count) {
        (true, _) => "unchanged: nothing that the benches load differs".to_owned(),
        (false, 1) => "1 bench is unchanged: nothing that it loads differs".to_owned(),
        (false, count) => format!("{count} benches are unchanged: nothing that they load differs"),
    };
    comparison.notes.push(format!("{which}; not measured (`--no-build-hash` measures them)"));
}

/// Takes an accepted change for what it is, unless more came of it.
fn apply(row: &mut ComparisonRow, accepted: &Accepted, leeway: f64) {
    let reason = &accepted.reason;
    match (row.verdict, row.change, accepted.change) {
        (Verdict::Fail, Some(change), Some(limit)) if change <= limit + leeway => {
            row.verdict = Verdict::Accepted;
            row.reason = Some(format!("accepted: {reason} (up to {:+.2})", Percent(limit)));
            row.hint = None;
        }
        (Verdict::Fail, Some(_), Some(limit)) => {
            row.reason =
                Some(format!("more than the {:+.2} that was accepted: {reason}", Percent(limit)));
        }
        // Only base has it: removed on purpose.
        (Verdict::Incomplete, None, None) if row.head_per_op.is_none() => {
            row.verdict = Verdict::Removed;
            row.reason = Some(format!("accepted: {reason}"));
            row.hint = None;
        }
        _ => {}
    }
}

/// The worst first, then the largest change, then by id.
fn sort(rows: &mut [ComparisonRow]) {
    let change = |row: &ComparisonRow| row.change.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|one, other| {
        one.verdict
            .severity_rank()
            .cmp(&other.verdict.severity_rank())
            .then_with(|| change(other).total_cmp(&change(one)))
            .then_with(|| one.id.cmp(&other.id))
    });
}
