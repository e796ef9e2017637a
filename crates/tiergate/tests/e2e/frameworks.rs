//! What holds in every framework: identical benches count the same in any order, and a bench counts
//! the same whatever is before it in its file.

use crate::support::{Project, bench_of, framework_folder, need_x86, skip};
use std::os::unix::fs::symlink;
use tiergate_model::BenchStatus;

/// Benches by their names, each feeding these objects to a function that all of them share.
type Benches<'a> = &'a [(&'a str, &'a str)];

const ONE_SHAPE: &str = "[{ x: 1, y: 2 }]";
const SIX_SHAPES: &str =
    "[{ x: 1, y: 2 }, { y: 1, x: 2 }, { a: 0, x: 1, y: 2 }, { b: 0, x: 1, y: 2 },
  { x: 1, a: 0, y: 2 }, { x: 1, b: 0, y: 2 }]";

const SHARED: &str = "
function add(object) { return object.x + object.y; }
function feed(shapes) {
  let sum = 0;
  for (let i = 0; i < 400; i++) sum += add(shapes[i % shapes.length]);
  return sum;
}
";

struct Framework {
    name: &'static str,
    engine: &'static str,
    /// The package to install, with its major.
    package: Option<(&'static str, u32)>,
    file: &'static str,
    /// The bench file.
    text: fn(Benches<'_>) -> String,
    /// A bench's names, joined.
    id: fn(&str) -> String,
}

fn each(benches: Benches<'_>, line: impl Fn(&str, &str) -> String) -> String {
    benches.iter().map(|(name, shapes)| line(name, shapes)).collect()
}

fn tinybench(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; bench.add('{name}', () => feed(shapes)); }}\n")
    });
    format!(
        "import {{ Bench }} from 'tinybench';\n{SHARED}const bench = new Bench();\n{tasks}\
         await bench.run();\n"
    )
}

fn mitata(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; bench('{name}', () => feed(shapes)); }}\n")
    });
    format!("import {{ bench, run }} from 'mitata';\n{SHARED}{tasks}await run();\n")
}

fn benchmark(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; suite.add('{name}', () => feed(shapes)); }}\n")
    });
    format!(
        "const {{ Suite }} = require('benchmark');\n{SHARED}const suite = new Suite();\n{tasks}\
         suite.run();\n"
    )
}

fn bench_node(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; suite.add('{name}', () => feed(shapes)); }}\n")
    });
    format!(
        "const {{ Suite }} = require('bench-node');\n{SHARED}const suite = new Suite();\n{tasks}\
         suite.run();\n"
    )
}

fn deno(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; Deno.bench('{name}', () => {{ feed(shapes); }}); }}\n")
    });
    format!("{SHARED}{tasks}")
}

fn create_benchmark(benches: Benches<'_>) -> String {
    let kinds = each(benches, |name, _| format!("'{name}', "));
    let inputs = each(benches, |name, shapes| format!("'{name}': {shapes},\n"));
    format!(
        "const common = require('../common.js');
         {SHARED}
         const inputs = {{ {inputs} }};
         const bench = common.createBenchmark(main, {{ n: [1000], kind: [{kinds}] }});
         let noDead;
         function main({{ n, kind }}) {{
           const shapes = inputs[kind];
           bench.start();
           for (let i = 0; i < n; i++) noDead = feed(shapes);
           bench.end(n);
         }}"
    )
}

fn vitest(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!("{{ const shapes = {shapes}; bench('{name}', () => {{ feed(shapes); }}); }}\n")
    });
    format!("import {{ bench }} from 'vitest';\n{SHARED}{tasks}")
}

/// From vitest 5 on benches are parts of tests.
fn vitest_in_tests(benches: Benches<'_>) -> String {
    let tasks = each(benches, |name, shapes| {
        format!(
            "test('t', async ({{ bench }}) => {{
               const shapes = {shapes};
               await bench('{name}', () => {{ feed(shapes); }}).run();
             }});\n"
        )
    });
    format!("import {{ test }} from 'vitest';\n{SHARED}{tasks}")
}

fn as_is(name: &str) -> String {
    name.to_owned()
}

const FRAMEWORKS: [Framework; 10] = [
    Framework {
        name: "tinybench 2",
        engine: "node@24",
        package: Some(("tinybench", 2)),
        file: "a.bench.mjs",
        text: tinybench,
        id: as_is,
    },
    Framework {
        name: "tinybench 6",
        engine: "node@22",
        package: Some(("tinybench", 6)),
        file: "a.bench.mjs",
        text: tinybench,
        id: as_is,
    },
    Framework {
        name: "mitata",
        engine: "node@24",
        package: Some(("mitata", 1)),
        file: "a.bench.mjs",
        text: mitata,
        id: as_is,
    },
    Framework {
        name: "benchmark.js",
        engine: "node@22",
        package: Some(("benchmark", 2)),
        file: "a.bench.cjs",
        text: benchmark,
        id: as_is,
    },
    Framework {
        name: "bench-node",
        engine: "node@24",
        package: Some(("bench-node", 0)),
        file: "a.bench.cjs",
        text: bench_node,
        id: as_is,
    },
    Framework {
        name: "Deno.bench",
        engine: "deno",
        package: None,
        file: "a.bench.mjs",
        text: deno,
        id: as_is,
    },
    Framework {
        name: "createBenchmark",
        engine: "node@24",
        package: None,
        file: "benchmark/misc/a.bench.js",
        text: create_benchmark,
        id: |name| format!("n=1000 kind=\"{name}\""),
    },
    Framework {
        name: "vitest 3",
        engine: "node@24",
        package: Some(("vitest", 3)),
        file: "a.bench.mjs",
        text: vitest,
        id: as_is,
    },
    Framework {
        name: "vitest 4",
        engine: "node@24",
        package: Some(("vitest", 4)),
        file: "a.bench.mjs",
        text: vitest,
        id: as_is,
    },
    Framework {
        name: "vitest 5",
        engine: "node@24",
        package: Some(("vitest", 5)),
        file: "a.bench.mjs",
        text: vitest_in_tests,
        id: |name| format!("t > {name}"),
    },
];

impl Framework {
    fn project(&self) -> Project {
        let project = Project::with_budget(3_000, 500);
        project.file(
            "benchmark/common.js",
            include_str!("../../../../tests/suites/node-core/benchmark/common.js"),
        );
        if let Some((package, major)) = self.package {
            let modules = project.path("node_modules");
            std::fs::create_dir_all(&modules).unwrap();
            symlink(framework_folder(package, major), modules.join(package)).unwrap();
        }
        project
    }

    /// Instructions per op of the benches, in their order.
    fn counts(&self, project: &Project, benches: Benches<'_>) -> Vec<f64> {
        project.file(self.file, (self.text)(benches));
        let run = format!("run {} --engine {} --instrument counter", self.file, self.engine);
        project.tiergate(&run).words("--repeats 3 --save out.json").run().exits(0);
        let result = project.result("out.json");
        let count = |name: &str| {
            let bench = bench_of(&result, &(self.id)(name));
            assert_eq!(bench.status, BenchStatus::Measured, "{}: {bench:?}", self.name);
            assert!(bench.aa_spread.unwrap() <= 0.001, "{}: {bench:?}", self.name);
            bench.instructions_per_op.unwrap()
        };
        benches.iter().map(|(name, _)| count(name)).collect()
    }
}

#[track_caller]
fn assert_near(counts: &[f64], tolerance: f64, what: &str) {
    let [least, most] = [f64::min, f64::max].map(|of| counts.iter().copied().reduce(of).unwrap());
    assert!(most / least - 1.0 <= tolerance, "{what}: {counts:?}");
}

#[test]
fn identical_benches_count_the_same_in_any_order() {
    need_x86!();
    let names = ["one", "two", "three"];
    for framework in &FRAMEWORKS {
        let project = framework.project();
        let benches = names.map(|name| (name, ONE_SHAPE));
        let mut counts = framework.counts(&project, &benches);
        let mut turned = benches;
        turned.rotate_left(1);
        counts.extend(framework.counts(&project, &turned));
        assert_near(&counts, 0.002, framework.name);
    }
}

#[test]
fn a_bench_counts_the_same_whatever_is_before_it() {
    need_x86!();
    for framework in &FRAMEWORKS {
        let project = framework.project();
        let (feeder, one) = (("feeder", SIX_SHAPES), ("one", ONE_SHAPE));
        let alone = framework.counts(&project, &[one])[0];
        let after = framework.counts(&project, &[feeder, one]);
        let before = framework.counts(&project, &[one, feeder])[0];
        assert_near(&[alone, after[1], before], 0.002, framework.name);
        // The twin: what the feeder does is something else.
        assert!(after[0] > alone * 1.02, "{}: {after:?}, {alone}", framework.name);
    }
}
