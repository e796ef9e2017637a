//! Ops that allocate much and wait by timers, and what random numbers drawn by others do to a bench.

use crate::support::{Project, bench_of};
use tiergate_model::BenchStatus;

const ENGINES: [&str; 5] = ["node@22", "node@24", "node@26", "deno@2", "bun"];

/// 2 MB an op in two chunks of objects, with and without a timer between them.
const CHUNKS: &str = "
const chunk = () => { const all = []; for (let i = 0; i < 8000; i++) all.push({ a: i, b: [i, i], c: 'x' }); return all; };
bench('waits', async () => {
  const first = chunk();
  await new Promise((done) => setTimeout(done, 1));
  return first.length + chunk().length;
});
bench('allocates', () => chunk().length + chunk().length);
";

#[test]
fn waits_by_the_clock_are_told_and_readings_are_equal() {
    for engine in ENGINES {
        let project = Project::with_benches(CHUNKS);
        let words = format!("run --repeats 3 --save head.json --engine {engine}");
        project.tiergate(&words).run().exits(0);
        let file = project.result("head.json");
        for name in ["waits", "allocates"] {
            let bench = bench_of(&file, name);
            assert_eq!((bench.status, &bench.reason), (BenchStatus::Measured, &None), "{engine}");
            // Engines' own threads can meet a wait in more than one order.
            let limit = match (engine.starts_with("node"), name) {
                (true, "allocates") => 0.0,
                (true, _) => 1e-5,
                (false, _) => 1e-3,
            };
            assert!(bench.aa_spread.unwrap() <= limit, "{engine} {name}: {:?}", bench.aa_spread);
            let told = bench.warnings.iter().any(|warning| warning.contains("waits"));
            assert_eq!(told, name == "waits", "{engine}: {:?}", bench.warnings);
        }
    }
}

/// A sampler like those of caches and tracers: one call in 1,024 does more.
const SAMPLER: &str = "
const work = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum & 0xff; };
let samples = 0, total = 0;
bench('sampled', () => {
  if (Math.random() * 1024 >= 1) return work(200);
  const start = performance.now();
  const result = work(200);
  total += performance.now() - start;
  samples++;
  return result;
});
";

#[test]
fn random_numbers_that_others_draw_move_no_sampler() {
    for engine in ["node@22", "node@24"] {
        let project = Project::with_benches(SAMPLER);
        let counts: Vec<f64> = [0, 1, 7, 31, 63]
            .iter()
            .map(|draws| {
                let before = format!("for (let i = 0; i < {draws}; i++) Math.random();\n");
                let source = format!("import {{ bench }} from 'tiergate';\n{before}{SAMPLER}");
                project.file("a.bench.mjs", source);
                let words = format!("run --repeats 3 --save head.json --engine {engine}");
                project.tiergate(&words).run().exits(0);
                let file = project.result("head.json");
                let bench = bench_of(&file, "sampled");
                assert_eq!((bench.aa_spread, &bench.reason), (Some(0.0), &None), "{engine}");
                bench.instructions_per_op.unwrap()
            })
            .collect();
        let largest = counts.iter().copied().fold(0.0, f64::max);
        let smallest = counts.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(largest / smallest < 1.002, "{engine}: {counts:?}");
    }
}
