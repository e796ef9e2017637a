'use strict';

// tinybench 2 to 6. The real classes stay; tasks get a stub instead of the user's function, so tables, results
// and events are the framework's own, after one iteration that takes no time. When the bench comes to run that
// holds the selected task, the harness drives it instead, with the framework's hooks in the framework's order.

const { drive } = require('../core/driver.cjs');

const name = 'tinybench';
const HOOKS = ['beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

function stub() {}

function attach(session, { Bench, Task }, version) {
  const major = Number.parseInt(version, 10);
  // What was added: task -> { names, fn, options, bench }. Only a function that can be selected is kept.
  const added = new WeakMap();
  // Benches whose options were replaced: bench -> the user's.
  const quickened = new WeakMap();

  patch(Bench.prototype, 'add', (add) => function (taskName, fn, options = {}) {
    const names = [this.name, taskName].filter((part) => part !== undefined && part !== '').map(String);
    // The framework probes what it is given for promises; in 6 it does so unless it is told.
    const bare = { ...options, ...(major >= 6 && { async: false }) };
    for (const hook of HOOKS) delete bare[hook];
    const result = add.call(this, taskName, stub, bare);
    added.set(this.getTask(taskName), { names, fn: session.wants(names) ? fn : undefined, options, bench: this });
    session.added();
    return result;
  });

  patch(Bench.prototype, 'todo', (todo) => function (taskName) {
    session.added();
    session.meet({ ...identity([String(taskName)]), skipped: true });
    return todo.call(this, taskName);
  });

  for (const method of ['run', 'runSync', 'runConcurrently']) {
    patch(Bench.prototype, method, (real) => function (...args) {
      quicken(this);
      const selected = this.tasks.filter(meet)[0];
      if (selected) return driveTask(selected, method, true);
      const result = real.apply(this, args);
      return method === 'runSync' ? result : session.watch(result);
    });
    patch(Task.prototype, method, (real) => function () {
      if (!added.has(this)) return real.call(this);
      quicken(added.get(this).bench);
      return meet(this) ? driveTask(this, method, false) : real.call(this);
    });
  }

  // Methods of 2 only; later versions warm up within `run`.
  for (const method of ['warmup', 'warmupConcurrently']) {
    patch(Bench.prototype, method, (real) => function (...args) {
      quicken(this).warmup = true;
      return session.watch(real.apply(this, args));
    });
  }

  function identity(names) {
    return { names, framework: name, frameworkVersion: version };
  }

  function driveTask(task, method, isWholeBench) {
    const record = added.get(task);
    const mustBeSync = method === 'runSync';
    return drive(session, planFor(task, { user: quicken(record.bench), major, mustBeSync, isWholeBench, record }));
  }

  /** Tells the session of a task that is about to run; true if it is to be driven. */
  function meet(task) {
    const record = added.get(task);
    if (!record || record.met) return false;
    record.met = true;
    const { beforeEach, afterEach } = record.options;
    const window = beforeEach || afterEach ? 'brackets' : 'span';
    if (isAborted(record)) return false;
    const isSelected = session.meet({ ...identity(record.names), window });
    const concurrency = record.bench.concurrency ?? record.bench.opts?.concurrency;
    if (concurrency) session.warn(record.names, `concurrency: "${concurrency}" is not followed, ops run one after the other`);
    return isSelected;
  }

  /** Makes the framework's own run of the stubs as short as can be, and without the user's hooks. */
  function quicken(bench) {
    if (quickened.has(bench)) return quickened.get(bench);
    const options = bench.opts ?? bench;
    // In 2, `warmup` is a method that the user calls; later it is an option.
    const warmup = typeof options.warmup === 'function' ? false : options.warmup;
    const user = { setup: options.setup, teardown: options.teardown, warmup };
    Object.assign(options, { time: 0, iterations: 1, warmupTime: 0, warmupIterations: 0, setup: stub, teardown: stub });
    if (typeof options.warmup !== 'function') options.warmup = false;
    quickened.set(bench, user);
    return user;
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
    isAsync: major >= 6 ? options.async : undefined,
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

function patch(prototype, method, replace) {
  const real = prototype[method];
  if (typeof real === 'function') prototype[method] = replace(real);
}

module.exports = {
  name,
  file: /[\\/]tinybench[\\/]dist[\\/]index\.[cm]?js$/,
  majors: [2, 3, 4, 5, 6],
  attach,
};
