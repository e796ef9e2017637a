// benchmark.js 2 on every engine, as CommonJS and imported: its own run is the reference.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs, suites } from './engines.mjs';
import { edges, logFile, measuredFields, run, runAlone } from './parent.mjs';

for (const engine of engines) {
  describe(`benchmark.js on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => {
    for (const format of ['cjs', 'mjs']) suite(engine, format);
  });
}

function suite(engine, format) {
  const file = `${suites}benchmark-2/scenario.bench.${format}`;
  const go = (mode, scenario, select, log, extra) =>
    run(engine, mode, file, { select: select && [select], env: { ...log?.env, SCENARIO: scenario, ...extra } });

  test(`${format}: list calls nothing, and events and results look real`, async (t) => {
    for (const ASYNC of ['0', '1']) {
      const log = logFile(t);
      const ran = await go('list', 'plain', undefined, log, { ASYNC });
      assert.deepEqual([ran.code, ran.one('exit').unrun], [0, 0], ran.stderr);
      assert.deepEqual(
        ran.of('bench').map(({ names, framework, window }) => [...names, framework, window]),
        ['a', 'b', 'd'].map((name) => ['suite', name, 'benchmark', 'span']),
      );
      assert.match(ran.one('warning').message, /does not await/);
      assert.match(ran.stdout, /^a x [\d,]+ ops\/sec.*\n.*\n.*\nfastest: /);
      const own = logFile(t);
      await runAlone(engine, file, { ...own.env, SCENARIO: 'plain', ASYNC });
      const events = (calls) => calls.filter(([kind]) => kind === 'event').map((call) => call.slice(0, 3));
      assert.deepEqual(events(log.read()), events(own.read()));
      assert.deepEqual(log.read().length, events(log.read()).length);
    }
  });

  test(`${format}: measure calls the selected function only, as often as planned, and awaits nothing`, async (t) => {
    for (const name of ['a', 'b', 'd']) {
      const log = logFile(t);
      const ran = await go('measure', 'plain', ['suite', name], log);
      assert.deepEqual(ran.one('measured'), measuredFields(), ran.stderr);
      assert.deepEqual(
        log.read().filter(([kind]) => kind === 'op'),
        [['op', name, 300]],
      );
      assert.equal((await go('size', 'plain', ['suite', name])).one('sized').async, false);
    }
  });

  test(`${format}: recompiled and deferred tests run as in the framework's own run`, async (t) => {
    for (const [scenario, names] of [
      ['inlined', ['inlined', 'closure', 'returns', 'text']],
      ['deferred', ['called', 'inlined']],
    ]) {
      const own = logFile(t);
      const alone = await runAlone(engine, file, { ...own.env, SCENARIO: scenario });
      assert.equal(alone.code, 0, alone.stderr);
      let rest = own.read();
      for (const name of names) {
        const log = logFile(t);
        const ran = await go('measure', scenario, [name], log);
        assert.deepEqual(ran.one('measured'), measuredFields({ async: scenario === 'deferred' }), ran.stderr);
        const calls = log.read().filter(([kind]) => kind !== 'event');
        const end = rest.findIndex(([kind, type, which]) => kind === 'event' && type === 'cycle' && which === name);
        const ofTest = rest.slice(0, end).filter(([kind]) => kind !== 'event');
        rest = rest.slice(end + 1);
        assert.deepEqual(edges(calls), edges(ofTest));
        // One window, after a warm-up of whole cycles.
        assert.ok([100, 300].includes(calls.findLast(([kind]) => kind === 'op').at(-1)));
        const sized = (await go('size', scenario, [name])).one('sized');
        assert.deepEqual([sized.async, sized.window, sized.nsPerOp > 0], [scenario === 'deferred', 'span', true]);
      }
    }
  });

  // What follows does not depend on the format.
  if (format !== 'cjs') return;

  test('without a suite, equal names, never run', async (t) => {
    const listed = await go('list', 'alone');
    assert.deepEqual(
      listed.of('bench').map(({ names, ordinal }) => [...names, ordinal]),
      [
        ['alone', 1],
        ['by id', 1],
        ['s', 'same', 1],
        ['s', 'same', 2],
        ['s', 'other', 1],
      ],
    );
    assert.equal(listed.one('exit').unrun, 1);
    const log = logFile(t);
    const ran = await run(engine, 'measure', file, {
      select: [['s', 'same'], 2],
      env: { ...log.env, SCENARIO: 'alone' },
    });
    assert.ok(ran.one('measured'), ran.stderr);
    assert.deepEqual(log.read(), [
      ['complete', 1],
      ['op', 'second', 300],
    ]);
  });

  test('errors name their place', async () => {
    for (const [name, message, hasPlace] of [
      ['throws', 'RangeError: op fails', true],
      ['late', 'RangeError: op fails', true],
      ['set-up', 'RangeError: set-up fails', false],
      ['deferred', 'RangeError: op fails', true],
      ['empty', 'The test "empty" is empty. This may be the result of dead code removal.', false],
    ]) {
      const ran = await go('measure', 'errors', [name]);
      const error = ran.one('error');
      assert.deepEqual([error?.phase, error?.message], ['op', message], ran.stderr);
      if (hasPlace) assert.match(error.where, /scenarios\.cjs:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
    assert.equal((await go('list', 'errors')).of('bench').length, 6);
    assert.ok((await go('measure', 'errors', ['good'])).one('measured'));
  });
}
