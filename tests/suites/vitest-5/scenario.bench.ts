// Benches of vitest 5 in a project with a configuration: an alias and a set-up file.

import { describe, test } from 'vitest';

import { note } from '@shared/note';

const quick = { time: 5, iterations: 3, warmupTime: 1, warmupIterations: 2 };
const hooks = (name: string) => ({
  ...quick,
  setup: (_task: unknown, mode: string) => note(name, 'setup', mode),
  teardown: (_task: unknown, mode: string) => note(name, 'teardown', mode),
});

test('top', async ({ bench }) => {
  await bench('only one', () => note('only one', 'op', globalThis.fromSetupFile)).run(hooks('only one'));
});

describe('outer', () => {
  test('compared', async ({ bench }) => {
    const each = { beforeEach: () => note('first', 'beforeEach'), afterEach: () => note('first', 'afterEach') };
    await bench.compare(
      bench('first', each, () => note('first', 'op')),
      bench('promise', async () => {
        await null;
        note('promise', 'op');
      }),
      quick,
    );
  });
  test.skip('skipped', async ({ bench }) => {
    await bench('never', () => note('never', 'op')).run();
  });
});

if (process.env.SCENARIO === 'errors') {
  test('fails', async ({ bench }) => {
    await bench('throws', () => {
      throw new RangeError('op fails');
    }).run();
  });
}
