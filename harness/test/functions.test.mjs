// Functions that the user has named, in programs with loops and clocks of their own.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { engines, needs } from './engines.mjs';
import { folderOf, measuredFields, run } from './parent.mjs';

const LOOP = `
const started = Date.now();
let calls = 0;
for (let i = 0; i < 5; i++) parse('a,b,c', 3);
console.log('calls', calls, Date.now() >= started, typeof describe(1));
`;
const PARSE = `function parse(text, times) {
  calls++;
  if (text !== 'a,b,c' || times < 0) throw new Error('other arguments: ' + times);
  // It calls itself.
  return times === 0 ? [] : [...text.split(','), parse(text, times - 1)];
}
function describe(value) { return String(value); }
`;

/** Programs of every form, each with what it prints when it runs to its end. */
const programs = {
  'declared.mjs': `${LOOP}${PARSE}`,
  'declared.cjs': `'use strict';\n${LOOP}${PARSE}\nif (this === undefined) throw new Error('no module');`,
  'exported.mjs': `import { parse } from './lib.mjs';\nconst describe = String; let calls = 0;${LOOP.replace('let calls = 0;', '')}`,
  'required.cjs': `const { parse } = require('./lib.cjs');\nconst describe = String; let calls = 0;${LOOP.replace('let calls = 0;', '')}`,
  'global.mjs': `globalThis.parse = (text, times) => text.split(',').length + times;\nconst describe = String;${LOOP}`,
  'later.mjs': `${PARSE}\nlet calls = 0;\nawait null;\nsetTimeout(() => { parse('a,b,c', 2); console.log('calls'); }, 5);`,
};
const libraries = {
  'lib.mjs': `let calls = 0;\nexport ${PARSE}`,
  'lib.cjs': `let calls = 0;\nexports.parse = (text, times) => text.split(',').length + times + ++calls;`,
};

for (const engine of engines) {
  describe(`named functions on ${engine.name}`, { concurrency: 2, ...needs(engine) }, () => suite(engine));
}

function suite(engine) {
  const request = { functions: ['parse'] };
  const withBoth = { functions: ['parse', 'describe'] };

  for (const name of Object.keys(programs)) {
    test(`${name}: its first call is the op`, async (t) => {
      const at = folderOf(t, { ...programs, ...libraries });
      const listed = await run(engine, 'list', at(name), { request });
      assert.deepEqual(
        listed.of('bench').map(({ names, framework, window }) => [names, framework, window]),
        [[['parse'], 'function', 'span']],
        listed.stderr,
      );
      // The loop is not run to its end once all is known.
      assert.deepEqual([listed.stdout, listed.of('loaded').length, listed.kinds.at(-1), listed.code], ['', 1, 'end', 0]);
      const ran = await run(engine, 'measure', at(name), { request, select: [['parse']] });
      assert.deepEqual(ran.one('measured'), measuredFields(), ran.stderr);
      assert.equal(ran.stdout, '');
    });
  }

  test('of several functions each is a bench, and the program goes on until all were called', async (t) => {
    const at = folderOf(t, programs);
    for (const name of ['declared.mjs', 'declared.cjs']) {
      const listed = await run(engine, 'list', at(name), { request: withBoth });
      assert.deepEqual(listed.of('bench').map(({ names }) => names[0]), ['parse', 'describe'], listed.stderr);
      const ran = await run(engine, 'measure', at(name), { request: withBoth, select: [['describe']] });
      assert.deepEqual(ran.one('measured'), measuredFields(), ran.stderr);
    }
  });

  test('promises are awaited; a function without parameters need not be called', async (t) => {
    const at = folderOf(t, {
      'async.mjs': 'await parse(2);\nasync function parse(ms) { await null; return ms; }',
      'uncalled.mjs': 'let count = 0;\nexport const parse = () => ++count;',
      'uncalled.cjs': 'let count = 0;\nexports.parse = () => ++count;',
    });
    for (const [name, async] of [['async.mjs', true], ['uncalled.mjs', false], ['uncalled.cjs', false]]) {
      const listed = await run(engine, 'list', at(name), { request });
      assert.equal(listed.of('bench').length, 1, listed.stderr);
      const ran = await run(engine, 'measure', at(name), { request, select: [['parse']] });
      assert.deepEqual(ran.one('measured'), measuredFields({ async }), ran.stderr);
    }
  });

  test('what is not found or never called is an error, and so is what throws', async (t) => {
    const at = folderOf(t, {
      'none.mjs': 'console.log("done");',
      'uncalled.mjs': 'export function parse(text) { return text.length; }',
      'constant.mjs': 'const parse = (text) => text.length;\nparse("a");\nexport { parse };',
      'throws.mjs': 'parse("a");\nfunction parse(text) {\n  throw new RangeError("parse fails");\n}',
    });
    for (const [name, message] of [
      ['none', /^no function `parse` was found$/],
      ['uncalled', /^the function `parse` was never called by the program, and it takes 1 parameters$/],
      ['constant', /^the function `parse` was never called by the program, or by a name that is constant/],
    ]) {
      const listed = await run(engine, 'list', at(`${name}.mjs`), { request });
      assert.deepEqual([listed.one('error')?.phase, listed.of('bench')], ['mark', []], listed.stderr);
      assert.match(listed.one('error').message, message);
    }
    const ran = await run(engine, 'measure', at('throws.mjs'), { request, select: [['parse']] });
    assert.deepEqual([ran.one('error')?.phase, ran.kinds.at(-1)], ['op', 'end'], ran.stderr);
    assert.match(ran.one('error').where, /throws\.mjs:3:\d+$/);
  });
}
