// Deno.bench: `deno bench` is the reference.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs, suites } from './engines.mjs';
import { edges, logFile, measuredFields, run, runAlone } from './parent.mjs';

const file = `${suites}deno/scenario.bench.ts`;
const deno = engines.find(({ name }) => name === 'deno');

describe('Deno.bench', { concurrency: 2, ...(deno ? needs(deno) : { skip: 'Deno is not among ENGINES' }) }, () => {
  const go = (mode, scenario, select, log) =>
    run(deno, mode, file, { select: select && [select], env: { ...log?.env, SCENARIO: scenario } });

  async function own(t, scenario) {
    const log = logFile(t);
    const engine = { ...deno, run: ['bench', '-A', '--no-check', '--json'] };
    const { stdout } = await runAlone(engine, file, { ...log.env, SCENARIO: scenario });
    const benches = JSON.parse(stdout.slice(stdout.indexOf('{'))).benches;
    return { calls: log.read(), names: benches.map(({ group, name }) => (group === null ? [name] : [group, name])) };
  }

  test('every form of arguments, groups, ignore, only: as in `deno bench`', async (t) => {
    const log = logFile(t);
    const ran = await go('list', 'forms', undefined, log);
    assert.deepEqual([ran.code, ran.one('exit').unrun], [0, 0], ran.stderr);
    const { names, calls } = await own(t, 'forms');
    const benches = ran.of('bench');
    assert.deepEqual(
      benches.filter(({ skipped }) => !skipped).map((bench) => bench.names),
      names,
    );
    assert.deepEqual(
      benches.filter(({ skipped }) => skipped).map((bench) => bench.names),
      [['ignored']],
    );
    // The messages of what is refused.
    assert.deepEqual(log.read(), calls.slice(0, 1));
    assert.deepEqual(ran.one('warning').names, ['permissions']);
    const only = (await go('list', 'only')).of('bench').filter(({ skipped }) => !skipped);
    assert.deepEqual(
      only.map((bench) => bench.names),
      (await own(t, 'only')).names,
    );
  });

  test('measure calls the selected function only, and awaits only async functions', async (t) => {
    for (const [select, isAsync] of [
      [['name and function'], false],
      [['g', 'with options'], false],
      [['named'], false],
      [['h', 'asynchronous'], true],
      [['promise'], false],
    ]) {
      const log = logFile(t);
      const ran = await go('measure', 'forms', select, log);
      assert.deepEqual(ran.one('measured'), measuredFields({ async: isAsync }), ran.stderr);
      assert.deepEqual(log.read().slice(1), [['op', select.at(-1), 300]]);
    }
    assert.equal((await go('measure', 'forms', ['ignored'])).one('measured'), undefined);
  });

  test('start and end bound the ops, where they are called', async (t) => {
    const { calls } = await own(t, 'contexts');
    for (const name of ['both', 'start only', 'end only, async', 'neither']) {
      const log = logFile(t);
      const ran = await go('measure', 'contexts', [name], log);
      const isAsync = name.endsWith('async');
      assert.deepEqual(ran.one('measured'), measuredFields({ async: isAsync, sections: 2 }), ran.stderr);
      assert.deepEqual(edges(log.read()), edges(calls.filter(([, which]) => which === name)));
      const sized = (await go('size', 'contexts', [name])).one('sized');
      assert.deepEqual([sized.async, sized.window, sized.nsPerOp > 10_000], [isAsync, 'brackets', true]);
    }
  });

  test('errors name their place', async () => {
    for (const [name, message] of [
      ['throws', /^RangeError: op fails/],
      ['rejects', /^RangeError: op fails/],
      ['late', /^RangeError: op fails/],
      ['starts twice', /start\(\) has already been invoked/],
      ['starts later', /must not change/],
    ]) {
      const ran = await go('measure', 'errors', [name]);
      assert.equal(ran.one('error')?.phase, 'op', ran.stderr);
      assert.match(ran.one('error').message, message);
      assert.match(ran.one('error').where, /scenario\.bench\.ts:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
    assert.ok((await go('measure', 'errors', ['good'])).one('measured'));
  });
});
