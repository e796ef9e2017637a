// Run it with `tiergate run bench/example.bench.mjs`.
import { bench, group } from 'tiergate';

const words = (text) => text.split(/\s+/).filter(Boolean).length;

group('words', () => {
  bench('count', ({ text }) => words(text), {
    params: { lines: [10, 1000] },
    setup: ({ lines }) => ({ text: 'the quick brown fox jumps over the lazy dog\n'.repeat(lines) }),
  });
});
