'use strict';

// Our own API: `bench` and `group` collect while the main module is evaluated, then the file is run.

const { drive } = require('../core/driver.cjs');
const { packageOf } = require('../core/packages.cjs');
const { checkBench, checkGroup } = require('../api/check.cjs');

function createApi(session) {
  const collected = [];
  const groups = [];
  let isSkipping = false;
  let hasOnly = false;

  function add(args, { skipped = false, only = false } = {}) {
    refuseLate('bench');
    const { name, fn, options } = checkBench(args);
    hasOnly ||= only;
    for (const params of combinations(options.params)) {
      const names = [...groups, name + suffix(params)];
      session.added();
      collected.push({
        names,
        fn: session.wants(names) ? fn : undefined,
        options,
        params,
        only,
        skipped: skipped || isSkipping,
      });
    }
  }

  function nest(args, skipped = false) {
    refuseLate('group');
    const { name, fn } = checkGroup(args);
    const wasSkipping = isSkipping;
    groups.push(name);
    isSkipping ||= skipped;
    try {
      const result = fn();
      if (typeof result?.then === 'function') {
        throw new TypeError(`group "${name}": its function must not be async; await before the group instead`);
      }
    } finally {
      groups.pop();
      isSkipping = wasSkipping;
    }
  }

  function refuseLate(what) {
    if (!session.isClosed) return;
    throw new Error(`${what}() was called after the run began: register benches while the module loads`);
  }

  session.atLoad(() => {
    const selected = collected.filter((entry) => meet(session, entry, hasOnly))[0];
    return selected && (() => drive(session, planFor(selected)));
  });

  const bench = (...args) => add(args);
  bench.skip = (...args) => add(args, { skipped: true });
  bench.only = (...args) => add(args, { only: true });
  const group = (...args) => nest(args);
  group.skip = (...args) => nest(args, true);
  return { bench, group };
}

function meet(session, { names, options, only, skipped }, hasOnly) {
  const { before, after, batch = 1 } = options;
  return session.meet({
    names,
    framework: 'tiergate',
    frameworkVersion: packageOf(__filename).version,
    ...((before || after) && { window: 'brackets', batchOps: batch }),
    skipped: skipped || (hasOnly && !only),
  });
}

function planFor({ fn, options, params }) {
  let state;
  const hook = (name) => options[name] && (() => options[name](state, params));
  const { before, after, teardown } = { before: hook('before'), after: hook('after'), teardown: hook('teardown') };
  const setup = () => {
    const result = options.setup(params);
    const keep = (value) => {
      state = value;
    };
    return typeof result?.then === 'function' ? result.then(keep) : keep(result);
  };
  return {
    // The state is read here and not closed over as a variable that was assigned once, so sync and async
    // set-up make the same code.
    op: () => fn(state, params),
    batchOps: options.batch,
    setup: options.setup ? [setup] : [],
    before,
    after,
    teardown: teardown ? [teardown] : [],
    afterFailure: (phase) => [phase === 'op' && after, teardown].filter(Boolean),
  };
}

/** All combinations of the parameters' values, the last parameter varying fastest; one empty one without any. */
function combinations(params = {}) {
  let all = [{}];
  for (const [key, values] of Object.entries(params)) {
    all = all.flatMap((partial) => values.map((value) => ({ ...partial, [key]: value })));
  }
  return all;
}

function suffix(params) {
  const parts = Object.entries(params).map(([key, value]) => `${key}=${label(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function label(value) {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
}

module.exports = { createApi };
