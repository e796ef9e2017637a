// Which marks an instrument sees, and how many ops lie between them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { engines, needs, suites } from './engines.mjs';
import { folderOf, run } from './parent.mjs';

const counter = fileURLToPath(new URL('count-marks.cjs', import.meta.url));

const source = `
import { bench } from 'tiergate';
const op = () => globalThis.countedOps++;
bench('sync', op);
bench('async', async () => op());
const hooks = { before() {}, after() {}, batch: 7 };
bench('hooked', op, hooks);
bench('hooked async', async () => op(), { ...hooks, before: async () => {} });
`;

const once = 'one section';
const each = 'sections around ops';

/** Benches whose code bounds its ops itself: file, scenario, name, what the marks look like. */
const shapes = [
  ['mitata-1/scenario.bench.mjs', 'states', 'loop', once],
  ['mitata-1/scenario.bench.mjs', 'states', 'async loop of 5', once],
  ['mitata-1/scenario.bench.mjs', 'generators', 'computed', once],
  ['benchmark-2/scenario.bench.cjs', 'inlined', 'inlined', once],
  ['benchmark-2/scenario.bench.cjs', 'deferred', 'inlined', once],
  ['bench-node-0.15/scenario.bench.cjs', 'forms', 'managed', once],
  ['bench-node-0.15/scenario.bench.cjs', 'forms', 'single', each],
  ['node-core/benchmark/url/parse.js', '', 'type="short" method="legacy" n=1000', once],
  ['node-core/benchmark/url/forms.js', '', 'kind="async"', each],
  ...['both', 'start only', 'end only, async', 'neither'].map((name) => [
    'deno/scenario.bench.ts',
    'contexts',
    name,
    each,
    'deno',
  ]),
];

for (const engine of engines) {
  describe(`marks on ${engine.name}`, needs(engine), () => {
    for (const name of ['sync', 'async']) {
      test(`${name}: one section of two marks around all ops`, async (t) => {
        const { section, before, opsBefore } = await marks(t, engine, name);
        // The reads that settle the mark; Deno's are not seen, see count-marks.cjs.
        if (engine.name !== 'deno') assert.ok(before >= 64);
        assert.equal(opsBefore, 300);
        assert.deepEqual(section(1), [300, 1430]);
        assert.equal(section(2), undefined);
      });
    }
    for (const name of ['sync', 'async']) {
      test(`${name}: without a warm-up the same marks, and none in between`, async (t) => {
        const budget = { warmupOps: 1, windowOps: 3 };
        const { section } = await marks(t, engine, name, { budget });
        assert.deepEqual(section(1), [1, 4]);
      });
    }
    for (const name of ['hooked', 'hooked async']) {
      test(`${name}: a section around the batches, and one around nothing`, async (t) => {
        const { section } = await marks(t, engine, name);
        const batches = Math.ceil(1130 / 7);
        const first = section(1);
        assert.equal(first.length, 2 * batches);
        for (let i = 0; i < first.length; i += 2) assert.equal(first[i + 1] - first[i], 7);
        const second = section(2);
        assert.equal(second.length, 2 * batches);
        assert.equal(new Set(second).size, 1);
        assert.equal(section(3), undefined);
      });
    }

    for (const [path, SCENARIO, name, shape, only = engine.name] of shapes) {
      if (only !== engine.name) continue;
      test(`${path}, ${name}: ${shape}`, async (t) => {
        const options = { file: suites + path, env: { SCENARIO } };
        const { section, opsBefore } = await marks(t, engine, name, options);
        assert.equal(opsBefore, 300);
        if (shape === once) {
          assert.deepEqual(section(1), [300, 1430]);
          assert.equal(section(2), undefined);
          return;
        }
        assert.equal(section(1).length, 2 * 1130);
        for (let i = 0; i < 2 * 1130; i += 2) assert.equal(section(1)[i + 1] - section(1)[i], 1);
        assert.equal(section(2).length, 2 * 1130);
        assert.equal(new Set(section(2)).size, 1);
      });
    }
  });
}

/** Runs a bench; its sections as the numbers of ops done at each mark. */
async function marks(t, engine, name, { file, env, budget = { warmupOps: 300, windowOps: 1130 } } = {}) {
  const at = folderOf(t, { 'a.mjs': source });
  const option = engine.preload.at(-2);
  const ran = await run(engine, 'measure', file ?? at('a.mjs'), {
    select: [[name]],
    request: { budget },
    preload: [option, counter],
    env: { MARK_LOG: at('marks.json'), ...env },
  });
  assert.ok(ran.one('measured'), ran.stderr);
  const calls = JSON.parse(fs.readFileSync(at('marks.json'), 'utf8'));
  const arms = calls.flatMap(([kind], index) => (kind === 'arm' ? [index] : []));
  assert.equal(arms.length, ran.one('measured').sections);
  const section = (number) => {
    const start = arms[number - 1];
    return start === undefined ? undefined : calls.slice(start + 1, arms[number]).map(([, ops]) => ops);
  };
  return { section, before: arms[0], opsBefore: calls[arms[0]][1] };
}
