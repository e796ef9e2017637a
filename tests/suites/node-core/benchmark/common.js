'use strict';

// A stand-in for the file of this name in Node's source tree, with the parts of it that benchmarks and tiergate meet:
// combinations of a configuration, a process for each, one start and one end.

const { fork } = require('node:child_process');

class Benchmark {
  #isStarted = false;
  #isEnded = false;
  #startedAt = 0n;
  name = require.main.filename.slice(__dirname.length + 1);
  flags = [];

  constructor(fn, configs, options = {}) {
    const given = Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('=')));
    this.options = { ...configs };
    for (const [key, value] of Object.entries(given)) {
      this.options[key] = [typeof configs[key]?.[0] === 'number' ? Number(value) : value];
    }
    this.queue = combinations(this.options).filter(options.combinationFilter ?? (() => true));
    this.flags.push(...(options.flags ?? []));
    if (this.queue.length === 0) return;
    this.config = this.queue[0];
    process.nextTick(() => {
      if (Object.hasOwn(process.env, 'NODE_RUN_BENCHMARK_FN')) fn(this.config);
      else this._run();
    });
  }

  _run() {
    const [config, ...rest] = this.queue;
    if (config === undefined) return;
    const child = fork(
      require.main.filename,
      Object.entries(config).map(([key, value]) => `${key}=${value}`),
      { env: { ...process.env, NODE_RUN_BENCHMARK_FN: '' }, execArgv: this.flags },
    );
    child.on('close', (code) => {
      if (code) process.exit(code);
      this.queue = rest;
      this._run();
    });
  }

  start() {
    if (this.#isStarted) throw new Error('Called start more than once in a single benchmark');
    this.#isStarted = true;
    this.#startedAt = process.hrtime.bigint();
  }

  end(operations) {
    const elapsed = Number(process.hrtime.bigint() - this.#startedAt);
    if (!this.#isStarted) throw new Error('called end without start');
    if (this.#isEnded) throw new Error('called end multiple times');
    if (typeof operations !== 'number') throw new Error('called end() without specifying operation count');
    this.#isEnded = true;
    const config = Object.entries(this.config).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
    console.log(`${this.name}${config.join('')}: ${(operations / elapsed) * 1e9}`);
  }

  http() {
    throw new Error('Could not locate required http benchmarker');
  }
}

function combinations(options) {
  let all = [{}];
  for (const [key, values] of Object.entries(options)) {
    all = all.flatMap((config) => values.map((value) => ({ ...config, [key]: value })));
  }
  return all;
}

module.exports = { Benchmark, createBenchmark: (fn, configs, options) => new Benchmark(fn, configs, options) };
