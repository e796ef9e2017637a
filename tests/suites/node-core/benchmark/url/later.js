'use strict';

const common = require('../common.js');

const bench = common.createBenchmark(main, { n: [10, 20], text: ['a b'] });

// Returns at once and ends when all its work is done.
function main({ n, text }) {
  let left = n;
  bench.start();
  const next = () => {
    if (text && --left === 0) bench.end(n);
    else setImmediate(next);
  };
  next();
}
