'use strict';

// Threads and processes that a bench file starts: benches in them are out of this process's sight. They are told of in
// `list`, once each.

const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');
const workerThreads = require('node:worker_threads');

const LONGEST_NAME = 60;
const MOST = 20;
const ENGINES = ['node', 'bun', 'deno'];

function watchOutside(session) {
  const told = new Set();
  const tell = (kind, name) => {
    const key = `${kind} ${name}`;
    if (name === undefined || told.has(key) || told.size === MOST) return;
    told.add(key);
    session.emit('outside', { kind, name });
  };
  const calls = (owner, method, nameOf) => {
    replace(owner, method, (real) => {
      const called = function (...args) {
        tell('child', nameOf(...args));
        return Reflect.apply(real, this, args);
      };
      return Object.assign(called, real);
    });
  };
  const classes = (owner, name, kind, nameOf) => {
    replace(owner, name, (real) => {
      const construct = (target, args, newTarget) => {
        tell(kind, nameOf(...args));
        return Reflect.construct(target, args, newTarget);
      };
      return new Proxy(real, { construct });
    });
  };

  classes(workerThreads, 'Worker', 'thread', threadName);
  classes(globalThis, 'Worker', 'thread', threadName);
  calls(childProcess, 'fork', (file) => base(file));
  for (const method of ['spawn', 'spawnSync', 'execFile', 'execFileSync']) calls(childProcess, method, programName);
  for (const method of ['exec', 'execSync']) calls(childProcess, method, shellName);
  if (globalThis.Bun) {
    for (const method of ['spawn', 'spawnSync']) {
      calls(Bun, method, (first) => programName(...listOf(Array.isArray(first) ? first : first?.cmd)));
    }
  }
  if (globalThis.Deno) classes(Deno, 'Command', 'child', (program, options) => programName(program, options?.args));
  syncBuiltinESMExports?.();
}

/** Some engines keep some of these as they are; then what is started so goes unnoticed here. */
function replace(owner, name, replacement) {
  const real = owner[name];
  if (typeof real !== 'function') return;
  try {
    owner[name] = replacement(real);
  } catch {
    // It is read-only.
  }
}

const listOf = ([program, ...args] = []) => [program, args];
const base = (file) => path.basename(String(file?.href ?? file).replace(/[?#].*$/, ''));

/** Threads in which loaders translate modules. */
const OF_LOADERS = /[\\/](?:tsx|ts-node|@swc-node[\\/]register|esbuild)[\\/]/;

function threadName(file, options) {
  if (OF_LOADERS.test(String(file?.href ?? file))) return undefined;
  return options?.eval ? 'code given as text' : base(file);
}

/** A child that runs this engine, by its script; other programs can hold no bench. */
function programName(program, args) {
  const name = base(program);
  if (String(program) !== process.execPath && !ENGINES.includes(name)) return undefined;
  const script = (Array.isArray(args) ? args : []).find((word) => /\.[cm]?[jt]sx?$/.test(word));
  return script ? base(script) : name;
}

function shellName(line) {
  const words = String(line).trim().split(/\s+/);
  return programName(words[0], words.slice(1)) && String(line).slice(0, LONGEST_NAME);
}

module.exports = { watchOutside };
