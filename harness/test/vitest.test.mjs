// vitest 3.2, 4 and 5 on the Nodes that they run on, through vitest's own pipeline: its own run is the reference.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { engines, needs, suites } from './engines.mjs';
import { folderOf, measuredFields, run, runAlone } from './parent.mjs';

const entry = fileURLToPath(new URL('../entry/vitest.mjs', import.meta.url));

const edgesOf = (lines) => [...new Set(lines.map((line, index) => `${lines[index - 1] ?? ''} -> ${line}`))].sort();

const ofMajor4 = {
  listed: [
    ['outer/inner/first', 'span', false],
    ['outer/inner/skipped', 'span', true],
    ['outer/inner/todo', 'span', true],
    ['outer/promise', 'span', false],
    ['top', 'span', false],
  ],
  measured: [
    [['top'], {}],
    [['outer', 'promise'], { async: true }],
    [['outer', 'inner', 'first'], {}],
  ],
};

const ofMajor5 = {
  listed: [
    ['outer/compared/first', 'brackets', false],
    ['outer/compared/promise', 'span', false],
    ['top/only one', 'span', false],
  ],
  measured: [
    [['top', 'only one'], {}],
    [['outer', 'compared', 'first'], { sections: 2 }],
    [['outer', 'compared', 'promise'], { async: true }],
  ],
};

for (const engine of engines.filter(({ name }) => name.startsWith('node'))) {
  // vitest 5 needs Node from 22.
  const majors = engine.name === 'node-20' ? [3, 4] : [3, 4, 5];
  describe(`vitest on ${engine.name}`, needs(engine), () => {
    for (const major of majors) suite({ ...engine, preload: [entry] }, major);
  });
}

function suite(engine, major) {
  const file = `${suites}vitest-${major}/scenario.bench.ts`;
  const benches = major < 5 ? ofMajor4 : ofMajor5;

  function logFile(t) {
    const log = folderOf(t, {})('log.txt');
    const read = () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trimEnd().split('\n') : []);
    return { env: { BENCH_LOG: log }, of: (name) => read().filter((line) => line.startsWith(`${name} `)), read };
  }

  test(`${major}: list calls nothing`, async (t) => {
    const log = logFile(t);
    const ran = await run(engine, 'list', file, { env: log.env });
    assert.deepEqual([ran.code, ran.of('error'), ran.of('loaded').length], [0, [], 1], ran.stderr);
    const seen = ran.of('bench').map(({ names, window, skipped }) => [names.join('/'), window, skipped]);
    assert.deepEqual(seen.sort(), benches.listed);
    assert.equal(ran.one('bench').framework, 'vitest');
    assert.equal(Number.parseInt(ran.one('bench').frameworkVersion, 10), major);
    assert.deepEqual(log.read(), []);
  });

  test(`${major}: measure runs the selected bench only, with its hooks as in vitest's own run`, async (t) => {
    const own = logFile(t);
    const program = path.join(path.dirname(fs.realpathSync(packageOf(file))), 'vitest.mjs');
    const alone = await runAlone({ ...engine, run: [program, 'bench', '--run'] }, file, own.env);
    assert.equal(alone.code, 0, alone.stdout + alone.stderr);
    for (const [names, fields] of benches.measured) {
      const log = logFile(t);
      const ran = await run(engine, 'measure', file, { select: [names], env: log.env });
      assert.deepEqual(ran.one('measured'), measuredFields(fields), ran.stderr + ran.stdout);
      assert.ok(log.read().length > 0);
      // tinybench 6 calls a function once, without hooks, to find out whether it is asynchronous.
      const ofBench = own.of(names.at(-1));
      const isProbed = major === 5 && ofBench.length > 1;
      assert.deepEqual(edgesOf(log.read()), edgesOf(isProbed ? ofBench.slice(1) : ofBench));
    }
    const sized = (await run(engine, 'size', file, { select: [benches.measured[0][0]] })).one('sized');
    assert.deepEqual([sized.async, sized.warmupOps], [false, 200]);
  });

  test(`${major}: code that its own process keeps is none of the worker's`, async (t) => {
    const at = folderOf(t, {
      'package.json': '{ "type": "module" }',
      'vitest.config.mjs': 'export default {};',
      'a.bench.ts': `import { bench, test } from 'vitest';
        import { getCompileCacheDir } from 'node:module';
        throw new Error([getCompileCacheDir?.(), process.env.NODE_COMPILE_CACHE, process.pid].join());`,
    });
    fs.symlinkSync(path.dirname(fs.realpathSync(path.dirname(packageOf(file)))), at('node_modules'));
    const runnerCode = at('code');
    const list = () => run(engine, 'list', at('a.bench.ts'), { request: { worker: { runnerCode } } });
    const workers = new Set();
    for (const files of [await list(), await list()]) {
      const [, pid] = /^,,(\d+)$/.exec(files.one('error')?.message) ?? [];
      assert.ok(pid, files.stderr + files.one('error')?.message);
      workers.add(pid);
    }
    assert.equal(workers.size, 2);
    const kept = fs.existsSync(runnerCode) ? fs.readdirSync(runnerCode, { recursive: true }).length : 0;
    assert.ok(keepsCode(engine) ? kept > 20 : kept === 0, `${kept} files`);
  });

  test(`${major}: errors name their place`, async (t) => {
    const env = { SCENARIO: 'errors' };
    const ran = await run(engine, 'measure', file, { select: [major < 5 ? ['throws'] : ['fails', 'throws']], env });
    assert.deepEqual([ran.one('error')?.phase, ran.one('error')?.message], ['op', 'RangeError: op fails'], ran.stderr);
    assert.match(ran.one('error').where, /scenario\.bench\.ts:\d+:\d+$/);
    assert.ok((await run(engine, 'measure', file, { select: [benches.measured[0][0]], env })).one('measured'));
    const at = folderOf(t, {
      'a.bench.ts': 'throw new RangeError("while loading");',
      'b.ts': '',
      'package.json': '{ "type": "module" }',
    });
    fs.symlinkSync(path.dirname(fs.realpathSync(path.dirname(packageOf(file)))), at('node_modules'));
    const broken = await run(engine, 'list', at('a.bench.ts'));
    assert.deepEqual([broken.one('error')?.phase, broken.one('loaded')], ['load', undefined], broken.stderr);
    assert.match(broken.one('error').message, /while loading/);
    assert.match((await run(engine, 'list', at('b.ts'))).one('error').message, /no bench file/);
  });
}

/** Node has it from 22.8 on. */
const keepsCode = (engine) => engine.name !== 'node-20';

/** The package.json of the vitest that a file gets. */
function packageOf(file) {
  const own = path.join(path.dirname(file), 'node_modules/vitest/package.json');
  return fs.existsSync(own) ? own : path.join(suites, '../node_modules/vitest/package.json');
}
