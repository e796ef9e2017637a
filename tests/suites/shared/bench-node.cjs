// What the bench files of all versions of bench-node do: run with --allow-natives-syntax.

const { log } = require('./log.cjs');

// Functions that a worker gets as text see globals only.
globalThis.log = log;

const quick = { minTime: 0.001, maxTime: 0.002 };

exports.scenarios = {
  async forms(Suite) {
    const suite = new Suite({ reporterOptions: { printHeader: false } });
    suite
      .add('plain', quick, () => log('op', 'plain'))
      .add('async', quick, async () => log('op', 'async'))
      .add('promise', quick, () => Promise.resolve(log('op', 'promise')))
      .add('managed', quick, (timer) => {
        log('setup', 'managed');
        timer.start();
        for (let i = 0; i < timer.count; i++) log('op', 'managed');
        timer.end(timer.count);
        log('teardown', 'managed');
      })
      .add('single', quick, async (timer) => {
        log('setup', 'single');
        await null;
        timer.start();
        await log('op', 'single');
        timer.end();
        log('teardown', 'single');
      });
    const results = await suite.run();
    if (!(results[0].opsSec > 0 && results[0].histogram.samples > 0)) throw new Error('no results');
    new Suite().add('never run', () => {});
  },

  async kinds(Suite, { [process.env.REPORTER ?? 'textReport']: reporter }) {
    const time = new Suite({ benchmarkMode: 'time', reporter });
    time.add('once', () => log('op', 'once'));
    time.add('once, managed', (timer) => {
      timer.start();
      for (let i = 0; i < timer.count; i++) log('op', 'once, managed');
      timer.end(timer.count);
    });
    const [{ totalTime }] = await time.run();
    if (!(totalTime > 0)) throw new Error('no results');
    const workers = new Suite({ useWorkers: true, reporter });
    workers.add('in a worker', quick, () => {
      (globalThis.log ?? Math.abs)('op', 'worker');
    });
    workers.add('closure', quick, () => {
      log('op', quick);
    });
    if (process.env.BENCH_LOG) await workers.run();
  },

  async errors(Suite) {
    let calls = 0;
    const fails = () => {
      throw new RangeError('op fails');
    };
    const suite = new Suite()
      .add('good', () => 1)
      .add('throws', fails)
      .add('rejects', async () => fails())
      .add('late', () => ++calls > 150 && fails())
      .add('never started', (timer) => timer.count)
      .add('never ended', (timer) => timer.start(timer.count));
    await suite.run();
  },
};
