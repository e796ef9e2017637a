// mitata 1 on every engine: mitata's own run is the reference.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs, suites } from './engines.mjs';
import { folderOf, logFile, measuredFields, run, runAlone } from './parent.mjs';

const scenarios = `${suites}mitata-1/scenario.bench.mjs`;

for (const engine of engines) {
  describe(`mitata on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => suite(engine));
}

function suite(engine) {
  const env = (scenario, log) => ({ ...log?.env, SCENARIO: scenario });
  const list = (scenario, log) => run(engine, 'list', scenarios, { env: env(scenario, log) });
  const measure = (scenario, select, log) =>
    run(engine, 'measure', scenarios, { select: [select], env: env(scenario, log) });

  test('list: names as mitata expands them, no calls, and results that every format can print', async (t) => {
    const log = logFile(t);
    const ran = await list('forms', log);
    assert.deepEqual([ran.code, ran.one('exit')?.unrun], [0, 0], ran.stderr);
    const sizes = ['small', 'large'].flatMap((kind) => [1, 8, 64].map((size) => `size ${size} of ${kind}`));
    assert.deepEqual(
      ran.of('bench').map(({ names }) => names.join('/')),
      ['plain', 'named', 'first/promise', 'first/inner', 'second/promise', ...sizes],
    );
    assert.deepEqual(
      [...new Set(ran.of('bench').map(({ window, framework }) => `${window} ${framework}`))],
      ['span mitata'],
    );
    assert.deepEqual(log.read(), []);
    for (const text of ['• first', 'size 64 of large']) assert.ok(ran.stdout.includes(text));
    for (const FORMAT of ['json', 'markdown', 'quiet']) {
      const formatted = await run(engine, 'list', scenarios, { env: { ...env('forms'), FORMAT } });
      assert.deepEqual([formatted.code, formatted.of('bench').length], [0, 11], formatted.stderr);
    }
  });

  test('filters, several runs, a call of measure, benches that are never run', async (t) => {
    const ran = await list('filtered');
    assert.deepEqual(
      ran.of('bench').map(({ names, ordinal }) => [...names, ordinal]),
      [
        ['yes 1', 1],
        ['yes 2', 1],
        ['yes 1', 2],
        ['anonymous', 1],
      ],
    );
    assert.equal(ran.one('exit').unrun, 1);
    for (const [select, expected] of [
      [[['yes 1'], 1], 'yes 1'],
      [[['yes 1'], 2], 'again'],
      [[['anonymous'], 1], 'direct'],
    ]) {
      const log = logFile(t);
      const measured = await run(engine, 'measure', scenarios, { select, env: env('filtered', log) });
      assert.ok(measured.one('measured'), measured.stderr);
      assert.deepEqual(log.read(), [['op', expected, 300]]);
    }
  });

  test('measure: only the selected function, as often as planned', async (t) => {
    const expected = [
      [['plain'], false, [['op', 'plain', 300]]],
      [['named'], false, [['op', 'named', 300]]],
      [['first', 'promise'], true, [['op', 'promise', 300]]],
      [['first', 'inner'], false, [['op', 'inner', 300]]],
      [['second', 'promise'], true, [['op', 'second promise', 300]]],
      [
        ['size 8 of large'],
        false,
        [
          ['setup', 8, 'large', 1],
          ['op', 8, 300],
          ['teardown', 8, 1],
        ],
      ],
    ];
    for (const [select, isAsync, calls] of expected) {
      const log = logFile(t);
      const ran = await measure('forms', select, log);
      assert.deepEqual(ran.one('measured'), measuredFields({ async: isAsync }), ran.stderr);
      assert.deepEqual(log.read(), calls);
    }
  });

  test('loops over the state and generators: as in the own run', async (t) => {
    for (const [scenario, names] of [
      ['states', ['loop', 'async loop of 5']],
      ['generators', ['computed', 'async generator', 'at once']],
    ]) {
      const own = logFile(t);
      assert.equal((await runAlone(engine, scenarios, env(scenario, own))).code, 0);
      const calls = [];
      for (const name of names) {
        const log = logFile(t);
        const ran = await measure(scenario, [name], log);
        const isAsync = /async|at once/.test(name);
        assert.deepEqual(ran.one('measured'), measuredFields({ async: isAsync }), ran.stderr);
        assert.equal(
          log
            .read()
            .find(([kind]) => kind === 'op')
            .at(-1),
          name === 'at once' ? 900 : 300,
        );
        calls.push(...log.read());
        const sized = await run(engine, 'size', scenarios, { select: [[name]], env: env(scenario) });
        assert.deepEqual([sized.one('sized')?.async, sized.one('sized')?.warmupOps], [isAsync, 200], sized.stderr);
      }
      const withoutTimes = (log) => log.map((call) => call.slice(0, -1));
      assert.deepEqual(withoutTimes(calls), withoutTimes(own.read()).slice(0, calls.length));
    }
  });

  test('errors name their place and phase', async () => {
    for (const [scenario, name, phase, message] of [
      ['errors', 'throws', 'op', /op fails/],
      ['errors', 'rejects', 'op', /op fails/],
      ['errors', 'late', 'op', /op fails/],
      ['errors', 'set-up', 'setup', /op fails/],
      ['states', 'breaks', 'op', /ended before/],
      ['generators', 'twice', 'teardown', /yield once/],
      ['generators', 'nothing', 'setup', /benchmarkable/],
      ['generators', 'manual', 'setup', /clock of their own/],
    ]) {
      const ran = await measure(scenario, [name]);
      const error = ran.one('error');
      assert.equal(error?.phase, phase, ran.stderr);
      assert.match(error.message, message);
      if (scenario === 'errors') assert.match(error.where, /scenario\.bench\.mjs:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
    assert.equal((await list('errors')).of('bench').length, 5);
    assert.ok((await measure('errors', ['good'])).one('measured'));
  });

  test('routers in TypeScript', { skip: engine.hasTypes ? false : 'this engine strips no types' }, async () => {
    const file = `${suites}mitata-1/routers.bench.ts`;
    const names = (await run(engine, 'list', file)).of('bench').map((bench) => bench.names);
    assert.equal(names.length, 8);
    for (const select of [names[0], names[7]]) {
      const ran = await run(engine, 'measure', file, { select: [select] });
      assert.deepEqual(ran.one('measured'), measuredFields(), ran.stderr);
    }
  });

  test('another major is refused', async (t) => {
    const at = folderOf(t, {
      'a.mjs': 'import { run } from "mitata"; run();',
      'package.json': '{ "dependencies": { "mitata": "*" } }',
      'node_modules/mitata/package.json':
        '{ "name": "mitata", "version": "2.0.0", "type": "module", "main": "src/main.mjs" }',
      'node_modules/mitata/src/main.mjs': 'export function run() {} let COLLECTIONS;',
    });
    const ran = await run(engine, 'list', at('a.mjs'));
    assert.deepEqual(ran.kinds, ['hello', 'unsupported', 'end'], ran.stderr);
    assert.deepEqual(ran.one('unsupported').supported, ['1']);
  });
}
