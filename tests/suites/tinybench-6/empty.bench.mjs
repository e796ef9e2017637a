// Ten benches of nothing: what is left is what a process costs. `cargo xtask isolation` runs it.

import { Bench } from 'tinybench';

const bench = new Bench({ time: 0, iterations: 1, warmup: false });
for (let number = 1; number <= 10; number++) bench.add(`empty ${number}`, () => {});
await bench.run();
