'use strict';

const { log } = require('../../../shared/log.cjs');
const common = require('../common.js');

const bench = common.createBenchmark(
  main,
  { kind: ['once', 'async', 'later', 'n', 'throws', 'no end', 'no count', 'http'] },
  { flags: ['--expose-gc'] },
);

async function main({ kind }) {
  log('setup', kind);
  if (kind === 'throws') throw new RangeError('main fails');
  if (kind === 'http') bench.http({}, () => {});
  if (kind === 'async') await null;
  bench.start();
  log('op', kind);
  if (kind === 'async') await null;
  if (kind === 'later') setTimeout(() => bench.end(1), 1);
  else if (kind !== 'no end') bench.end(kind === 'no count' ? undefined : 1);
  log('teardown', kind);
}
