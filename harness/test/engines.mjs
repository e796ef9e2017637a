// The engines under test, from the lock file of `tests/`, and how each loads the harness.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../tests/node_modules/', import.meta.url));
const entry = (name) => fileURLToPath(new URL(`../entry/${name}`, import.meta.url));

export const suites = fileURLToPath(new URL('../../tests/suites/', import.meta.url));

const node = (major, preload) => ({
  name: `node-${major}`,
  program: `${modules}node-${major}/bin/node`,
  run: [],
  preload,
  hasTypes: major > 20,
});

const all = [
  node(20, ['--expose-internals', '--require', entry('node20.cjs')]),
  ...[22, 24, 26].map((major) => node(major, ['--require', entry('node.cjs')])),
  {
    name: 'bun',
    program: `${modules}@oven/bun-linux-x64/bin/bun`,
    run: ['--no-install'],
    preload: ['--preload', entry('bun.mjs')],
    hasTypes: true,
  },
  {
    name: 'deno',
    program: `${modules}@deno/linux-x64-glibc/deno`,
    run: ['run', '-A'],
    preload: ['--require', entry('deno.cjs')],
    hasTypes: true,
  },
];
export const engines = all.filter((engine) => (process.env.ENGINES ?? engine.name).split(',').includes(engine.name));

/** Options for a test of an engine: skipped, with the reason in the report, where it is not installed. */
export function needs(engine) {
  return existsSync(engine.program) ? {} : { skip: `${engine.name} is not installed: run npm ci in tests/` };
}
