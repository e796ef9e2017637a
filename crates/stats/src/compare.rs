//! Comparison of two result files.

use crate::benjamini_hochberg::benjamini_hochberg;
use crate::renames::{note_swapped_names, probable_renames};
use crate::sides::{Sides, Unlisted};
use crate::verdict::{Case, with_sides};
use std::collections::BTreeMap;
use tiergate_model::{
    BenchId, BenchResult, BenchStatus, Comparison, ComparisonRow, Limits, OwnLimits, Percent,
    Rename, ResultFile, SideSummary, Unit, Verdict,
};

/// What a comparison is told beside the two files.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// The limits of the verdicts.
    pub limits: Limits,
    /// Whether a bench that only base has may be missing from head.
    pub allow_removed: bool,
    /// The file or baseline that base was read from.
    pub base_source: String,
    /// The file or baseline that head was read from.
    pub head_source: String,
}

/// Compares head with base. Both must have passed [`ResultFile::check`].
///
/// Files with different fingerprints get no rows, only the list of differences. Otherwise every
/// bench of either side gets one row, the worst first, then by change, then by id.
pub fn compare(base: &ResultFile, head: &ResultFile, options: &CompareOptions) -> Comparison {
    compare_with(base, head, options, &BTreeMap::new())
}

/// The same, for benches of which some have limits of their own. A bench of which head needs more
/// than its hard limit is FAIL, also when only head has it.
pub fn compare_with(
    base: &ResultFile,
    head: &ResultFile,
    options: &CompareOptions,
    own: &BTreeMap<BenchId, OwnLimits>,
) -> Comparison {
    let differences = base.fingerprint.differences(&head.fingerprint);
    let (rows, probable_renames) = if differences.is_empty() {
        judge_all(base, head, options, own)
    } else {
        Default::default()
    };
    Comparison {
        base: summary(base, &options.base_source),
        head: summary(head, &options.head_source),
        unit: base.unit(),
        limits: options.limits,
        differences,
        notes: Vec::new(),
        rows,
        probable_renames,
    }
}

fn summary(file: &ResultFile, source: &str) -> SideSummary {
    let engine = &file.fingerprint.engine;
    SideSummary {
        source: source.to_owned(),
        commit: file.commit.clone(),
        engine: format!("{} {}", engine.name, engine.version),
        instrument: file.fingerprint.instrument.name.to_string(),
    }
}

fn judge_all(
    base: &ResultFile,
    head: &ResultFile,
    options: &CompareOptions,
    own: &BTreeMap<BenchId, OwnLimits>,
) -> (Vec<ComparisonRow>, Vec<Rename>) {
    let mut sides: BTreeMap<&BenchId, Sides> = BTreeMap::new();
    for bench in &base.benches {
        sides.entry(&bench.id).or_default().base = Some(bench);
    }
    for bench in &head.benches {
        sides.entry(&bench.id).or_default().head = Some(bench);
    }
    let unlisted = Unlisted::of(base, head);
    let renames = probable_renames(&sides, &unlisted);
    let mut rows = judge_common(&sides, base, options, own);
    note_swapped_names(&mut rows);
    rows.extend(sides.values().filter_map(|sides| {
        let row = match (sides.base, sides.head) {
            (Some(bench), None) if filtered(head, base) => left_out_of_head(bench, head),
            (None, Some(bench)) if filtered(base, head) => left_out_of_base(bench, base),
            (Some(base), None) => only_in_base(base, &unlisted, &renames, options.allow_removed),
            (None, Some(head)) => only_in_head(head, &unlisted, &renames),
            _ => return None,
        };
        Some(with_sides(row, sides.base, sides.head))
    }));
    for row in &mut rows {
        if let Some(own) = own.get(&row.id) {
            apply_hard_limit(row, own, base.unit());
        }
    }
    rows.sort_by(|one, other| {
        let change = |row: &ComparisonRow| row.change.unwrap_or(f64::NEG_INFINITY);
        one.verdict
            .severity_rank()
            .cmp(&other.verdict.severity_rank())
            .then_with(|| change(other).total_cmp(&change(one)))
            .then_with(|| one.id.cmp(&other.id))
    });
    (rows, renames)
}

/// Judges the benches that both sides have; their p values are adjusted together.
fn judge_common(
    sides: &BTreeMap<&BenchId, Sides>,
    base: &ResultFile,
    options: &CompareOptions,
    own: &BTreeMap<BenchId, OwnLimits>,
) -> Vec<ComparisonRow> {
    let cases: Vec<Case> = sides
        .values()
        .filter_map(|sides| Some(Case::open(sides.base?, sides.head?, base.unit())))
        .collect();
    let tested: Vec<f64> = cases.iter().filter_map(Case::p_value).collect();
    let mut adjusted = benjamini_hochberg(&tested).into_iter();
    cases
        .into_iter()
        .map(|case| {
            let p = case.p_value().and_then(|_| adjusted.next());
            let own = own.get(case.id()).map(|own| own.limits);
            let limits = own.filter(|own| *own != options.limits);
            let mut row = case.close(&limits.unwrap_or(options.limits), p, tested.len());
            if let (Some(limits), None) = (limits, &row.reason) {
                row.reason = Some(format!(
                    "by limits of its own: FAIL above {}, warn above {}",
                    Percent(limits.fail),
                    Percent(limits.warn)
                ));
            }
            row
        })
        .collect()
}

/// Applies the hard limit to a row that has a count of head.
fn apply_hard_limit(row: &mut ComparisonRow, own: &OwnLimits, unit: Unit) {
    let judged =
        matches!(row.verdict, Verdict::Ok | Verdict::Warn | Verdict::Improved | Verdict::Added);
    if let (true, Some(count), Some(most)) = (judged, row.head_per_op, own.most_per_op)
        && count > most
    {
        row.verdict = Verdict::Fail;
        row.reason = Some(format!("above its hard limit of {most} {}", unit.per_op()));
    }
}

/// Whether a side was measured with a filter, or in a shard, that the other one did not have: then
/// it can't tell a bench that is gone from one that was not asked for.
fn filtered(side: &ResultFile, other: &ResultFile) -> bool {
    let filtered = !side.filter.is_empty() && side.filter != other.filter;
    filtered || (side.shard.is_some() && side.shard != other.shard)
}

fn left_out_by(side: &ResultFile) -> String {
    match side.shard {
        Some(shard) if side.filter.is_empty() => format!("`--shard {shard}`"),
        _ => format!("the filter `{}`", side.filter.join("`, `")),
    }
}

fn left_out_of_head(bench: &BenchResult, head: &ResultFile) -> ComparisonRow {
    let reason = format!("left out of head by {}", left_out_by(head));
    ComparisonRow::without_figures(bench.id.clone(), Verdict::Skipped, reason)
}

fn left_out_of_base(bench: &BenchResult, base: &ResultFile) -> ComparisonRow {
    let reason = format!("base was measured with {}", left_out_by(base));
    ComparisonRow {
        hint: Some("measure base without it, or head with it too".to_owned()),
        ..ComparisonRow::without_figures(bench.id.clone(), Verdict::Incomplete, reason)
    }
}

fn only_in_base(
    base: &BenchResult,
    unlisted: &Unlisted,
    renames: &[Rename],
    allowed: bool,
) -> ComparisonRow {
    if base.id.is_file() {
        return file_fault("base", base);
    }
    if let Some(reason) = unlisted.in_head(&base.id) {
        return lost_with_file(base, "head", reason);
    }
    let reason = match renames.iter().find(|rename| rename.from == base.id) {
        Some(rename) => format!("removed, or renamed to `{}`", rename.to),
        None => "removed: only base has it".to_owned(),
    };
    if allowed {
        return ComparisonRow::without_figures(base.id.clone(), Verdict::Removed, reason);
    }
    let hint = "if that is meant, allow it with `--allow-removed`";
    ComparisonRow {
        hint: Some(hint.to_owned()),
        ..ComparisonRow::without_figures(base.id.clone(), Verdict::Incomplete, reason)
    }
}

fn only_in_head(head: &BenchResult, unlisted: &Unlisted, renames: &[Rename]) -> ComparisonRow {
    if head.id.is_file() {
        return file_fault("head", head);
    }
    // A base that could not be listed is no base without the bench.
    if let Some(reason) = unlisted.in_base(&head.id) {
        return lost_with_file(head, "base", reason);
    }
    let why = head.reason.as_deref().unwrap_or("no reason was recorded");
    let (verdict, reason) = match head.status {
        // A new bench that can't be measured must not slip in as added.
        BenchStatus::Incomplete => (Verdict::Incomplete, format!("only head has it, and {why}")),
        BenchStatus::Skipped => (Verdict::Skipped, format!("only head has it: {why}")),
        BenchStatus::Measured => {
            let reason = match renames.iter().find(|rename| rename.to == head.id) {
                Some(rename) => format!("only head has it, or renamed from `{}`", rename.from),
                None => "only head has it".to_owned(),
            };
            (Verdict::Added, reason)
        }
    };
    ComparisonRow::without_figures(head.id.clone(), verdict, reason)
}

fn file_fault(side: &str, file: &BenchResult) -> ComparisonRow {
    let why = file.reason.as_deref().unwrap_or("no reason was recorded");
    let reason = format!("{side}: {why}");
    ComparisonRow::without_figures(file.id.clone(), Verdict::Incomplete, reason)
}

fn lost_with_file(bench: &BenchResult, side: &str, reason: &str) -> ComparisonRow {
    let reason = format!("{side}: its file could not be listed: {reason}");
    ComparisonRow::without_figures(bench.id.clone(), Verdict::Incomplete, reason)
}
