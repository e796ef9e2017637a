// vitest 3.2, 4 and 5, of the project that a bench file belongs to:
//
//     TIERGATE_REQUEST=request.json node harness/entry/vitest.mjs FILE
//
// This process is vitest's own; the file is run in a process that vitest forks, which gets the harness. The request's
// `worker` tells what else that process gets: `env`, variables; `execArgv`, flags of the engine.

import childProcess from 'node:child_process';
import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import place from '../core/place.cjs';

const { describe } = place;

const [, , file] = process.argv;
const requestFile = process.env.TIERGATE_REQUEST;
const request = JSON.parse(fs.readFileSync(requestFile, 'utf8'));
delete process.env.TIERGATE_REQUEST;
// For this process alone, in which nothing is counted: a variable would be the worker's as well.
if (request.worker?.runnerCode) module.enableCompileCache?.(request.worker.runnerCode);

const worker = fileURLToPath(new URL('vitest-worker.cjs', import.meta.url));
const flags = [...(module.registerHooks ? [] : ['--expose-internals']), '--require', worker];
const { fork } = childProcess;
childProcess.fork = (program, args, options = {}) => {
  const [passed, own] = Array.isArray(args) ? [args, options] : [[], args ?? options];
  if (path.basename(String(program)).startsWith('watchdog')) return fork(program, passed, own);
  const execArgv = [...(own.execArgv ?? process.execArgv), ...(request.worker?.execArgv ?? []), ...flags];
  // A program that runs the engine takes it as its last argument.
  const [wrapper, ...wrapped] = request.worker?.wrapper ?? [];
  const child = fork(program, passed, {
    ...own,
    env: { ...(own.env ?? process.env), ...request.worker?.env, TIERGATE_REQUEST: requestFile },
    ...(wrapper ? { execPath: wrapper, execArgv: [...wrapped, ...execArgv] } : { execArgv }),
  });
  child.on('exit', (...ending) => ended(child, ...ending));
  muffle(child);
  return child;
};
module.syncBuiltinESMExports();

/** The harness cuts the channel when a bench begins: to vitest the worker is busy. */
function muffle(child) {
  const { emit, send } = child;
  child.emit = (event, ...args) => event !== 'disconnect' && Reflect.apply(emit, child, [event, ...args]);
  child.send = (...args) => !child.connected || Reflect.apply(send, child, args);
}

/** The harness ends the worker when it is through; vitest would take that for a failure. */
function ended(child, code, signal) {
  if (hasEnded()) process.exit(0);
  // vitest ends its workers itself when they are through. Otherwise this process ends as its worker did.
  if (child.killed || has('loaded') || has('error')) return;
  if (signal) process.kill(process.pid, signal);
  else if (code !== 0) process.exit(code);
}

const events = () => (fs.existsSync(request.events) ? fs.readFileSync(request.events, 'utf8') : '');
const has = (event) => events().includes(`{"event":"${event}"`);
const hasEnded = () => has('end');
const append = (event) => fs.appendFileSync(request.events, `${JSON.stringify(event)}\n`);

const fromProject = module.createRequire(file);
const version = installed();
const major = Number.parseInt(version, 10);
if (![3, 4, 5].includes(major)) {
  append({ event: 'unsupported', framework: 'vitest', frameworkVersion: version, supported: ['3', '4', '5'] });
  append({ event: 'end', reason: 'unsupported', unrun: 0 });
  process.exit(0);
}
// The plugin of the project's configuration is for others who start vitest.
globalThis[Symbol.for('tiergate.vitest')] = true;
const { createVitest } = await import(pathToFileURL(fromProject.resolve('vitest/node')).href);
const silent = {
  onInit() {},
  onUserConsoleLog({ type, content }) {
    process[type].write(content);
  },
};
// From 5 on benches are parts of tests.
const isSuite = major < 5;
const options = {
  root: process.cwd(),
  watch: false,
  run: true,
  pool: 'forks',
  fileParallelism: false,
  // vitest 3 keeps a worker ready, which is one too many: it starts another when the one is through.
  ...(major === 3 && { poolOptions: { forks: { minForks: 0 } } }),
  testTimeout: 0,
  teardownTimeout: 3_600_000,
  reporters: [silent],
  benchmark: isSuite ? { reporters: [silent] } : { enabled: true },
  ...(!isSuite && { benchmarkOnly: true }),
};
const vitest = await createVitest(isSuite ? 'benchmark' : 'test', options);
const found = await vitest.globTestSpecifications([file]);
await vitest.runTestSpecifications(found, true);

function installed() {
  try {
    return fromProject('vitest/package.json').version;
  } catch {
    append({ event: 'error', phase: 'load', message: `vitest is not installed for ${file}` });
    append({ event: 'exit', code: 1, unrun: 0 });
    return process.exit(0);
  }
}

if (!hasEnded()) {
  const failures = [
    ...vitest.state.getTestModules().flatMap((tested) => tested.errors()),
    ...vitest.state.getUnhandledErrors(),
  ];
  if (found.length === 0)
    failures.push({ message: `vitest ${version} takes it for no bench file: see its configuration` });
  const [failure] = failures;
  if (failure) append({ event: 'error', phase: 'load', ...describe(failure) });
  else if (!has('loaded')) append({ event: 'loaded' });
  if (!has('exit')) append({ event: 'exit', code: failure ? 1 : 0, unrun: 0 });
}
process.exit(0);
