'use strict';

// tinybench 2 to 6. The real classes stay; tasks get a stub instead of the user's function, so tables, results
// and events are the framework's own, after one iteration that takes no time. When the bench comes to run that
// holds the selected task, the harness drives it instead, with the framework's hooks in the framework's order.

const { drive } = require('../core/driver.cjs');

const name = 'tinybench';
const HOOKS = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'];
const RUNS = ['run', 'runSync', 'runConcurrently'];
// Methods of 2 only; later versions warm up within `run`.
const WARM_UPS = ['warmup', 'warmupConcurrently'];

function stub() {}

function attach(session, { Bench, Task }, version) {
  const copy = new Copy(session, version);
  const bench = Bench.prototype;
  patch(bench, 'add', (task, add, args) => copy.add(task, add, ...args));
  patch(bench, 'todo', (_, todo, args) => {
    session.added();
    session.meet({ ...copy.identity([String(args[0])]), skipped: true });
    return todo(...args);
  });
  for (const method of RUNS) patch(bench, method, (self, run, args) => copy.runBench(self, method, () => run(...args)));
  for (const method of RUNS) patch(Task.prototype, method, (self, run) => copy.runTask(self, method, run));
  for (const method of WARM_UPS) {
    patch(bench, method, (self, warmUp, args) => {
      copy.quicken(self).warmup = true;
      return session.watch(warmUp(...args));
    });
  }
}

/** Replaces a method, if this major has it, by a function of its `this`, the real method, and the arguments. */
function patch(prototype, method, replacement) {
  const real = prototype[method];
  if (typeof real !== 'function') return;
  prototype[method] = function (...args) {
    return replacement(this, (...passed) => real.apply(this, passed), args);
  };
}

/** In a bench's name's place: the framework that has made it for benches of its own. */
class Owner {
  constructor(fields) {
    Object.assign(this, fields);
  }

  toString() {
    return this.names.join(' ');
  }
}

/** One loaded copy of the framework: a file can have several, through packages or as ESM and CommonJS. */
class Copy {
  // What was added: task -> { names, fn, options, bench, owner }.
  #added = new WeakMap();
  // Benches whose options were replaced: bench -> the user's.
  #quickened = new WeakMap();

  constructor(session, version) {
    this.session = session;
    this.version = version;
    this.major = Number.parseInt(version, 10);
  }

  identity(names, owner) {
    const { framework = name, frameworkVersion = this.version, imports } = owner ?? {};
    return { names, framework, frameworkVersion, imports };
  }

  add(bench, add, taskName, fn, options = {}) {
    const owner = bench.name instanceof Owner ? bench.name : undefined;
    const around = owner ? owner.names : [bench.name];
    const names = [...around, taskName].filter((part) => part !== undefined && part !== '').map(String);
    // The framework probes what it is given for promises; in 6 it does so unless it is told.
    const bare = { ...options, ...(this.major >= 6 && { async: false }) };
    for (const hook of HOOKS) delete bare[hook];
    const result = add(taskName, stub, bare);
    // Functions that cannot be the selected one are not kept alive.
    const kept = this.session.wants(names) ? fn : undefined;
    this.#added.set(bench.getTask(taskName), { names, fn: kept, options, bench, owner });
    this.session.added();
    return result;
  }

  runBench(bench, method, run) {
    this.quicken(bench);
    const selected = bench.tasks.filter((task) => this.#meet(task))[0];
    if (selected) return this.#drive(selected, method, true);
    const result = run();
    return method === 'runSync' ? result : this.session.watch(result);
  }

  runTask(task, method, run) {
    const record = this.#added.get(task);
    if (record) this.quicken(record.bench);
    return this.#meet(task) ? this.#drive(task, method, false) : run();
  }

  /** Makes the framework's own run of the stubs as short as can be, and without the user's hooks. */
  quicken(bench) {
    if (this.#quickened.has(bench)) return this.#quickened.get(bench);
    const options = bench.opts ?? bench;
    const isMethod = typeof options.warmup === 'function';
    const user = { setup: options.setup, teardown: options.teardown, warmup: !isMethod && options.warmup };
    Object.assign(options, { time: 0, iterations: 1, warmupTime: 0, warmupIterations: 0, setup: stub, teardown: stub });
    if (!isMethod) options.warmup = false;
    this.#quickened.set(bench, user);
    return user;
  }

  /** Tells the session of a task that is about to run; true if it is to be driven. */
  #meet(task) {
    const record = this.#added.get(task);
    if (!record || record.isMet || isAborted(record)) return false;
    record.isMet = true;
    const { beforeEach, afterEach } = record.options;
    const window = beforeEach || afterEach ? 'brackets' : 'span';
    const isSelected = this.session.meet({ ...this.identity(record.names, record.owner), window });
    const concurrency = record.bench.concurrency ?? record.bench.opts?.concurrency;
    if (concurrency) this.session.warn(record.names, `concurrency "${concurrency}": ops run one after the other`);
    return isSelected;
  }

  #drive(task, method, isWholeBench) {
    const record = this.#added.get(task);
    const user = this.quicken(record.bench);
    const mustBeSync = method === 'runSync';
    return drive(this.session, planFor(task, { user, major: this.major, mustBeSync, isWholeBench, record }));
  }
}

/** What the framework does around a task's ops: see `Task.run` and `Task.warmup` in each major. */
function planFor(task, { user, major, mustBeSync, isWholeBench, record: { bench, fn, options } }) {
  // From 4 on the hooks are told whether they run for the warm-up.
  const hook = (hookName, mode) => {
    const call = options[hookName];
    return call && (major >= 4 ? () => call.call(task, mode) : () => call.call(task));
  };
  const tell = (target, type) => () => target.dispatchEvent(eventOf(type, target === task ? task : undefined));
  const op = () => fn.call(task);
  // `runSync()` does not look at it.
  const asyncOption = major >= 6 ? options.async : undefined;
  const warmUp = [
    // In 2 the warm-up is the user's own call, which has told of itself.
    ['setup', major > 2 && tell(bench, 'warmup')],
    ['setup', major > 2 && tell(task, 'warmup')],
    ['setup', user.setup && (() => user.setup.call(bench, task, 'warmup'))],
    ['setup', hook('beforeAll', 'warmup')],
    ['setup', hook('beforeEach', 'warmup')],
    ['op', op],
    ['teardown', hook('afterEach', 'warmup')],
    ['teardown', hook('afterAll', 'warmup')],
    ['teardown', user.teardown && (() => user.teardown.call(bench, task, 'warmup'))],
  ];
  const teardown = user.teardown && (() => user.teardown.call(bench, task, 'run'));
  return {
    op,
    mustBeSync,
    isAsync: mustBeSync ? false : asyncOption,
    rehearse: isWholeBench && user.warmup ? present(warmUp) : [],
    setup: present([
      isWholeBench && tell(bench, 'start'),
      tell(task, 'start'),
      user.setup && (() => user.setup.call(bench, task, 'run')),
      hook('beforeAll', 'run'),
    ]),
    before: hook('beforeEach', 'run'),
    after: hook('afterEach', 'run'),
    teardown: present([hook('afterAll', 'run'), teardown]),
    afterFailure: (phase) =>
      present([
        major >= 5 && phase === 'op' && hook('afterEach', 'run'),
        major >= 6 && hook('afterAll', 'run'),
        teardown,
      ]),
  };
}

/** Leaves out steps that a task does not have. */
function present(steps) {
  return steps.filter((step) => (Array.isArray(step) ? step[1] : step));
}

function eventOf(type, task) {
  const event = new Event(type);
  if (task) Object.defineProperty(event, 'task', { value: task, enumerable: true });
  return event;
}

function isAborted({ bench, options }) {
  const signals = [options.signal, bench.signal, bench.opts?.signal];
  return signals.some((signal) => signal?.aborted);
}

module.exports = {
  name,
  file: /[\\/]tinybench[\\/]dist[\\/]index\.[cm]?js$/,
  majors: ['2', '3', '4', '5', '6'],
  attach,
  planFor,
  Owner,
};
