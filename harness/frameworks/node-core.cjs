'use strict';

// `createBenchmark` of Node's own `benchmark/common.js`. Every combination of a file's configuration is a bench, which
// Node runs in a process of its own; the real class makes the combinations, its `_run` is replaced.
//
// Where the configuration has a number `n`, an op is one of n, and n is as many as are to be run; otherwise an op is
// what one call of the file's main function does between `bench.start()` and `bench.end()`.

const fs = require('node:fs');
const path = require('node:path');

const { drive } = require('../core/driver.cjs');
const { isThenable } = require('../core/coroutine.cjs');

const name = 'createBenchmark';

/** The version of the Node source tree that holds the file; empty in a copy without the tree. */
function versionOf(file) {
  if (!fs.readFileSync(file, 'utf8').includes('createBenchmark')) return undefined;
  const header = path.join(path.dirname(file), '..', 'src', 'node_version.h');
  if (!fs.existsSync(header)) return '';
  const text = fs.readFileSync(header, 'utf8');
  const part = (which) => new RegExp(`#define NODE_${which}_VERSION (\\d+)`).exec(text)?.[1] ?? '0';
  return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.');
}

function attach(session, exports, version) {
  const { createBenchmark } = exports;
  exports.createBenchmark = (fn, configs, options) => {
    let bench;
    // In place of the user's function, which the class itself calls in a child for one combination.
    const run = () => runAll(session, { bench, fn, version, flags: bench.flags ?? options?.flags ?? [] });
    bench = Reflect.apply(createBenchmark, exports, [run, configs, options]);
    bench._run = run;
    bench.http = refuseHttp;
    return bench;
  };
}

function refuseHttp() {
  throw new Error('an HTTP benchmark is driven by a program of its own, whose requests cannot be counted in ops');
}

function runAll(session, { bench, fn, version, flags }) {
  // Node starts the process of each combination with them, and so does the parent.
  const engineArgs = flags.filter((flag) => !process.execArgv.includes(flag));
  const selected = bench.queue.filter((config) => {
    const names = [labelOf(config) || bench.name];
    const window = hasCount(config) ? 'span' : 'brackets';
    session.added();
    return session.meet({
      names,
      framework: name,
      frameworkVersion: version,
      window,
      divisible: window === 'brackets',
      ...(engineArgs.length > 0 && { engineArgs }),
    });
  })[0];
  if (selected) drive(session, planFor(bench, fn, selected));
}

/** A combination as Node prints it. */
function labelOf(config) {
  return Object.entries(config)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(' ');
}

function hasCount({ n }) {
  return typeof n === 'number';
}

function planFor(bench, fn, config) {
  const window = hasCount(config) ? 'span' : 'brackets';
  let timer;
  let ended;
  bench.start = () => {
    timer.start();
  };
  bench.end = (operations) => {
    timer.end();
    if (typeof operations !== 'number') throw new Error('called end() without specifying operation count');
    ended();
  };
  const cycle = (cycleTimer, ops) => {
    timer = cycleTimer;
    bench.config = window === 'span' ? { ...config, n: ops } : config;
    let isEnded = false;
    ended = () => {
      isEnded = true;
    };
    const result = fn(bench.config);
    if (isEnded && !isThenable(result)) return undefined;
    // Some main functions return at once and call `end` later.
    const end = isEnded ? undefined : new Promise((resolve) => (ended = resolve));
    return Promise.all([end, result]);
  };
  const empty = () => {
    ended = () => {};
    bench.start();
    bench.end(1);
  };
  return { window, cycle, empty };
}

module.exports = { name, file: /[\\/]benchmark[\\/]common\.js$/, versionOf, attach };
