// What bench files tell of their calls, in the file that BENCH_LOG names: [...what, times], repetitions in a row as one.

const { writeFileSync } = require('node:fs');

const calls = [];
process.on('exit', () => process.env.BENCH_LOG && writeFileSync(process.env.BENCH_LOG, JSON.stringify(calls)));

let last = '';

exports.log = function log(...what) {
  // The tests of marks look at how many ops ran between them.
  if (what[0] === 'op' && globalThis.countedOps !== undefined) globalThis.countedOps++;
  const key = JSON.stringify(what);
  if (key === last) calls.at(-1)[what.length]++;
  else calls.push([...what, 1]);
  last = key;
};
