//! `--shard i/n`: which benches are this machine's.

use crate::failure::Failure;
use std::collections::BTreeMap;
use tiergate_model::{BenchId, Shard};

/// What is assumed where nothing is recorded of any bench.
const SECONDS: f64 = 1.0;

/// Reads `--shard`: `i/n`, or `auto` for what the CI says in its variables.
pub(crate) fn parse(text: &str) -> Result<Shard, Failure> {
    if text == "auto" {
        return automatic(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    }
    text.parse().map_err(|error| {
        Failure::usage(error).hint("or `--shard auto`, which reads the CI's variables")
    })
}

/// A CI's variables for the index, the first index, and the count.
struct Source {
    name: &'static str,
    index: &'static str,
    first: First,
    count: &'static [&'static str],
}

/// What the first job's index is.
enum First {
    Number(u32),
    Variable(&'static str),
}

const SOURCES: [Source; 6] = [
    // GitHub has no variables for a job's place in a matrix: the workflow sets these from
    // `strategy.job-index` and `strategy.job-total`.
    Source {
        name: "tiergate",
        index: "TIERGATE_SHARD_INDEX",
        first: First::Number(0),
        count: &["TIERGATE_SHARD_TOTAL"],
    },
    Source {
        name: "GitLab",
        index: "CI_NODE_INDEX",
        first: First::Number(1),
        count: &["CI_NODE_TOTAL"],
    },
    Source {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        first: First::Number(0),
        count: &["BUILDKITE_PARALLEL_JOB_COUNT"],
    },
    Source {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        first: First::Number(0),
        count: &["CIRCLE_NODE_TOTAL"],
    },
    Source {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
        count: &["SLURM_ARRAY_TASK_COUNT"],
    },
    // Kubernetes gives the index only; the count is `completions` of the job, which its template
    // repeats in a variable of its own.
    Source {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        first: First::Number(0),
        count: &["JOB_COMPLETION_TOTAL"],
    },
];

fn automatic(variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, Failure> {
    for source in &SOURCES {
        let Some(index) = variable(source.index) else { continue };
        let Some((name, count)) =
            source.count.iter().find_map(|name| Some((*name, variable(name)?)))
        else {
            return Err(Failure::usage(format!(
                "`--shard auto`: {} is set and {} is not",
                source.index,
                source.count.join(", ")
            ))
            .hint(format!("set `{}` to the number of jobs", source.count[0])));
        };
        let number = |name: &str, text: &str| {
            text.trim().parse::<u32>().map_err(|_| {
                Failure::usage(format!("`--shard auto`: `{name}` is `{text}`, which is no number"))
            })
        };
        let first = match source.first {
            First::Number(first) => first,
            First::Variable(name) => match variable(name) {
                Some(text) => number(name, &text)?,
                None => 0,
            },
        };
        let (index, count) = (number(source.index, &index)?, number(name, &count)?);
        let from_one = (index + 1).saturating_sub(first);
        return Shard::new(from_one, count).map_err(|error| {
            Failure::usage(format!("`--shard auto` ({}): {error}", source.name))
                .hint(format!("`{}` is {index} and `{name}` is {count}", source.index))
        });
    }
    Err(Failure::usage("`--shard auto`: no variable of a known CI is set").hint(
        "name the shard, as `--shard 2/4`, or set `TIERGATE_SHARD_INDEX` (from 0) and \
         `TIERGATE_SHARD_TOTAL`",
    ))
}

/// The shard of every bench: the longest first, each to the shard with the least to do so far. A
/// bench without recorded seconds counts as the median of the others. The same on every machine
/// for the same ids and seconds.
pub(crate) fn assign(
    benches: &BTreeMap<BenchId, Option<f64>>,
    count: u32,
) -> BTreeMap<BenchId, u32> {
    let known: Vec<f64> = benches.values().copied().flatten().collect();
    let median = tiergate_stats::median(&known).unwrap_or(SECONDS);
    let mut sorted: Vec<(&BenchId, f64)> =
        benches.iter().map(|(id, seconds)| (id, seconds.unwrap_or(median))).collect();
    sorted.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    let mut loads = vec![0.0_f64; count.max(1) as usize];
    let mut shards = BTreeMap::new();
    for (id, seconds) in sorted {
        let least = loads.iter().copied().fold(f64::INFINITY, f64::min);
        let place = loads.iter().position(|load| *load <= least).unwrap_or(0);
        loads[place] += seconds;
        shards.insert(id.clone(), u32::try_from(place + 1).unwrap_or(u32::MAX));
    }
    shards
}

/// Whether a bench is one of a shard's, for each of them.
pub(crate) struct Share(Option<(u32, BTreeMap<BenchId, u32>)>);

impl Share {
    pub(crate) fn of(shard: Option<Shard>, benches: &BTreeMap<BenchId, Option<f64>>) -> Self {
        Self(shard.map(|shard| (shard.index, assign(benches, shard.count))))
    }

    pub(crate) fn has(&self, id: &BenchId) -> bool {
        match &self.0 {
            None => true,
            Some((index, shards)) => shards.get(id) == Some(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        automatic(&variable)
            .map(|shard| shard.to_string())
            .map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn every_ci_numbers_its_jobs_in_its_own_way() {
        for variables in [
            [("TIERGATE_SHARD_INDEX", "1"), ("TIERGATE_SHARD_TOTAL", "4")],
            [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "4")],
            [("BUILDKITE_PARALLEL_JOB", "1"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")],
            [("CIRCLE_NODE_INDEX", "1"), ("CIRCLE_NODE_TOTAL", "4")],
            [("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_COUNT", "4")],
            [("JOB_COMPLETION_INDEX", "1"), ("JOB_COMPLETION_TOTAL", "4")],
        ] {
            assert_eq!(auto(&variables), Ok("2/4".to_owned()), "{variables:?}");
        }
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "12"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(auto(&slurm), Ok("3/4".to_owned()));
    }

    #[test]
    fn an_index_without_a_count_or_beyond_it_is_an_error() {
        assert!(auto(&[]).unwrap_err().contains("no variable"));
        let lonely = auto(&[("JOB_COMPLETION_INDEX", "0")]).unwrap_err();
        assert!(lonely.contains("JOB_COMPLETION_TOTAL"), "{lonely}");
        let beyond = auto(&[("CI_NODE_INDEX", "5"), ("CI_NODE_TOTAL", "4")]).unwrap_err();
        assert!(beyond.contains("5 of 4"), "{beyond}");
        assert!(auto(&[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "4")]).is_err());
    }

    #[test]
    fn shards_are_even_within_a_tenth_and_hold_each_bench_once() {
        let benches: BTreeMap<BenchId, Option<f64>> = (0..30)
            .map(|number| {
                let seconds = (number % 7 != 0).then(|| 0.4 + f64::from(number) * 0.11);
                (BenchId::from_text(format!("a.mjs::{number}")), seconds)
            })
            .collect();
        let known: Vec<f64> = benches.values().copied().flatten().collect();
        let median = tiergate_stats::median(&known).unwrap();
        let shards = assign(&benches, 4);
        assert_eq!(shards.len(), 30);
        let mut loads = [0.0; 4];
        for (id, shard) in &shards {
            loads[*shard as usize - 1] += benches[id].unwrap_or(median);
        }
        let even = loads.iter().sum::<f64>() / 4.0;
        assert!(loads.iter().all(|load| (load / even - 1.0).abs() < 0.1), "{loads:?}");
        assert_eq!(shards, assign(&benches, 4));
    }
}
