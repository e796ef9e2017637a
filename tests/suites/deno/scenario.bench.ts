// Benches in every form that Deno.bench takes. The variable SCENARIO chooses some.

import { log } from '../shared/log.cjs';

const op = (name: string) => (): void => log('op', name);

const scenarios: Record<string, () => void | Promise<void>> = {
  forms() {
    Deno.bench('name and function', op('name and function'));
    Deno.bench('with options', { group: 'g', baseline: true }, op('with options'));
    Deno.bench(function named() {
      log('op', 'named');
    });
    Deno.bench({ name: 'all in one', group: 'g', fn: op('all in one') });
    Deno.bench({ group: 'h' }, async function asynchronous() {
      await null;
      log('op', 'asynchronous');
    });
    Deno.bench('ignored', { ignore: true }, op('ignored'));
    Deno.bench('promise', () => Promise.resolve(log('op', 'promise')));
    Deno.bench('permissions', { permissions: 'none' }, op('permissions'));
    const wrong: [unknown, unknown?, unknown?][] = [
      ['', op('')],
      ['a', {}],
      [() => 1],
      [{}],
      [{ fn: 1 }],
      ['a', { fn: op('') }, op('')],
    ];
    const messages = wrong.map((args) => {
      try {
        (Deno.bench as (...args: unknown[]) => void)(...args);
      } catch (error) {
        return String(error);
      }
      return 'accepted';
    });
    // `deno bench` prints to its own report.
    log('messages', ...messages);
  },

  only() {
    Deno.bench('a', op('a'));
    Deno.bench('b', { only: true }, op('b'));
    Deno.bench('c', { group: 'g', only: true, ignore: true }, op('c'));
  },

  contexts() {
    // More than ten microseconds, below which Deno replaces start and end.
    const work = (name: string) => {
      log('op', name);
      const end = performance.now() + 0.03;
      while (performance.now() < end);
    };
    Deno.bench('both', (b) => {
      log('setup', b.name);
      b.start();
      work('both');
      b.end();
      log('teardown', b.name);
    });
    Deno.bench('start only', (b) => {
      log('setup', b.name);
      b.start();
      work('start only');
    });
    Deno.bench('end only, async', async (b) => {
      await null;
      work('end only, async');
      b.end();
      log('teardown', b.name);
    });
    Deno.bench('neither', (_b) => work('neither'));
  },

  errors() {
    const fails = () => {
      throw new RangeError('op fails');
    };
    let calls = 0;
    Deno.bench('good', () => {});
    Deno.bench('throws', fails);
    Deno.bench('rejects', async () => {
      await null;
      fails();
    });
    Deno.bench('late', () => {
      if (++calls > 150) fails();
    });
    Deno.bench('starts twice', (b) => {
      b.start();
      b.start();
    });
    Deno.bench('starts later', (b) => {
      if (++calls > 50) b.start();
    });
  },
};

await scenarios[Deno.env.get('SCENARIO') ?? 'forms']();
