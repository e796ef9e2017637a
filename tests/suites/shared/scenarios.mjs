// What the bench files of all tinybench majors do. A file chooses one by the variable SCENARIO, and every call of
// a function or hook is logged into the file that BENCH_LOG names.

import { writeFileSync } from 'node:fs';

const log = [];
process.on('exit', () => process.env.BENCH_LOG && writeFileSync(process.env.BENCH_LOG, JSON.stringify(log)));

// Few iterations, so that the framework's own run is short, too.
const quick = { time: 0, iterations: 3, warmupTime: 0, warmupIterations: 2 };

const isMajor2 = (bench) => typeof bench.warmup === 'function';

async function runAll(bench) {
  if (isMajor2(bench)) await bench.warmup();
  await bench.run();
}

/** Hooks that log themselves, and an op that fails unless they alternate around it. */
function logged(name, op) {
  let isOpen = false;
  const hook = (kind) =>
    function (mode) {
      log.push([kind, this.name, mode ?? null]);
    };
  const each = (kind, open) =>
    async function (mode) {
      log.push([kind, this.name, mode ?? null]);
      if (isOpen === open) throw new Error(`${kind} came twice`);
      isOpen = open;
    };
  const fn = function () {
    const result = op();
    // The framework's own probe comes without hooks, and learns from the result whether the function is async.
    if (!isOpen && result instanceof Promise) return Promise.reject(new Error('an op without its hooks'));
    if (!isOpen) throw new Error('an op without its hooks');
    log.push(['op', this.name, null]);
    return result;
  };
  const hooks = { beforeAll: hook('beforeAll'), afterAll: hook('afterAll') };
  return [name, fn, { ...hooks, beforeEach: each('beforeEach', true), afterEach: each('afterEach', false) }];
}

function around(kind) {
  return (task, mode) => {
    log.push([kind, task.name, mode ?? null]);
  };
}

export const scenarios = {
  async hooks(Bench) {
    const bench = new Bench({ ...quick, setup: around('setup'), teardown: around('teardown') });
    bench.add(...logged('sync', () => 1));
    bench.add(...logged('promise', () => Promise.resolve(1)));
    await runAll(bench);
    for (const { error } of bench.results) if (error) throw error;
  },

  async plain(Bench) {
    const bench = new Bench({ ...quick, name: 'suite' });
    const seen = [];
    for (const type of ['start', 'complete', 'cycle'])
      bench.addEventListener(type, (event) => seen.push([type, event.task?.name]));
    const op = (name) => () => void log.push(['op', name, null]);
    bench
      .add('a', op('a'))
      .add('b', async () => op('b')())
      .add('c', op('c'));
    await runAll(bench);
    console.log(JSON.stringify({ rows: bench.table().length, tasks: bench.tasks.map(({ name }) => name), seen }));
    if (!(bench.getTask('a').result.latency?.mean ?? bench.getTask('a').result.mean >= 0)) throw new Error('no result');
  },

  /** Two benches with a task of the same name, the second one depending on the first one's results. */
  async instances(Bench) {
    const first = new Bench(quick).add('same', () => void log.push(['op', 'first', null]));
    await runAll(first);
    const [{ samples, latency }] = first.results;
    if (!((samples ?? latency?.samples)?.length >= 1 || latency?.samplesCount >= 1)) throw new Error('no samples');
    const second = new Bench(quick).add('same', () => void log.push(['op', 'second', null]));
    await runAll(second);
    new Bench(quick).add('never run', () => {});
  },

  async errors(Bench) {
    const bench = new Bench(quick);
    const fails = (what) => () => {
      throw new RangeError(`${what} fails`);
    };
    bench.add('good', () => 1);
    bench.add('throws', fails('op'));
    bench.add('rejects', async () => fails('promise')());
    bench.add('beforeAll', () => 1, { beforeAll: fails('beforeAll') });
    bench.add('afterEach', () => 1, { afterEach: fails('afterEach') });
    bench.add(
      'late',
      (() => {
        let calls = 0;
        return () => ++calls > 150 && fails('call 151')();
      })(),
    );
    await runAll(bench);
  },

  /** An option of 6. */
  async asyncOption(Bench) {
    const bench = new Bench({ ...quick, concurrency: 'task' });
    bench.add('awaited', () => 1, { async: true });
    bench.add('refused', () => Promise.resolve(1), { async: false });
    await runAll(bench);
  },

  sync(Bench) {
    const bench = new Bench(quick);
    bench.add('a', () => void log.push(['op', 'a', null]), {
      beforeEach: () => void log.push(['beforeEach', 'a', null]),
    });
    bench.add('promise', () => Promise.resolve(1));
    if (isMajor2(bench)) return runAll(bench);
    bench.runSync();
    log.push(['after', bench.results.length, null]);
    return undefined;
  },
};
