// bench-node 0.11 and 0.15. It runs by itself on Node only, with a flag; under the harness it needs neither.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs, suites } from './engines.mjs';
import { edges, logFile, measuredFields, run, runAlone } from './parent.mjs';

for (const engine of engines) {
  describe(`bench-node on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => {
    for (const version of ['0.11', '0.15']) for (const format of ['cjs', 'mjs']) suite(engine, version, format);
  });
}

const flagged = (engine) => ({ ...engine, run: [...engine.run, '--allow-natives-syntax'] });

function suite(engine, version, format) {
  const file = `${suites}bench-node-${version}/scenario.bench.${format}`;
  const title = `${version} ${format}`;
  const go = (mode, scenario, select, log, extra) =>
    run(engine, mode, file, { select: select && [select], env: { ...log?.env, SCENARIO: scenario, ...extra } });

  test(`${title}: list calls nothing, and results look real`, async (t) => {
    const log = logFile(t);
    const ran = await go('list', 'forms', undefined, log);
    assert.deepEqual([ran.code, ran.one('exit').unrun], [0, 1], ran.stderr);
    assert.deepEqual(
      ran
        .of('bench')
        .map(({ names, window, batchOps, framework, frameworkVersion }) => [
          ...names,
          window,
          batchOps,
          framework,
          frameworkVersion,
        ]),
      ['plain', 'async', 'promise', 'managed', 'single'].map((name) => [
        name,
        name === 'single' ? 'brackets' : 'span',
        1,
        'bench-node',
        `${version}.0`,
      ]),
    );
    assert.match(ran.stdout, /^plain +x .*\d ops\/sec/);
    assert.deepEqual(log.read(), []);
    for (const REPORTER of ['chartReport', 'csvReport', 'jsonReport']) {
      const reported = await go('list', 'kinds', undefined, undefined, { REPORTER });
      assert.deepEqual([reported.code, reported.of('bench').length], [0, 2], reported.stderr);
    }
  });

  test(`${title}: measure runs the selected function only, timers included`, async (t) => {
    for (const [name, isAsync, sections] of [
      ['plain', false, 1],
      ['async', true, 1],
      ['promise', false, 1],
      ['managed', false, 1],
      ['single', true, 2],
    ]) {
      const log = logFile(t);
      const ran = await go('measure', 'forms', [name], log);
      assert.deepEqual(ran.one('measured'), measuredFields({ async: isAsync, sections }), ran.stderr);
      const ops = log.read().filter(([kind]) => kind === 'op');
      assert.deepEqual([...new Set(ops.map(([, which]) => which))], [name]);
      assert.equal(
        ops.reduce((sum, call) => sum + call.at(-1), 0),
        300,
      );
      const { async: sizedAsync, window, nsPerOp } = (await go('size', 'forms', [name])).one('sized');
      assert.deepEqual([sizedAsync, window, nsPerOp > 0], [isAsync, sections === 1 ? 'span' : 'brackets', true]);
    }
  });

  const cannotRunAlone = !engine.name.startsWith('node') && 'bench-node itself needs V8 natives of Node';
  test(`${title}: timers are used as in the framework's own run`, { skip: cannotRunAlone }, async (t) => {
    const own = logFile(t);
    const alone = await runAlone(flagged(engine), file, { ...own.env, SCENARIO: 'forms' });
    assert.equal(alone.code, 0, alone.stderr);
    for (const name of ['managed', 'single']) {
      const log = logFile(t);
      await go('measure', 'forms', [name], log);
      const ofTask = own.read().filter(([, which]) => which === name);
      assert.deepEqual(edges(log.read()), edges(ofTask));
    }
  });

  // What follows does not depend on the format.
  if (format !== 'cjs') return;

  test(`${title}: time mode, worker mode`, async (t) => {
    for (const [name, sections, calls] of [
      ['once', 1, [['op', 'once', 300]]],
      ['once, managed', 2, [['op', 'once, managed', 300]]],
      ['in a worker', 1, [['op', 'worker', 300]]],
    ]) {
      const log = logFile(t);
      const ran = await go('measure', 'kinds', [name], log);
      assert.deepEqual(ran.one('measured'), measuredFields({ sections }), ran.stderr);
      assert.deepEqual(log.read(), calls);
    }
    const closure = (await go('measure', 'kinds', ['closure'], logFile(t))).one('error');
    assert.match(closure.message, /quick/);
  });

  test(`${title}: errors name their place`, async () => {
    for (const [name, message] of [
      ['throws', /^RangeError: op fails/],
      ['rejects', /^RangeError: op fails/],
      ['late', /^RangeError: op fails/],
      ['never started', /without starting its timer/],
      ['never ended', /without ending its timer/],
    ]) {
      const ran = await go('measure', 'errors', [name]);
      assert.equal(ran.one('error')?.phase, 'op', ran.stderr);
      assert.match(ran.one('error').message, message);
      if (!name.startsWith('never')) assert.match(ran.one('error').where, /shared\/bench-node\.cjs:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
    assert.ok((await go('measure', 'errors', ['good'])).one('measured'));
  });
}
