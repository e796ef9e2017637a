'use strict';

const { log } = require('../../../shared/log.cjs');
const common = require('../common.js');

const bench = common.createBenchmark(
  main,
  { type: ['short', 'long'], method: ['legacy', 'whatwg'], n: [1e3] },
  { combinationFilter: ({ type, method }) => !(type === 'long' && method === 'legacy') },
);

const inputs = { short: 'http://example.com/', long: `http://user:pass@example.com:8080/${'a/'.repeat(20)}?b=c#d` };

function main({ type, method, n }) {
  const input = inputs[type];
  const parse = { legacy: (text) => text.split('/'), whatwg: (text) => new URL(text) }[method];
  let noDead;
  log('setup', type, method);
  bench.start();
  for (let i = 0; i < n; i++) {
    log('op', type, method);
    noDead = parse(input);
  }
  bench.end(n);
  log('teardown', type, method);
  if (!noDead) throw new Error('nothing was done');
}
