// Benches in every form that mitata takes. The variable SCENARIO chooses some.

import { barplot, bench, boxplot, compact, do_not_optimize, group, lineplot, measure, run, summary } from 'mitata';

import { log } from '../shared/log.cjs';

const op = (name) => () => log('op', name);

const scenarios = {
  async forms() {
    bench('plain', op('plain'));
    bench(function named() {
      log('op', 'named');
    }).baseline();
    group('first', () => {
      bench('promise', async () => op('promise')());
      summary(() => {
        compact(() => bench('inner', () => do_not_optimize(op('inner')())));
      });
    });
    await group('second', async () => {
      await null;
      bench('promise', () => Promise.resolve(op('second promise')())).highlight('red');
    });
    boxplot(() => {
      barplot(() => {
        lineplot(() => {
          bench('size $size of $kind', function* (state) {
            const size = state.get('size');
            log('setup', size, state.get('kind'));
            yield () => log('op', size);
            log('teardown', size);
          })
            .range('size', 1, 64)
            .args('kind', ['small', 'large'])
            .gc('inner');
        });
      });
    });
    const { benchmarks, layout } = await run({ format: process.env.FORMAT ?? 'mitata', colors: true });
    if (!(benchmarks[0].runs[0].stats.avg > 0) || layout.length < 5) throw new Error('no results');
  },

  async states() {
    bench('loop', (state) => {
      log('setup');
      for (const _ of state) log('op');
      log('teardown');
    });
    bench('async loop of $n', async (state) => {
      log('setup', state.get('n'));
      for await (const _ of state) {
        await null;
        log('op');
      }
      log('teardown');
    }).args('n', [5]);
    bench('breaks', (state) => {
      let ops = 0;
      for (const _ of state) if (++ops === 20) break;
    });
    await run({ format: 'quiet' });
  },

  async generators() {
    bench('computed', function* () {
      log('setup');
      let made = 0;
      const made1 = () => ({ used: false, number: ++made });
      yield {
        0: made1,
        1: async () => 'b',
        bench(a, b) {
          if (a.used || b !== 'b') throw new Error('a parameter came twice');
          a.used = true;
          log('op');
        },
      };
      log('teardown');
    });
    bench('async generator', async function* () {
      await null;
      log('setup');
      yield { 0: () => 1, bench: async (one) => log('op', one) };
      await null;
      log('teardown');
    });
    bench('at once', function* () {
      let open = 0;
      let calls = 0;
      yield {
        concurrency: 3,
        async bench() {
          open++;
          await null;
          // mitata's own warm-up makes single calls.
          if (++calls > 3 && open !== 3) throw new Error('not at once');
          await null;
          open = 0;
          log('op');
        },
      };
    });
    bench('twice', function* () {
      yield () => 1;
      yield () => 2;
    });
    bench('manual', function* () {
      yield { manual: () => 5 };
    });
    bench('nothing', function* () {
      yield 5;
    });
    await run({ format: 'quiet' });
  },

  async errors() {
    const fails = () => {
      throw new RangeError('op fails');
    };
    bench('good', () => 1);
    bench('throws', fails);
    bench('rejects', async () => fails());
    let calls = 0;
    bench('late', () => ++calls > 150 && fails());
    bench('set-up', function* () {
      fails();
      yield () => 1;
    });
    await run();
  },

  async filtered() {
    bench('yes 1', op('yes 1'));
    bench('no', op('no'));
    bench('yes 2', op('yes 2'));
    const { benchmarks } = await run({ format: 'quiet', filter: /^yes/ });
    if (benchmarks.length !== 2) throw new Error('the filter was not followed');
    // A second run, and one more bench that is never run.
    bench('yes 1', op('again'));
    await run({ format: 'json', print: () => {} });
    const { avg } = await measure(op('direct'));
    if (!(avg > 0)) throw new Error('no stats');
    bench('never run', op('never'));
  },
};

await scenarios[process.env.SCENARIO]();
