// tiergate as a plugin of vitest 3.2, 4 and 5: `vitest bench` finds the bench files as ever, with its configuration,
// its filters and its watch mode, and has them measured by `tiergate run`, which is the program that also prints the
// results. Tests and everything else of vitest stay as they are.
//
//     // vitest.config.ts
//     import tiergate from 'tiergate/vitest';
//     export default defineConfig({ plugins: [tiergate()] });

import { spawn } from 'node:child_process';
import process from 'node:process';

/** Set by tiergate where it has vitest run a file: that is the measurement, which must not begin another one. */
const RUN_BY_TIERGATE = Symbol.for('tiergate.vitest');
const NO_SUCH_FILE = 'ENOENT';
const INCOMPLETE = 4;

/**
 * @param {{ binary?: string, args?: string[] }} [options] `binary`: the program, `tiergate` of `PATH` by default;
 *   `args`: arguments of `tiergate run`, such as `['--save', 'head.json']`
 */
export default function tiergate({ binary = 'tiergate', args = [] } = {}) {
  return {
    name: 'tiergate',
    configureVitest({ vitest }) {
      if (!isBench(vitest) || globalThis[RUN_BY_TIERGATE]) return;
      // It is called for each project of a workspace, and each can have the plugin.
      if (!vitest[RUN_BY_TIERGATE]) takeOver(vitest, binary, args);
      vitest[RUN_BY_TIERGATE] = true;
    },
  };
}

/** From vitest 5 on benches are parts of tests, and `vitest bench` leaves the other tests out. */
function isBench({ mode, config }) {
  return mode === 'benchmark' || Boolean(config.cliOptions?.benchmarkOnly ?? config.benchmarkOnly);
}

function takeOver(vitest, binary, args) {
  if (typeof vitest.runFiles !== 'function') {
    throw new Error(`tiergate: vitest ${vitest.version} is not supported; start \`tiergate run\` instead`);
  }
  vitest.runFiles = async (specifications) => {
    const { testNamePattern } = vitest.config;
    if (testNamePattern) {
      throw new Error(
        `tiergate: \`-t ${testNamePattern.source}\` is vitest's way to choose benches by name; ` +
          'use `tiergate run --filter GLOB` instead',
      );
    }
    const files = new Set(specifications.map(({ moduleId }) => moduleId));
    vitest.runningPromise = start(binary, ['run', ...args, ...files]).finally(() => {
      vitest.runningPromise = undefined;
    });
    const code = await vitest.runningPromise;
    if (code !== 0) process.exitCode = code;
    return { testModules: [], unhandledErrors: [] };
  };
}

/** Runs the program to its end, with this process's streams, and tells its exit code. */
function start(binary, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('close', (code) => resolve(code ?? INCOMPLETE));
    child.on('error', (error) => {
      const isMissing = error.code === NO_SUCH_FILE;
      const hint = isMissing ? ": install it, or name it by the plugin's option `binary`" : '';
      reject(new Error(`tiergate: can't start \`${binary}\`${hint} (${error.message})`));
    });
  });
}
