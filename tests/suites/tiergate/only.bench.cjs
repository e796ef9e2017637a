const { bench, group } = require('tiergate');

bench('a', () => 1);
group.skip('g', () => {
  bench('b', () => 1);
  bench.only('c', () => 1);
});
bench.only('d', () => 1);
