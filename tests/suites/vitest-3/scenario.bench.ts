// Benches of vitest 3 and 4 in a project with a configuration: an alias and a set-up file.

import { bench, describe } from 'vitest';

import { note } from '@shared/note';

const hooks = (name: string) => ({
  time: 5,
  iterations: 3,
  warmupTime: 1,
  warmupIterations: 2,
  setup: (_task: unknown, mode: string) => note(name, 'setup', mode),
  teardown: (_task: unknown, mode: string) => note(name, 'teardown', mode),
});

bench('top', () => note('top', 'op', globalThis.fromSetupFile), hooks('top'));

describe('outer', () => {
  bench(
    'promise',
    async () => {
      await null;
      note('promise', 'op');
    },
    hooks('promise'),
  );
  describe('inner', () => {
    bench('first', () => note('first', 'op'), hooks('first'));
    bench.skip('skipped', () => note('skipped', 'op'));
    bench.todo('todo');
  });
});

if (process.env.SCENARIO === 'errors') {
  bench('throws', () => {
    throw new RangeError('op fails');
  });
}
