//! Equal code: how often it looks unequal, and what moves it.

use crate::evidence::summarise_readings;
use crate::verdict::verdict;
use std::collections::BTreeMap;
use tiergate_model::{
    BenchResult, BenchStatus, Limits, NoiseBench, NoiseDetail, NoiseEffect, NoiseSuite,
    PerturbationKind, Unit, Verdict,
};

/// What moves a bench that was measured under perturbations. `None` where it was not measured.
pub fn noise_detail(bench: &BenchResult) -> Option<NoiseDetail> {
    let usual = summarise_readings(&bench.readings).filter(|usual| usual.median > 0.0)?;
    let mut changes: BTreeMap<PerturbationKind, Vec<f64>> = BTreeMap::new();
    for reading in &bench.readings {
        if let Some(kind) = reading.perturbation.kind() {
            changes.entry(kind).or_default().push(reading.per_op() / usual.median - 1.0);
        }
    }
    let mut effects: Vec<NoiseEffect> =
        changes.into_iter().map(|(kind, changes)| NoiseEffect::new(kind, changes)).collect();
    effects.sort_by(|one, other| other.size().total_cmp(&one.size()));
    Some(NoiseDetail {
        id: bench.id.clone(),
        per_op: usual.median,
        aa_spread: usual.spread(),
        warmup_ops: bench.warmup_ops,
        window_ops: bench.window_ops,
        effects,
    })
}

/// Judges the rounds of a suite that was measured as base and as head; each round has the benches
/// of either side, in the same order.
pub fn noise_suite(
    rounds: &[(Vec<BenchResult>, Vec<BenchResult>)],
    unit: Unit,
    limits: &Limits,
) -> NoiseSuite {
    let mut benches: BTreeMap<&str, NoiseBench> = BTreeMap::new();
    let mut readings = 0;
    for (base, head) in rounds.iter().flat_map(|(base, head)| base.iter().zip(head)) {
        readings += base.readings.len() + head.readings.len();
        if base.status == BenchStatus::Skipped {
            continue;
        }
        let bench = benches.entry(head.id.as_str()).or_insert_with(|| NoiseBench {
            id: head.id.clone(),
            compared: 0,
            alarms: 0,
            first_alarm: None,
            largest_change: 0.0,
            widest_spread: 0.0,
            incomplete: None,
        });
        let row = verdict(base, head, unit, limits);
        if row.verdict == Verdict::Incomplete {
            bench.incomplete = bench.incomplete.take().or(row.reason);
            continue;
        }
        bench.compared += 1;
        bench.largest_change = f64::max(bench.largest_change, row.change.unwrap_or(0.0).abs());
        let spreads = [row.base_spread, row.head_spread].into_iter().flatten();
        bench.widest_spread = spreads.fold(bench.widest_spread, f64::max);
        if row.verdict != Verdict::Ok {
            bench.alarms += 1;
            let why = row.reason.map_or_else(String::new, |reason| format!(": {reason}"));
            bench.first_alarm.get_or_insert_with(|| format!("{}{why}", row.verdict));
        }
    }
    let mut benches: Vec<NoiseBench> = benches.into_values().collect();
    let severity = |bench: &NoiseBench| (bench.incomplete.is_some(), bench.alarms);
    benches.sort_by(|one, other| {
        severity(other)
            .cmp(&severity(one))
            .then_with(|| other.largest_change.total_cmp(&one.largest_change))
            .then_with(|| other.widest_spread.total_cmp(&one.widest_spread))
            .then_with(|| one.id.cmp(&other.id))
    });
    NoiseSuite { rounds: rounds.len(), benches, readings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiergate_model::fixtures::{incomplete, measured};
    use tiergate_model::{Perturbation, Reading};

    fn suite(rounds: &[(Vec<BenchResult>, Vec<BenchResult>)]) -> NoiseSuite {
        noise_suite(rounds, Unit::Instructions, &Limits::default())
    }

    #[test]
    fn alarms_are_counted_by_bench_and_the_noisiest_comes_first() {
        let side = |noisy: u64| {
            vec![measured("a::steady", &[1_000_000; 3]), measured("a::noisy", &[noisy; 3])]
        };
        let found = suite(&[
            (side(1_000_000), side(1_000_000)),
            (side(1_000_000), side(1_050_000)),
            (side(1_050_000), side(1_000_000)),
        ]);
        assert_eq!((found.rounds, found.compared(), found.alarms()), (3, 6, 2));
        assert_eq!(found.readings, 36);
        let noisy = &found.benches[0];
        assert_eq!((noisy.id.as_str(), noisy.alarms), ("a::noisy", 2));
        assert_eq!(noisy.first_alarm.as_deref(), Some("FAIL"));
        assert!((noisy.largest_change - 0.05).abs() < 1e-9);
        assert_eq!(found.benches[1].alarms, 0);
        assert!(!found.is_incomplete());
    }

    #[test]
    fn what_could_not_be_measured_is_no_alarm() {
        let good = vec![measured("a::a", &[1_000_000; 3])];
        let found =
            suite(&[(good.clone(), good.clone()), (good, vec![incomplete("a::a", "it threw")])]);
        assert_eq!((found.compared(), found.alarms()), (1, 0));
        assert!(found.is_incomplete());
        assert!(found.benches[0].incomplete.as_ref().unwrap().contains("it threw"));
    }

    #[test]
    fn effects_are_sorted_by_size() {
        let mut bench = measured("a::a", &[1_000_000, 1_000_000, 1_000_010]);
        let like = bench.readings[0].clone();
        for (name, count) in
            [("hash-seed", 971_000), ("hash-seed-2", 1_010_000), ("heap-phase", 1_040_000)]
        {
            let perturbation: Perturbation = name.parse().unwrap();
            bench.readings.push(Reading { perturbation, repeat: 1, count, ..like.clone() });
        }
        let detail = noise_detail(&bench).unwrap();
        assert!((detail.aa_spread - 1e-5).abs() < 1e-9);
        assert_eq!(detail.effects[0].kind(), Some(PerturbationKind::HeapPhase));
        assert!((detail.effects[1].size() - 0.029).abs() < 1e-9);
        assert_eq!(detail.effects[1].changes.len(), 2);
        assert_eq!(noise_detail(&incomplete("a::a", "it threw")), None);
    }
}
