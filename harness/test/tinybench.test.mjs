// tinybench 2 to 6 on every engine, in every module format that the major has.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs, suites } from './engines.mjs';
import { logFile, run, runAlone } from './parent.mjs';

const formats = { 2: ['mjs', 'cjs', 'ts'], 3: ['mjs', 'cjs'], 4: ['mjs'], 5: ['mjs'], 6: ['mjs', 'ts'] };
const fileOf = (major, format) => `${suites}tinybench-${major}/scenario.bench.${format}`;

/** Repetitions of the calls around an op count as one. */
function shape(log) {
  const lines = log.map((call) => call.join(' ').trim());
  const first = lines.findIndex((line) => line.startsWith('setup'));
  return lines
    .slice(first)
    .join('\n')
    .replace(/(?<round>beforeEach.*\nop.*\nafterEach.*\n)\k<round>+/g, '$<round>');
}

const ofTask = (log, task) => log.filter(([, name]) => name === task);

for (const engine of engines) {
  describe(`tinybench on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => {
    for (const [major, list] of Object.entries(formats)) {
      for (const format of list) {
        if (format === 'ts' && !engine.hasTypes) continue;
        suite(engine, Number(major), format);
      }
    }
  });
}

function suite(engine, major, format) {
  const file = fileOf(major, format);
  const title = `${major} ${format}`;

  test(`${title}: list calls nothing, and results look real`, async (t) => {
    const log = logFile(t);
    const ran = await run(engine, 'list', file, { env: { ...log.env, SCENARIO: 'plain' } });
    assert.equal(ran.code, 0, ran.stderr);
    const suiteName = major === 2 ? [] : ['suite'];
    const seen = ran.of('bench').map(({ names, window, framework }) => [...names, window, framework]);
    assert.deepEqual(
      seen,
      ['a', 'b', 'c'].map((name) => [...suiteName, name, 'span', 'tinybench']),
    );
    assert.equal(Number.parseInt(ran.one('bench').frameworkVersion, 10), major);
    assert.ok(ran.one('loaded'));
    assert.deepEqual(log.read(), []);
    const printed = JSON.parse(ran.stdout);
    assert.deepEqual([printed.rows, printed.tasks], [3, ['a', 'b', 'c']]);
    assert.deepEqual(printed.seen, [
      ['start', null],
      ['cycle', 'a'],
      ['cycle', 'b'],
      ['cycle', 'c'],
      ['complete', null],
    ]);
  });

  test(`${title}: measure calls the selected function only, as often as planned`, async (t) => {
    for (const [name, isAsync] of [
      ['b', true],
      ['c', false],
    ]) {
      const log = logFile(t);
      const select = [major === 2 ? [name] : ['suite', name]];
      const ran = await run(engine, 'measure', file, { select, env: { ...log.env, SCENARIO: 'plain' } });
      assert.deepEqual(
        ran.kinds.filter((kind) => kind !== 'loaded'),
        ['hello', 'started', 'ready', 'measured', 'end'],
        ran.stderr,
      );
      const { course, ...measured } = ran.of('measured')[0];
      assert.ok(course.firstOps >= 1 && course.firstOps <= 2);
      assert.ok(course.marksBefore >= 64);
      assert.deepEqual([course.step, course.marksPerStep], [50, 1]);
      assert.deepEqual(measured, {
        event: 'measured',
        async: isAsync,
        warmupOps: 200,
        windowOps: 100,
        sections: 1,
      });
      assert.equal(ran.code, 0);
      assert.deepEqual([...new Set(log.read().map(String))], [`op,${name},`]);
      assert.equal(log.read().length, 300);
      const sized = (await run(engine, 'size', file, { select, env: { SCENARIO: 'plain' } })).one('sized');
      assert.deepEqual([sized.async, sized.warmupOps, sized.window, sized.batchOps], [isAsync, 200, 'span', 1]);
      assert.ok(sized.nsPerOp > 0);
    }
  });

  test(`${title}: hooks run as in the framework's own run`, async (t) => {
    const own = logFile(t);
    const alone = await runAlone(engine, file, { ...own.env, SCENARIO: 'hooks' });
    assert.equal(alone.code, 0, alone.stderr);
    for (const name of ['sync', 'promise']) {
      const log = logFile(t);
      const ran = await run(engine, 'measure', file, { select: [[name]], env: { ...log.env, SCENARIO: 'hooks' } });
      assert.deepEqual(ran.of('error'), []);
      const { course, ...measured } = ran.of('measured')[0];
      assert.ok(course.firstOps >= 1 && course.firstOps <= 2);
      assert.ok(course.marksBefore >= 64);
      assert.deepEqual([course.step, course.marksPerStep], [50, 1]);
      assert.deepEqual(measured, {
        event: 'measured',
        async: name === 'promise',
        warmupOps: 200,
        windowOps: 100,
        sections: 2,
      });
      assert.equal(shape(log.read()), shape(ofTask(own.read(), name)));
      assert.equal(log.read().filter(([kind]) => kind === 'op').length, 300);
    }
    const log = logFile(t);
    const listed = await run(engine, 'list', file, { env: { ...log.env, SCENARIO: 'hooks' } });
    assert.deepEqual(
      listed.of('bench').map(({ window, batchOps }) => [window, batchOps]),
      [
        ['brackets', 1],
        ['brackets', 1],
      ],
    );
    assert.deepEqual(log.read(), []);
  });

  // What follows does not depend on the format.
  if (format !== 'mjs') return;

  test(`${title}: several benches, equal names`, async (t) => {
    const listed = await run(engine, 'list', file, { env: { SCENARIO: 'instances' } });
    assert.deepEqual(
      listed.of('bench').map(({ names, ordinal }) => [...names, ordinal]),
      [
        ['same', 1],
        ['same', 2],
      ],
    );
    assert.equal(listed.one('exit').unrun, 1);
    for (const [ordinal, name] of [
      [1, 'first'],
      [2, 'second'],
    ]) {
      const log = logFile(t);
      const ran = await run(engine, 'measure', file, {
        select: [['same'], ordinal],
        env: { ...log.env, SCENARIO: 'instances' },
      });
      assert.ok(ran.one('measured'), ran.stderr);
      assert.deepEqual([...new Set(log.read().map(([, which]) => which))], [name]);
    }
  });

  test(`${title}: errors name their place`, async () => {
    const env = { SCENARIO: 'errors' };
    const expected = [
      ['throws', 'op', 'op fails'],
      ['rejects', 'op', 'promise fails'],
      ['beforeAll', 'setup', 'beforeAll fails'],
      ['afterEach', 'teardown', 'afterEach fails'],
      ['late', 'op', 'call 151 fails'],
    ];
    for (const [name, phase, message] of expected) {
      const ran = await run(engine, 'measure', file, { select: [[name]], env });
      const error = ran.one('error');
      assert.deepEqual([error.phase, error.message], [phase, `RangeError: ${message}`]);
      assert.match(error.where, /shared\/scenarios\.mjs:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
    assert.equal((await run(engine, 'list', file, { env })).of('bench').length, 6);
    assert.ok((await run(engine, 'measure', file, { select: [['good']], env })).one('measured'));
  });

  test(`${title}: runSync stays sync`, async (t) => {
    const log = logFile(t);
    const ran = await run(engine, 'measure', file, { select: [['a']], env: { ...log.env, SCENARIO: 'sync' } });
    assert.deepEqual([ran.one('measured')?.async, ran.one('measured')?.sections], [false, 2], ran.stderr);
    assert.deepEqual([...new Set(log.read().map(([kind]) => kind))], ['beforeEach', 'op']);
    if (major === 2) return;
    const refused = await run(engine, 'measure', file, { select: [['promise']], env: { SCENARIO: 'sync' } });
    assert.match(refused.one('error').message, /promise/);
  });

  if (major < 6) return;

  test(`${title}: the async option is followed, concurrency is warned of`, async () => {
    const env = { SCENARIO: 'asyncOption' };
    assert.equal((await run(engine, 'size', file, { select: [['awaited']], env })).one('sized').async, true);
    const refused = await run(engine, 'size', file, { select: [['refused']], env });
    assert.match(refused.one('error').message, /only sync functions/);
    const [warning] = (await run(engine, 'list', file, { env })).of('warning');
    assert.deepEqual(warning.names, ['awaited']);
    assert.match(warning.message, /concurrency "task"/);
  });
}
