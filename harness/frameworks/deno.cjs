'use strict';

// `Deno.bench`, which does nothing under `deno run`: here it collects, and the file is run when its main module has
// been evaluated. What it refuses, and in which words, is as in `deno bench`.
//
// `context.start()` and `context.end()` bound what is counted whatever an op costs; `deno bench` ignores them for
// ops below ten microseconds.

const { drive } = require('../core/driver.cjs');

const name = 'Deno.bench';
const AsyncFunction = (async () => {}).constructor;

function install(session) {
  if (!globalThis.Deno?.bench) return;
  const collected = [];
  Deno.bench = (...args) => {
    if (session.isClosed) return;
    const bench = describe(...args);
    collected.push({ ...bench, names: namesOf(bench) });
    session.added();
  };
  session.atLoad(() => {
    for (const { names, permissions } of collected) {
      if (permissions) session.warn(names, 'its permissions are not applied: it has those of the whole process');
    }
    const hasOnly = collected.some(({ only }) => only);
    const selected = byGroup(collected).filter((bench) => meet(session, bench, hasOnly))[0];
    return selected && (() => drive(session, planFor(selected)));
  });
}

/** The forms of the arguments: a name, options and a function, in this order, each optional. */
function describe(first, second, third) {
  if (typeof first === 'string') {
    if (!first) throw new TypeError("The bench name can't be empty");
    if (typeof second === 'function') return { name: first, fn: second };
    if (typeof third !== 'function') throw new TypeError('Missing bench function');
    refuse(second, 'fn', 'bench function is already provided as the third argument');
    refuse(second, 'name', 'bench name is already provided as the first argument');
    return { ...second, name: first, fn: third };
  }
  if (typeof first === 'function') {
    if (!first.name) throw new TypeError('The bench function must have a name');
    if (second !== undefined && second !== null) throw new TypeError('Unexpected second argument to Deno.bench()');
    if (third !== undefined && third !== null) throw new TypeError('Unexpected third argument to Deno.bench()');
    return { name: first.name, fn: first };
  }
  let { fn } = first;
  if (typeof second === 'function') {
    refuse(first, 'fn', 'bench function is already provided as the second argument');
    fn = second;
  } else if (typeof fn !== 'function') {
    throw new TypeError("Expected 'fn' field in the first argument to be a bench function");
  }
  const ownName = first.name ?? fn.name;
  if (!ownName) throw new TypeError("The bench name can't be empty");
  return { ...first, name: ownName, fn };
}

function refuse(options, field, reason) {
  if (options[field] !== undefined && options[field] !== null) {
    throw new TypeError(`Unexpected '${field}' field in options, ${reason}`);
  }
}

function namesOf({ group, name: ownName }) {
  return group === undefined || group === null ? [ownName] : [String(group), ownName];
}

/** In the order of their groups' first benches, as `deno bench` runs them. */
function byGroup(benches) {
  const groups = [...new Set(benches.map(({ group }) => group))];
  return groups.flatMap((group) => benches.filter((bench) => bench.group === group));
}

function meet(session, { names, fn, ignore, only }, hasOnly) {
  return session.meet({
    names,
    framework: name,
    frameworkVersion: Deno.version.deno,
    window: fn.length > 0 ? 'brackets' : 'span',
    skipped: Boolean(ignore) || (hasOnly && !only),
  });
}

function planFor({ name: ownName, fn }) {
  const isAsync = fn instanceof AsyncFunction;
  const awaits = () => isAsync;
  const context = new Context(ownName);
  const { api } = context;
  // A function that takes no context cannot bound anything, so its ops need no marks of their own.
  if (fn.length === 0) return { op: () => fn(api), isAsync, awaits };
  const cycle = (timer) => {
    context.begin(timer);
    const result = fn(api);
    return isAsync ? result.then((value) => context.finish(value)) : context.finish(result);
  };
  const empty = (timer) => {
    context.begin(timer);
    if (context.startsItself) api.start();
    if (context.endsItself) api.end();
    context.finish();
  };
  return { window: 'brackets', isAsync, awaits, cycle, empty };
}

/** What a bench's function gets. Where it does not call `start` or `end`, its own begin and end stand for them. */
class Context {
  // Told by the first run.
  startsItself = false;
  endsItself = false;
  #isFirst = true;
  #timer;
  #isStarted;
  #isEnded;

  constructor(ownName) {
    this.api = {
      [Symbol.toStringTag]: 'BenchContext',
      name: ownName,
      origin: Deno.mainModule,
      start: () => this.#start(),
      end: () => this.#end(),
    };
  }

  begin(timer) {
    this.#timer = timer;
    this.#isStarted = this.#isEnded = false;
    if (!this.#isFirst && !this.startsItself) timer.start();
  }

  #start() {
    if (this.#isStarted) throw new TypeError('BenchContext::start() has already been invoked');
    this.#isStarted = true;
    if (this.startsItself) this.#timer.start();
    else if (!this.#isFirst) throw changed('start');
  }

  #end() {
    if (this.endsItself) this.#timer.end();
    else if (!this.#isFirst) throw changed('end');
    if (this.#isEnded) throw new TypeError('BenchContext::end() has already been invoked');
    this.#isEnded = true;
  }

  finish(result) {
    if (!this.#isFirst) {
      if (!this.endsItself) this.#timer.end();
      return result;
    }
    this.#isFirst = false;
    this.startsItself = this.#isStarted;
    this.endsItself = this.#isEnded;
    this.#timer.start();
    this.#timer.end();
    return result;
  }
}

function changed(call) {
  return new Error(
    `${call}() was called in a later run, but not in the first one: where the ops begin and end must not change`,
  );
}

module.exports = { name, install };
