import { bench, group } from 'tiergate';

bench('plain', () => 1);
group('outer', () => {
  group('inner', () => {
    bench('state', (state, { size }) => state.items[size - 1], {
      params: { size: [10, 1000] },
      setup: ({ size }) => ({ items: Array.from({ length: size }, (_, i) => i) }),
    });
  });
  bench.skip('skipped', () => {
    throw new Error('a skipped bench was called');
  });
});
bench('hooked', async (state) => state.n++, {
  setup: async () => ({ n: 0, before: 0 }),
  before: (state) => void state.before++,
  batch: 10,
  teardown: (state) => {
    if (state.n % 10 !== 0) throw new Error('batches are torn');
  },
});
