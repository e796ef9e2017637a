// Files that end in unusual ways, or do not end: what the events say, on every engine.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs } from './engines.mjs';
import { folderOf, run } from './parent.mjs';

const files = {
  'throws.mjs':
    'import { bench } from "tiergate";\nbench("a", () => 1);\nawait null;\nthrow new Error("while loading");',
  'throws.cjs': 'require("tiergate");\nthrow new Error("while loading");',
  'syntax.mjs': 'import { bench } from "tiergate";\nlet = 5;;;(',
  'missing.mjs': 'import "./not-there.mjs";',
  'exits.mjs': 'import { bench } from "tiergate";\nbench("a", () => 1);\nprocess.exit(0);\nbench("b", () => 1);',
  'deno-exits.mjs': 'import { bench } from "tiergate";\nbench("a", () => 1);\nDeno.exit(3);',
  'typeless.js': 'import { bench } from "tiergate";\nawait null;\nbench("a", () => 1);',
  'threads.mjs': `import { bench } from "tiergate";
    import { Worker } from "node:worker_threads";
    bench("a", () => 1);
    const code = "import('node:worker_threads').then(({ parentPort }) => parentPort.postMessage(process.env.TIERGATE_REQUEST ?? 'none'))";
    await new Promise((resolve) => new Worker(code, { eval: true }).on("message", (answer) => resolve(console.log(answer))));`,
  'rejects.mjs': 'import { bench } from "tiergate";\nbench("a", () => 1);\nPromise.reject(new Error("nobody cares"));',
  'handled.mjs': `import { bench } from "tiergate";
    process.on("unhandledRejection", () => {});
    process.on("uncaughtException", () => {});
    bench("a", () => 1);
    Promise.reject(new Error("x"));
    setTimeout(() => { throw new Error("y"); }, 1);`,
  'open.mjs': 'import { bench } from "tiergate";\nbench("a", () => 1);\nsetInterval(() => {}, 50);',
  'server.cjs':
    'const { bench } = require("tiergate");\nbench("a", () => 1);\nrequire("node:http").createServer().listen(0);',
  'loud.mjs': `import { bench } from "tiergate";
    console.log('{"event":"measured"}'); console.error("to stderr");
    bench("a", () => { console.log("op"); });`,
  'code.mjs':
    'import { bench } from "tiergate";\nbench("a", () => 1);\nprocess.exitCode = 7; process.on("exit", () => { process.exitCode = 7; });',
  'hangs.mjs':
    'import { bench } from "tiergate";\nlet calls = 0;\nbench("a", () => ++calls < 100 ? Promise.resolve() : new Promise(() => {}));',
  'timer.mjs': `import { bench } from "tiergate";
    bench("a", () => new Promise((resolve) => { setTimeout(() => { throw new Error("in a timer"); }, 1); }));`,
  'environment.mjs': `import { bench } from "tiergate";
    bench("a", () => 1);
    console.log(Object.keys(process.env).filter((name) => /^TIERGATE|^LD_PRELOAD/.test(name)).length);`,
  'main.mjs':
    'import "tiergate";\nconsole.log(import.meta.main ?? true, globalThis.times = (globalThis.times ?? 0) + 1);',
  'main.cjs':
    'require("tiergate");\nconsole.log(require.main === module, globalThis.times = (globalThis.times ?? 0) + 1);',
  'json.cjs': 'require("tiergate").bench(require("./data.json").name, () => 1);',
  'data.json': '{ "name": "from json" }',
  'tinybench.mjs':
    'import { Bench } from "tinybench";\nconst bench = new Bench().add("a", () => { throw new Error("called"); });\nawait bench.run();',
  'node_modules/tinybench/package.json':
    '{ "name": "tinybench", "version": "99.1.0", "type": "module", "exports": "./dist/index.js" }',
  'node_modules/tinybench/dist/index.js': `export class Bench { add(name, fn) { this.fn = fn; return this; } run() { this.fn(); } }
    export class Task {}`,
  'broken/package.json': '{ "dependencies": { "tinybench": "*" } }',
  'broken/a.mjs': 'import * as all from "tinybench";\nconsole.log(Object.keys(all));',
  'broken/node_modules/tinybench/package.json':
    '{ "name": "tinybench", "version": "6.0.0", "type": "module", "exports": "./dist/index.js" }',
  'broken/node_modules/tinybench/dist/index.js': 'export const nothing = 1;',
  'package.json': '{ "dependencies": { "tinybench": "*" } }',
};

for (const engine of engines) {
  describe(`ends on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => suite(engine));
}

function suite(engine) {
  const go = (t, mode, name, options) =>
    run(engine, mode, folderOf(t, files)(name), { select: mode === 'list' ? undefined : [['a']], ...options });

  test('errors while loading', async (t) => {
    for (const [name, line] of [
      ['throws.mjs', 4],
      ['throws.cjs', 2],
    ]) {
      for (const mode of ['list', 'measure']) {
        const ran = await go(t, mode, name);
        assert.deepEqual(
          [ran.one('error').phase, ran.one('error').message, ran.one('loaded')],
          ['load', 'while loading', undefined],
        );
        assert.match(ran.one('error').where, new RegExp(`${name}:${line}:\\d+$`));
        assert.equal(ran.code, 1);
        assert.match(ran.stderr, /while loading/);
      }
    }
    for (const name of ['syntax.mjs', 'missing.mjs']) {
      const ran = await go(t, 'list', name);
      assert.notEqual(ran.code, 0);
      assert.equal(ran.one('loaded'), undefined);
      assert.notEqual(ran.stderr, '');
    }
  });

  test('process.exit half way', async (t) => {
    const ran = await go(t, 'list', 'exits.mjs');
    assert.deepEqual([ran.kinds, ran.code], [['hello', 'exit'], 0]);
    assert.match(ran.one('exit').where, /exits\.mjs:3:\d+$/);
    assert.deepEqual((await go(t, 'measure', 'exits.mjs')).kinds, ['hello', 'exit']);
    if (engine.name !== 'deno') return;
    const { code, where } = (await go(t, 'list', 'deno-exits.mjs')).one('exit');
    assert.equal(code, 3);
    assert.match(where, /deno-exits\.mjs:3:\d+$/);
  });

  test('uncaught errors, handled ones', async (t) => {
    const ran = await go(t, 'list', 'rejects.mjs');
    assert.deepEqual([ran.one('error').message, ran.code], ['nobody cares', 1]);
    assert.match(ran.one('error').where, /rejects\.mjs:3/);
    const handled = await go(t, 'list', 'handled.mjs');
    assert.deepEqual([handled.kinds, handled.code], [['hello', 'bench', 'loaded', 'exit'], 0]);
    const late = await go(t, 'measure', 'timer.mjs');
    assert.deepEqual([late.one('error').phase, late.one('error').message], ['op', 'in a timer']);
  });

  test('something stays open', async (t) => {
    for (const name of ['open.mjs', 'server.cjs']) {
      const ran = await go(t, 'list', name);
      assert.deepEqual([ran.kinds, ran.code], [['hello', 'bench', 'loaded', 'end'], 0]);
      assert.equal(ran.one('end').reason, 'quiet');
      assert.deepEqual((await go(t, 'measure', name)).kinds, ['hello', 'loaded', 'started', 'ready', 'measured', 'end']);
    }
    const absent = await go(t, 'measure', 'open.mjs', { select: [['nobody']] });
    assert.deepEqual([absent.kinds, absent.one('end').reason], [['hello', 'loaded', 'end'], 'quiet']);
  });

  test('a bench that is not there', async (t) => {
    for (const select of [[['b']], [['a'], 2], [['a', 'a']]]) {
      assert.deepEqual((await go(t, 'size', 'code.mjs', { select })).kinds, ['hello', 'loaded', 'exit']);
    }
  });

  test("output and exit code stay the file's own", async (t) => {
    const ran = await go(t, 'measure', 'loud.mjs', { request: { budget: { warmupOps: 3, windowOps: 2 } } });
    assert.equal(ran.stdout, '{"event":"measured"}\n' + 'op\n'.repeat(5));
    assert.equal(ran.stderr, 'to stderr\n');
    assert.equal((await go(t, 'list', 'code.mjs')).one('exit').code, 7);
    const measured = await go(t, 'measure', 'code.mjs');
    assert.ok(measured.one('measured'));
    assert.equal(measured.one('exit'), undefined);
  });

  test('an op that never settles', async (t) => {
    const ran = await go(t, 'measure', 'hangs.mjs');
    assert.deepEqual([ran.one('error').phase, ran.one('measured')], ['op', undefined]);
    assert.match(ran.one('error').message, /never settled/);
  });

  test('the environment and the main module are as without the harness', async (t) => {
    assert.equal((await go(t, 'list', 'environment.mjs', { env: { LD_PRELOAD: '' } })).stdout, '0\n');
    for (const name of ['main.mjs', 'main.cjs']) assert.equal((await go(t, 'list', name)).stdout, 'true 1\n');
    assert.deepEqual((await go(t, 'list', 'json.cjs')).one('bench').names, ['from json']);
    assert.deepEqual((await go(t, 'list', 'typeless.js')).kinds, ['hello', 'bench', 'loaded', 'exit']);
    const threads = await go(t, 'list', 'threads.mjs');
    assert.deepEqual([threads.stdout, threads.kinds], ['none\n', ['hello', 'outside', 'bench', 'loaded', 'exit']]);
    assert.deepEqual([threads.one('outside').kind, threads.one('outside').name], ['thread', 'code given as text']);
  });

  test('an unknown major is refused before it runs anything', async (t) => {
    for (const mode of ['list', 'measure']) {
      const ran = await go(t, mode, 'tinybench.mjs');
      assert.deepEqual([ran.kinds, ran.code], [['hello', 'unsupported', 'end'], 0], ran.stderr);
      const { framework, frameworkVersion, supported } = ran.one('unsupported');
      assert.deepEqual([framework, frameworkVersion, supported], ['tinybench', '99.1.0', ['2', '3', '4', '5', '6']]);
    }
    const broken = await go(t, 'list', 'broken/a.mjs');
    assert.deepEqual([broken.kinds, broken.one('error').phase], [['hello', 'error', 'end'], 'harness']);
  });
}
