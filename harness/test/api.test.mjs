// Our own API on every engine: names, parameters, hooks, misuse, and the package without tiergate.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { engines, needs, suites } from './engines.mjs';
import { folderOf, logFile, run, runAlone } from './parent.mjs';

const file = (name) => `${suites}tiergate/${name}`;
const HARNESS = fileURLToPath(new URL('..', import.meta.url));

for (const engine of engines) {
  describe(`tiergate's API on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => suite(engine));
}

function suite(engine) {
  test('names, groups, parameters, skips', async () => {
    const ran = await run(engine, 'list', file('kinds.bench.mjs'));
    const seen = ran
      .of('bench')
      .map(({ names, window, batchOps, skipped }) => [names.join('/'), window, batchOps, skipped]);
    assert.deepEqual(seen, [
      ['plain', 'span', 1, false],
      ['outer/inner/state (size=10)', 'span', 1, false],
      ['outer/inner/state (size=1000)', 'span', 1, false],
      ['outer/skipped', 'span', 1, true],
      ['hooked', 'brackets', 10, false],
    ]);
    assert.deepEqual([ran.code, ran.one('exit').unrun], [0, 0]);
    for (const name of ['outer/inner/state (size=1000)', 'hooked']) {
      const measured = await run(engine, 'measure', file('kinds.bench.mjs'), { select: [name.split('/')] });
      assert.deepEqual(measured.kinds, ['hello', 'loaded', 'started', 'ready', 'measured', 'end'], measured.stderr);
    }
  });

  test('only, in CommonJS', async () => {
    const ran = await run(engine, 'list', file('only.bench.cjs'));
    assert.deepEqual(
      ran.of('bench').map(({ names, skipped }) => [names.join('/'), skipped]),
      [
        ['a', true],
        ['g/b', true],
        ['g/c', true],
        ['d', false],
      ],
    );
    assert.ok((await run(engine, 'size', file('only.bench.cjs'), { select: [['d']] })).one('sized'));
    assert.ok(!(await run(engine, 'size', file('only.bench.cjs'), { select: [['a']] })).one('sized'));
  });

  test('TypeScript', { skip: engine.hasTypes ? false : 'this engine strips no types' }, async () => {
    const ran = await run(engine, 'measure', file('typed.bench.ts'), { select: [['typed', 'sum (size=100)']] });
    assert.ok(ran.one('measured'), ran.stderr);
  });

  test('hooks: order and number', async (t) => {
    const order = async (name, budget) => {
      const log = logFile(t);
      const options = { select: [[`${name} (n=2)`]], env: log.env, request: { budget } };
      const ran = await run(engine, 'measure', file('hooks.bench.mjs'), options);
      const calls = log.read();
      assert.ok(calls.every(([kind, , n]) => n === 2 || kind === undefined));
      assert.ok(calls.slice(1).every(([, id]) => id === 'state 2'));
      return { measured: ran.one('measured'), order: calls.map(([kind]) => kind).join(' ') };
    };
    const round = (ops) => `before ${'op '.repeat(ops)}after `;
    const batched = await order('batched', { warmupOps: 8, windowOps: 10 });
    assert.equal(batched.order, `setup ${round(4).repeat(5)}teardown`);
    assert.deepEqual([batched.measured.warmupOps, batched.measured.windowOps], [8, 12]);
    for (const name of ['single', 'async']) {
      const ran = await order(name, { warmupOps: 3, windowOps: 2 });
      assert.equal(ran.order, `setup ${round(1).repeat(5)}teardown`);
      assert.deepEqual([ran.measured.warmupOps, ran.measured.windowOps, ran.measured.async], [3, 2, name === 'async']);
    }
  });

  test('failures: phase, place, and what still runs', async (t) => {
    const log = logFile(t);
    const failed = async (name) =>
      (await run(engine, 'measure', file('hooks.bench.mjs'), { select: [[name]], env: log.env })).one('error');
    const op = await failed('fails (n=1)');
    assert.deepEqual([op.phase, op.message], ['op', 'op fails']);
    assert.match(op.where, /tiergate\/hooks\.bench\.mjs:\d+:\d+$/);
    assert.deepEqual(
      log.read().map(([kind]) => kind),
      ['setup', 'before', 'op', 'after', 'teardown'],
    );
    assert.equal((await failed('setup fails (n=1)')).phase, 'setup');
    assert.equal((await failed('teardown fails')).phase, 'teardown');
  });

  test('misuse is told clearly', async () => {
    const ran = await run(engine, 'list', file('misuse.bench.mjs'));
    const messages = JSON.parse(ran.stdout);
    assert.equal(new Set(Object.values(messages)).size, Object.keys(messages).length);
    for (const [name, message] of Object.entries(messages))
      assert.match(message, /^(Type|Range)Error: (bench|group)/, name);
    assert.match(messages['unknown option'], /"beforeEach"; known are setup/);
    const late = await run(engine, 'list', file('late.bench.mjs'));
    assert.match(late.one('error').message, /after the run began/);
    assert.match(late.one('error').where, /late\.bench\.mjs:5/);
  });

  test('the embedded API comes before an installed package; without tiergate the package gives a hint', async (t) => {
    const at = folderOf(t, {
      'a.mjs': 'import { bench, group } from "tiergate"; group("g", () => bench("a", () => 1)); bench.skip("b");',
      'a.cjs': 'const { bench, group } = require("tiergate"); group.skip("g", () => {}); bench.only("a", () => 1);',
      'fake/node_modules/tiergate/package.json': '{ "name": "tiergate", "main": "index.js" }',
      'fake/node_modules/tiergate/index.js': 'exports.bench = () => { throw new Error("the wrong one") };',
      'fake/a.cjs': 'require("tiergate").bench("a", () => 1)',
      'fake/package.json': '{ "dependencies": { "tiergate": "*" } }',
      'node_modules/.keep': '',
    });
    assert.equal((await run(engine, 'list', at('fake/a.cjs'))).of('bench').length, 1);
    fs.symlinkSync(HARNESS, at('node_modules/tiergate'));
    fs.writeFileSync(at('package.json'), '{ "dependencies": { "tiergate": "*" } }');
    for (const name of ['a.mjs', 'a.cjs']) {
      const alone = await runAlone(engine, at(name), {});
      assert.equal(alone.code, 0, alone.stderr);
      assert.equal(alone.stderr.match(/tiergate run FILE/g)?.length, 1, alone.stderr);
    }
  });
}
