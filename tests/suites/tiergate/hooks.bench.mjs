// Logs every call, for the order and number of hooks.

import { writeFileSync } from 'node:fs';
import { bench } from 'tiergate';

const log = [];
process.on('exit', () => process.env.BENCH_LOG && writeFileSync(process.env.BENCH_LOG, JSON.stringify(log)));

const hook = (kind) => (state, params) => void log.push([kind, state?.id, params?.n]);

const options = {
  params: { n: [1, 2] },
  setup(params) {
    log.push(['setup', undefined, params.n]);
    return { id: `state ${params.n}` };
  },
  before: hook('before'),
  after: hook('after'),
  teardown: hook('teardown'),
};

bench('batched', hook('op'), { ...options, batch: 4 });
bench('single', hook('op'), options);
bench('async', async (...args) => hook('op')(...args), {
  ...options,
  setup: async (params) => options.setup(params),
  before: async (...args) => hook('before')(...args),
});
bench(
  'fails',
  (state, params) => {
    hook('op')(state, params);
    throw new Error('op fails');
  },
  options,
);
bench('setup fails', () => 1, {
  ...options,
  setup() {
    throw new Error('setup fails');
  },
});
bench('teardown fails', () => 1, {
  teardown() {
    throw new Error('teardown fails');
  },
});
