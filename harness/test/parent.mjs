// A stand-in for the parent: starts an engine with a request and reads the events.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const LIMIT_MS = 60_000;

/** Runs a bench file under the harness. `options.select` is `[names, ordinal]`. */
export async function run(engine, mode, file, options = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tiergate-'));
  const events = path.join(folder, 'events.jsonl');
  const request = {
    protocol: 1,
    mode,
    events,
    file,
    quietSeconds: 0.5,
    budget: { warmupOps: 200, windowOps: 100 },
    sizing: { warmupOps: 200, warmupSeconds: 1, timingSeconds: 0.005 },
    ...(options.select && { select: { names: options.select[0], ordinal: options.select[1] ?? 1 } }),
    ...options.request,
  };
  fs.writeFileSync(path.join(folder, 'request.json'), JSON.stringify(request));
  try {
    const env = { TIERGATE_REQUEST: path.join(folder, 'request.json'), TIERGATE_OTHER: '1', ...options.env };
    const ended = await start(engine, [...(options.preload ?? []), ...engine.preload], file, env);
    return { ...ended, ...parse(events) };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** What `measured` must say after the budget that `run` gives. */
export function measuredFields(fields) {
  return { event: 'measured', async: false, warmupOps: 200, windowOps: 100, sections: 1, ...fields };
}

/** Which calls follow which in a log of `tests/suites/shared/log.cjs`, whatever their number. */
export function edges(log) {
  const calls = log.map((call) => call.slice(0, -1).join(' '));
  return [...new Set(calls.map((call, index) => `${index === 0 ? 'begin' : calls[index - 1]} -> ${call}`))].sort();
}

/** Runs a bench file as its framework does by itself. */
export function runAlone(engine, file, env) {
  return start(engine, [], file, env);
}

function start(engine, preload, file, env) {
  const child = spawn(engine.program, [...engine.run, ...preload, file], {
    cwd: path.dirname(file),
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (data) => (output[stream] += data));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
}

function parse(file) {
  const events = fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (name) => events.filter(({ event }) => event === name);
  // The course is for readers of traces, which are tested with them.
  const one = (name) => {
    const { course, ...event } = of(name)[0] ?? {};
    return event.event && event;
  };
  return { events, of, one, kinds: events.map(({ event }) => event) };
}

/** A fresh folder of files that is removed after the test. `files` maps relative paths to contents. */
export function folderOf(t, files) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tiergate-')));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  for (const [name, contents] of Object.entries({ 'package.json': '{}', ...files })) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents);
  }
  return (name) => path.join(folder, name);
}

/** A file that a fixture writes its log into, and that log. */
export function logFile(t) {
  const file = folderOf(t, {})('log.json');
  return {
    env: { BENCH_LOG: file },
    read: () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []),
  };
}
