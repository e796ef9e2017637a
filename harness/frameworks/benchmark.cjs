'use strict';

// benchmark.js 2. Suites, events, filters and results stay its own; only `Benchmark.prototype.run` is replaced. A
// benchmark that is not selected gets results that look real, with the same events; the selected one is driven.
//
// benchmark.js never awaits what a test returns: only a deferred test is asynchronous, by its `resolve()`. And it
// recompiles a test from its source text when there is a set-up or tear-down, or when it is given as text, so that
// variables of the set-up are visible in it. Both are done here as there.

const { drive } = require('../core/driver.cjs');

const name = 'benchmark';
/** Seconds that an op is said to take. */
const FAKE_PERIOD = 1e-6;
const AsyncFunction = (async () => {}).constructor;

function attach(session, Benchmark, version) {
  const copy = new Copy(session, Benchmark, version);
  const { Suite } = Benchmark;
  const { add, run } = Suite.prototype;
  Suite.prototype.add = function (...args) {
    const count = this.length;
    const result = add.apply(this, args);
    if (this.length > count) copy.added(this[count]);
    return result;
  };
  Suite.prototype.run = function (...args) {
    for (const bench of Array.from(this)) copy.suites.set(bench, this.name);
    return run.apply(this, args);
  };
  Benchmark.prototype.run = function () {
    copy.run(this);
    return this;
  };
  const { runInContext } = Benchmark;
  Benchmark.runInContext = function (...args) {
    const other = runInContext.apply(this, args);
    attach(session, other, version);
    return other;
  };
}

/** One loaded copy of the framework, or one that it has made of itself. */
class Copy {
  /** benchmark -> the name of the suite that is running it */
  suites = new WeakMap();
  #added = new WeakSet();

  constructor(session, Benchmark, version) {
    this.session = session;
    this.version = version;
    this.Event = Benchmark.Event;
    // The default of both hooks, which users replace for all benchmarks on the prototype.
    this.noHook = Benchmark.prototype.setup;
  }

  added(bench) {
    this.#added.add(bench);
    this.session.added();
  }

  run(bench) {
    const { Event, session } = this;
    if (!this.#start(bench)) return;
    if (!this.#added.delete(bench)) session.added();
    const names = this.#namesOf(bench);
    if (session.meet({ names, framework: name, frameworkVersion: this.version, divisible: this.#isCalled(bench) })) {
      drive(session, this.#planFor(bench));
      return;
    }
    if (!bench.defer && bench.fn instanceof AsyncFunction) {
      session.warn(names, 'benchmark.js does not await an async function: only what it does at once is counted');
    }
    fakeResults(bench);
    bench.emit(new Event('cycle'));
    bench.emit(new Event('complete'));
  }

  /** What benchmark.js does before the first cycle. */
  #start(bench) {
    const start = new this.Event('start');
    bench.running = false;
    bench.reset();
    bench.running = true;
    bench.count = bench.initCount;
    bench.times.timeStamp = Date.now();
    bench.emit(start);
    return !start.cancelled;
  }

  #namesOf(bench) {
    const { id } = bench;
    const own = bench.name || (Number.isNaN(Number(id)) ? id : `<Test #${id}>`);
    const suite = this.suites.get(bench);
    return suite ? [String(suite), String(own)] : [String(own)];
  }

  /** Whether a test's code is put into a loop, with its hooks around it. */
  #isInlined(bench) {
    return isStringable(bench.fn) || bench.setup !== this.noHook || bench.teardown !== this.noHook;
  }

  /** Whether a test is a function that the harness calls op by op. */
  #isCalled(bench) {
    return !bench.defer && !this.#isInlined(bench);
  }

  #planFor(bench) {
    const isText = isStringable(bench.fn);
    const isInlined = this.#isInlined(bench);
    if (bench.defer) return deferredPlan(bench, isInlined);
    if (!isInlined) return { op: () => bench.fn(), awaits };
    let cycle;
    // The compiled test is tried once, to find out whether it returns early or needs variables of its closure.
    const compile = () => {
      cycle = compiled(bench, isText);
    };
    return { awaits, window: 'span', rehearse: [['op', compile]], cycle: (timer, ops) => cycle(timer, ops) };
  }
}

function fakeResults(bench) {
  const period = FAKE_PERIOD;
  Object.assign(bench.stats, { deviation: 0, mean: period, moe: 0, rme: 0, sem: 0, variance: 0, sample: [period] });
  Object.assign(bench.times, { cycle: period, elapsed: period, period });
  Object.assign(bench, { count: 1, cycles: 1, hz: 1 / period, running: false });
}

const awaits = () => false;

// The compiled functions. Their variables have names that a test's own code will not use.

const HEAD = 'var global = window, clearTimeout = global.clearTimeout, setTimeout = global.setTimeout;\n';
/** What a cycle returns that has not been ended by a `return` of the test. */
const WHOLE = {};
const idleTimer = { start() {}, end() {} };

/** A cycle: set-up, ops between the marks, tear-down. */
function compiled(bench, isText) {
  const code = { setup: sourceOf(bench.setup), fn: sourceOf(bench.fn), teardown: sourceOf(bench.teardown) };
  if (code.fn === '' && !isText) {
    throw new Error(`The test "${bench.name}" is empty. This may be the result of dead code removal.`);
  }
  let failure;
  try {
    const cycle = inlinedCycle(bench, code);
    if (cycle(idleTimer, 1) === WHOLE) return cycle;
  } catch (error) {
    failure = { error };
  }
  const cycle = callingCycle(bench, code, isText || !failure);
  try {
    cycle(idleTimer, 1);
  } catch (error) {
    throw failure ? failure.error : error;
  }
  return cycle;
}

/** The test's body stands in the loop. */
function inlinedCycle(bench, { setup, fn, teardown }) {
  return cycleOf(
    bench,
    `${setup}\ntiergate$timer.start();while(tiergate$ops--){${fn}\n}tiergate$timer.end();` +
      `${teardown}\nreturn tiergate$whole`,
  );
}

/** The loop calls the test: its body in a function that sees the set-up, or the user's function with its closure. */
function callingCycle(bench, { setup, fn, teardown }, isRebuilt) {
  return cycleOf(
    bench,
    `this.tiergate$fn = ${isRebuilt ? `function(){${fn}\n}` : 'this.fn'};${setup}\n` +
      'tiergate$timer.start();while(tiergate$ops--){this.tiergate$fn()}tiergate$timer.end();' +
      `delete this.tiergate$fn;${teardown}\n`,
  );
}

function cycleOf(bench, body) {
  const run = new Function('window', 'tiergate$timer', 'tiergate$ops', 'tiergate$whole', HEAD + body);
  return (timer, ops) => run.call(bench, globalThis, timer, ops, WHOLE);
}

/** A cycle is one set-up, ops of which each begins when the one before has called `resolve`, and one tear-down. */
function deferredPlan(bench, isInlined) {
  const parts = isInlined ? inlinedParts(bench) : calledParts(bench);
  const cycle = (timer, ops) =>
    new Promise((resolve, reject) => {
      let left = ops;
      const guarded = (calls) => {
        try {
          calls();
        } catch (error) {
          reject(error);
        }
      };
      const deferred = {
        benchmark: bench,
        resolve() {
          if (--left > 0) return guarded(() => steps.fn());
          timer.end();
          return guarded(() => resolve(steps.teardown()));
        },
      };
      const steps = parts(deferred);
      guarded(() => {
        steps.setup();
        timer.start();
        steps.fn();
      });
    });
  return { isAsync: true, window: 'span', cycle };
}

function calledParts(bench) {
  return (deferred) => ({
    setup: () => bench.setup(),
    fn: () => bench.fn(deferred),
    teardown: () => bench.teardown(),
  });
}

/** The parts' bodies in functions of one scope, each with the user's own function for when its body fails alone. */
function inlinedParts(bench) {
  const body = (part, argument) => {
    const code = `${sourceOf(bench[part])}\n`;
    if (typeof bench[part] !== 'function') return code;
    return `try{${code}}catch(tiergate$error){tiergate$bench.${part}(${argument})}`;
  };
  const argument = firstArgumentOf(bench.fn) || 'deferred';
  const create = new Function(
    'window',
    'tiergate$bench',
    'tiergate$deferred',
    `${HEAD}var ${argument}=tiergate$deferred;
    var tiergate$fn=function(){var ${argument}=tiergate$deferred;${body('fn', 'tiergate$deferred')}};
    var tiergate$teardown=function(){${body('teardown', '')}};
    ${body('setup', '')};
    return { fn: tiergate$fn, teardown: tiergate$teardown }`,
  );
  return (deferred) => {
    const steps = {
      // The set-up's variables are those of the function that holds the other parts.
      setup: () => Object.assign(steps, create.call(deferred, globalThis, bench, deferred)),
    };
    return steps;
  };
}

function isStringable(value) {
  if (typeof value === 'string') return true;
  return value !== null && value !== undefined && Object.hasOwn(Object(value), 'toString');
}

/** The body of a function, or a test given as text. */
function sourceOf(part) {
  const text = isStringable(part) ? String(part) : (/^[^{]+\{([\s\S]*)\}\s*$/.exec(part)?.[1] ?? '');
  const body = text.trim();
  const isOnlyDirective = /^(?:\/\*+[\w\W]*?\*\/|\/\/.*?[\n\r\u2028\u2029]|\s)*(["'])use strict\1;?$/.test(body);
  return isOnlyDirective ? '' : body;
}

function firstArgumentOf(fn) {
  return isStringable(fn) ? undefined : /^[\s(]*function[^(]*\(([^\s,)]+)/.exec(fn)?.[1];
}

module.exports = { name, majors: ['2'], file: /[\\/]benchmark[\\/]benchmark\.js$/, attach };
