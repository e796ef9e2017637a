// Ten benches of nothing: what is left is what a process costs. `cargo xtask isolation` runs it.

import { test } from 'vitest';

const once = { time: 0, iterations: 1, warmupTime: 0, warmupIterations: 0 };
for (let number = 1; number <= 10; number++) {
  test('one', async ({ bench }) => {
    await bench(`empty ${number}`, () => {}).run(once);
  });
}
