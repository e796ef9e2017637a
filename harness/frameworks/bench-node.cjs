'use strict';

// bench-node 0.10 to 0.15. The real class checks what it is given; its `run` is replaced, as it would time benches by
// the clock. Results of that form, with numbers that look real, go to the suite's reporter.
//
// By default bench-node keeps V8 from optimising the functions. Here they are optimised as in production.

const { types } = require('node:util');

const { drive } = require('../core/driver.cjs');

const name = 'bench-node';
/** Nanoseconds that an op is said to take. */
const FAKE_TIME = 100;
const AsyncFunction = (async () => {}).constructor;

function attach(session, exports, version) {
  const identify = { framework: name, frameworkVersion: version };
  const { Suite: RealSuite, textReport, prettyReport, htmlReport } = exports;

  class Suite extends RealSuite {
    #benches = [];
    #options;

    constructor(options) {
      super(options);
      this.#options = options ?? {};
    }

    add(...args) {
      super.add(...args);
      const [benchName, options] = args;
      const fn = args.find((argument) => typeof argument === 'function');
      const kept = session.wants([benchName]) ? fn : undefined;
      const shape = shapeOf(fn, this.#options.benchmarkMode);
      this.#benches.push({ name: benchName, options, isAsync: types.isAsyncFunction(fn), fn: kept, ...shape });
      session.added();
      return this;
    }

    async run() {
      const { benchmarkMode, plugins = [], useWorkers } = this.#options;
      const selected = this.#benches.filter((bench) =>
        session.meet({ names: [bench.name], ...identify, window: bench.window, divisible: !(bench.isManaged && bench.window === 'span') }),
      )[0];
      if (selected) return drive(session, planFor(selected, useWorkers));
      const results = this.#benches.map((bench) => resultOf(bench, benchmarkMode, plugins));
      this.#report(results);
      return results;
    }

    #report(results) {
      const { pretty, reporter, reporterOptions = { printHeader: true }, ttest } = this.#options;
      const report = reporter === undefined ? (pretty === true ? prettyReport : textReport) : reporter;
      // It writes a page of results, which must not be replaced by one of these.
      if (!report || report === htmlReport) return;
      report(results, ttest ? { ...reporterOptions, ttest } : reporterOptions);
    }
  }

  exports.Suite = Suite;
}

/** How a function is called: plainly, or with a timer, which it tells where its loop of `timer.count` ops is. */
function shapeOf(fn, benchmarkMode) {
  const isManaged = fn.length >= 1;
  const loops = isManaged && benchmarkMode !== 'time' && /\bcount\b/.test(String(fn));
  return { isManaged, window: isManaged && !loops ? 'brackets' : 'span' };
}

function planFor({ fn, isAsync, isManaged, window }, useWorkers) {
  const run = useWorkers ? rebuilt(fn, isManaged, isAsync) : fn;
  const awaits = () => isAsync;
  if (!isManaged) return { op: () => run(), isAsync, awaits };
  let timer;
  const managed = {
    count: 1,
    start() {
      timer.start();
    },
    end() {
      timer.end();
    },
  };
  const cycle = (cycleTimer, ops) => {
    timer = cycleTimer;
    managed.count = ops;
    return run(managed);
  };
  const empty = () => {
    managed.start();
    managed.end();
  };
  return { window, isAsync, awaits, cycle, empty };
}

/** As in a worker, which gets a function as its source text: without its closure. */
function rebuilt(fn, isManaged, isAsync) {
  const text = String(fn);
  const body = text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));
  const Kind = isAsync ? AsyncFunction : Function;
  return isManaged ? new Kind('timer', body) : new Kind(body);
}

function resultOf({ name: benchName, options }, benchmarkMode, plugins) {
  const result = {
    iterations: 1,
    histogram: { samples: 1, min: FAKE_TIME, max: FAKE_TIME, sampleData: [FAKE_TIME] },
    name: benchName,
    plugins: plugins.map((plugin) => ({ name: String(plugin), result: 'enabled', report: '' })),
    baseline: options?.baseline ?? false,
  };
  if (benchmarkMode === 'time') return { ...result, totalTime: FAKE_TIME / 1e9 };
  return { ...result, opsSec: 1e9 / FAKE_TIME, opsSecPerRun: [1e9 / FAKE_TIME] };
}

module.exports = {
  name,
  majors: ['0.10', '0.11', '0.13', '0.14', '0.15'],
  file: /[\\/]bench-node[\\/]lib[\\/]index\.js$/,
  attach,
};
