// Benchmarks in every form that benchmark.js takes.

const { log } = require('../shared/log.cjs');

// Recompiled tests see globals only.
globalThis.log = log;

// Few and short cycles, so that the framework's own run is short, too.
const quick = { minTime: 0.001, maxTime: 0.01, minSamples: 2, initCount: 3 };
const op = (name) => () => log('op', name);
const fails = () => {
  throw new RangeError('op fails');
};

/** Logs a suite's events and stops the process with an error if a test has failed. */
function watched(suite) {
  return suite
    .on('start cycle complete error', ({ type, target }) => log('event', type, target.name))
    .on('complete', function () {
      if (this.filter('successful').length !== this.length) process.exitCode = 1;
    });
}

exports.scenarios = {
  plain(Benchmark) {
    watched(new Benchmark.Suite('suite'))
      .add('a', op('a'), quick)
      .add('b', async () => op('b')(), quick)
      .add({ ...quick, name: 'd', fn: op('d') })
      .on('cycle', ({ target }) => console.log(String(target)))
      .on('complete', function () {
        console.log(`fastest: ${this.filter('fastest').map('name')}`);
        const first = this[0];
        if (!(first.hz > 0 && first.stats.sample.length > 0 && first.times.period > 0)) throw new Error('no results');
      })
      .run({ async: process.env.ASYNC === '1' });
  },

  /** Tests that are recompiled: their set-up's variables are visible in them. */
  inlined(Benchmark) {
    const closure = 'a variable of the closure';
    watched(new Benchmark.Suite())
      .add('inlined', {
        ...quick,
        setup() {
          var state = 'state';
          log('setup');
        },
        fn() {
          log('op', state);
        },
        teardown() {
          log('teardown', state);
        },
      })
      .add('closure', {
        ...quick,
        setup: () => {
          log('setup', 'closure');
        },
        fn: () => {
          log('op', closure);
        },
      })
      .add('returns', {
        ...quick,
        setup: 'var word = "seen"; log("setup", "returns")',
        fn() {
          log('op', word);
          return 1;
        },
      })
      .add('text', 'log("op", "text")', { ...quick, teardown: 'log("teardown", "text")' })
      .run();
  },

  deferred(Benchmark) {
    const closure = 'closure';
    watched(new Benchmark.Suite())
      .add('called', {
        ...quick,
        defer: true,
        fn: (deferred) => {
          log('op', closure);
          setTimeout(() => deferred.resolve(), 0);
        },
      })
      .add('inlined', {
        ...quick,
        defer: true,
        setup() {
          var state = 'deferred state';
          log('setup', 'deferred');
        },
        fn: function (done) {
          log('op', state);
          setTimeout(function () {
            done.resolve();
          }, 0);
        },
        teardown() {
          log('teardown', state);
        },
      })
      .run({ async: true });
  },

  /** Without a suite, and two suites with equal names. */
  alone(Benchmark) {
    new Benchmark('alone', op('alone'), quick).run();
    const unnamed = new Benchmark(op('unnamed'), { ...quick, id: 'by id' });
    unnamed.on('complete', () => log('complete')).run();
    new Benchmark.Suite('s').add('same', op('first'), quick).run();
    new Benchmark.Suite('s').add('same', op('second'), quick).add('other', op('other'), quick).run();
    new Benchmark.Suite('never').add('never run', op('never'), quick);
  },

  errors(Benchmark) {
    let calls = 0;
    const suite = new Benchmark.Suite()
      .add('good', () => 1, quick)
      .add('throws', fails, quick)
      .add('late', () => ++calls > 150 && fails(), quick)
      .add('set-up', {
        ...quick,
        setup: 'throw new RangeError("set-up fails")',
        fn() {
          log('op');
        },
      })
      .add('deferred', { ...quick, defer: true, fn: fails })
      .add('empty', { ...quick, setup: 'var a', fn() {} });
    suite.run();
  },
};
