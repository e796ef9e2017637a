// Node core's createBenchmark, on a stand-in of its `benchmark/common.js`: the stand-in's own run is the reference.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { engines, needs, suites } from './engines.mjs';
import { edges, folderOf, logFile, measuredFields, run, runAlone } from './parent.mjs';

for (const engine of engines) {
  describe(`createBenchmark on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => suite(engine));
}

const file = (name) => `${suites}node-core/benchmark/url/${name}.js`;

function suite(engine) {
  const measure = (name, select, log) => run(engine, 'measure', file(name), { select: [[select]], env: log?.env });
  const list = (name, log) => run(engine, 'list', file(name), { env: log?.env });

  test('list: the combinations that the own run makes', async (t) => {
    const log = logFile(t);
    const ran = await list('parse', log);
    assert.deepEqual([ran.code, ran.one('exit').unrun], [0, 0], ran.stderr);
    assert.deepEqual(
      [...new Set(ran.of('bench').map((bench) => `${bench.framework} ${bench.frameworkVersion} ${bench.window}`))],
      ['createBenchmark 26.3.1 span'],
    );
    assert.deepEqual([log.read(), ran.stdout], [[], '']);
    const own = await runAlone(engine, file('parse'), {});
    const printed = own.stdout.trim().split('\n');
    assert.deepEqual(
      ran.of('bench').map(({ names }) => `url/parse.js ${names[0]}`),
      printed.map((line) => line.slice(0, line.lastIndexOf(':'))),
    );
  });

  test('measure: n is what is asked for, start and end are the marks', async (t) => {
    const name = 'type="long" method="whatwg" n=1000';
    const log = logFile(t);
    const ran = await measure('parse', name, log);
    assert.deepEqual(ran.one('measured'), measuredFields(), ran.stderr);
    assert.deepEqual(log.read().at(-2), ['op', 'long', 'whatwg', 100]);
    const calls = ['setup', 'op', 'teardown'].map((kind) => [kind, 'long', 'whatwg', 1]);
    assert.deepEqual(edges(log.read()), edges([...calls, ...calls]));
    const sized = (await run(engine, 'size', file('parse'), { select: [[name]] })).one('sized');
    assert.deepEqual([sized.async, sized.warmupOps, sized.window], [false, 200, 'span']);
  });

  test('without n an op is one call; ends can come later', async (t) => {
    const listed = await list('forms');
    assert.deepEqual([...new Set(listed.of('bench').map(({ window }) => window))], ['brackets']);
    assert.deepEqual(new Set(listed.of('bench').flatMap(({ engineArgs }) => engineArgs)), new Set(['--expose-gc']));
    for (const kind of ['once', 'async', 'later']) {
      const log = logFile(t);
      const ran = await measure('forms', `kind="${kind}"`, log);
      assert.deepEqual(ran.one('measured'), measuredFields({ async: true, sections: 2 }), ran.stderr);
      assert.equal(log.read().filter(([call]) => call === 'op').length, 300);
    }
    const later = await measure('later', 'n=20 text="a b"');
    assert.deepEqual(later.one('measured'), measuredFields({ async: true }), later.stderr);
  });

  test('errors name their place', async () => {
    for (const [kind, message] of [
      ['throws', /^RangeError: main fails/],
      ['no end', /never settled/],
      ['no count', /without specifying operation count/],
      ['http', /HTTP/],
    ]) {
      const ran = await measure('forms', `kind="${kind}"`);
      assert.equal(ran.one('error')?.phase, 'op', ran.stderr);
      assert.match(ran.one('error').message, message);
      if (kind !== 'no end') assert.match(ran.one('error').where, /url\/forms\.js:\d+:\d+$/);
      assert.deepEqual([ran.kinds.at(-1), ran.code], ['end', 0]);
    }
  });

  test("another benchmark/common.js is left alone, and a copy without Node's tree has no version", async (t) => {
    const at = folderOf(t, {
      'benchmark/common.js': 'module.exports = () => "called"; exports.other = 1;',
      'a.cjs': 'console.log(require("./benchmark/common.js")());',
      'copy/benchmark/common.js':
        'exports.createBenchmark = (fn) => { const bench = { queue: [{}], name: "b" }; process.nextTick(() => bench._run()); return bench; }',
      'copy/b.cjs': 'require("./benchmark/common.js").createBenchmark(() => {}, {});',
    });
    const other = await run(engine, 'list', at('a.cjs'));
    assert.deepEqual([other.stdout, other.kinds], ['called\n', ['hello', 'loaded', 'exit']], other.stderr);
    const copy = await run(engine, 'list', at('copy/b.cjs'));
    const { names, frameworkVersion } = copy.one('bench') ?? {};
    assert.deepEqual([names, frameworkVersion], [['b'], ''], copy.stderr);
  });

  test('a package.json without a name sets the type of its folder', async (t) => {
    const at = folderOf(t, {
      'package.json': '{ "name": "outer", "type": "module" }',
      'benchmark/package.json': '{ "type": "commonjs" }',
      'benchmark/common.js': fs.readFileSync(new URL('../common.js', pathToFileURL(file('parse')))),
      'benchmark/a.js': `require('./common.js').createBenchmark(() => {}, { n: [1] });`,
    });
    const ran = await run(engine, 'list', at('benchmark/a.js'));
    assert.deepEqual([ran.of('bench').length, ran.of('error')], [1, []], ran.stderr);
  });
}
