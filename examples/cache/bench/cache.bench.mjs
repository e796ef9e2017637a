// The shapes of a cache library's benchmarks. No warm-up and no number of ops is set by hand: tiergate finds them.

import { bench, group } from 'tiergate';
import { AsyncCache, MemoryStore } from '../src/async-cache.mjs';
import { checksum } from '../src/checksum.mjs';
import { canonical, keyOf } from '../src/keys.mjs';
import { Lru } from '../src/lru.mjs';
import { Packer } from '../src/pack.mjs';
import { Sampler } from '../src/sampler.mjs';

const keys = (count) => Array.from({ length: count }, (_, i) => `key:${i}`);

group('lru', () => {
  const names = keys(1000);
  const warm = new Lru(1000);
  for (const name of names) warm.set(name, name.length);
  let at = 0;
  bench('hit', () => warm.get(names[at++ % names.length]));

  bench('set', ({ cache, names, state }) => cache.set(names[state.at++ % names.length], state.at), {
    params: { capacity: [1_000, 10_000, 100_000] },
    // Full, and asked for twice as many keys as it holds: every op forgets one.
    setup: ({ capacity }) => {
      const names = keys(2 * capacity);
      const cache = new Lru(capacity);
      for (const name of names) cache.set(name, 0);
      return { cache, names, state: { at: 0 } };
    },
  });
});

group('keys', () => {
  const args = { user: { id: 42, roles: ['admin', 'author'] }, page: 3, filter: { to: 9, from: 1 } };
  bench('canonical', () => canonical(args));
  bench('sha-256', () => keyOf('articles', args));
});

group('pack', () => {
  bench('value', ({ packer, value }) => packer.pack(value).length, {
    params: { bytes: [64, 4_096, 1_048_576] },
    setup: ({ bytes }) => {
      const row = (id) => ({ id, name: `row ${id}`, score: id / 3, tags: ['a', 'b'] });
      const rows = Math.max(1, Math.round(bytes / 80));
      return { packer: new Packer(), value: Array.from({ length: rows }, (_, id) => row(id)) };
    },
  });
});

group('async', () => {
  const cache = new AsyncCache(new MemoryStore());
  const names = keys(100);
  let at = 0;
  bench('wrap', () => cache.wrap(names[at++ % names.length], async () => 'made'));
});

bench('wasm envelope', ({ sum, data }) => sum(data), {
  setup: () => ({ sum: checksum(), data: Uint8Array.from({ length: 256 }, (_, i) => i) }),
});

const sampler = new Sampler();
const args = { a: 1, b: [1, 2, 3] };
bench('sampler', () => sampler.run(() => canonical(args)));
