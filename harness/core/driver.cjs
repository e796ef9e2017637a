'use strict';

// Runs the selected bench: set-up, warm-up, then the window or the clock, tear-down. The engine's process
// ends when it is through, so nothing returns to the framework.
//
// An adapter describes its bench by a plan:
//   op               () => result       the function, bound to its `this` and arguments
//   isAsync          true | false       where the framework decides it; otherwise the first result does
//   mustBeSync       true               where the framework refuses promises (tinybench's runSync)
//   rehearse         [[phase, fn]]      what the framework does before set-up, ops (phase `op`) included
//   setup, teardown  [fn]               once around all ops
//   before, after    () => …            around each batch of `batchOps` ops, never counted
//   afterFailure     (phase) => [fn]    what is still to be called when something has thrown after set-up
//
// The generators below are coroutines: `yield` waits where there is something to wait for.

const { isThenable, runCoroutine } = require('./coroutine.cjs');
const { arm, settleMarks } = require('./marks.cjs');
const loops = require('./oploop.cjs');
const { timeOps } = require('./sizing.cjs');

/** Drives a plan in the session's mode. The process ends with it. */
function drive(session, plan) {
  return runCoroutine(driving(session, plan));
}

function* driving(session, plan) {
  const bench = new Drive(session.request, plan);
  session.begin(bench);
  let outcome;
  try {
    yield* bench.setUp();
    outcome = session.mode === 'size' ? yield* timeOps(bench, session.request.sizing) : yield* bench.measure();
    bench.phase = 'teardown';
    for (const call of plan.teardown) yield bench.sync(call());
  } catch (error) {
    session.fail(bench.phase, error);
    yield* bench.cleanUp();
    return session.end('failed');
  }
  session.emit(session.mode === 'size' ? 'sized' : 'measured', outcome);
  return session.end('done');
}

class Drive {
  /** The `phase` of an `error` event. */
  phase = 'setup';
  opsDone = 0;

  constructor(request, plan) {
    this.plan = plan;
    this.budget = request.budget;
    this.window = plan.before || plan.after ? 'brackets' : 'span';
    this.batchOps = (this.window === 'brackets' && plan.batchOps) || 1;
  }

  *setUp() {
    const { plan } = this;
    for (const [phase, call] of plan.rehearse ?? []) {
      this.phase = phase;
      yield this.sync(call());
      if (phase === 'op') this.opsDone++;
    }
    this.phase = 'setup';
    for (const call of plan.setup) yield this.sync(call());
    this.isSetUp = true;
    yield* this.hooked(() => runCoroutine(this.#firstOps()));
    const loop = this.isAsync ? loops.async : loops.sync;
    this.loop = loop;
    this.batch = () => loop.bracket(plan.op, this.batchOps);
  }

  /** One op at a time, as only the first result tells whether ops are awaited. */
  *#firstOps() {
    const { plan, batchOps } = this;
    this.isAsync = plan.isAsync;
    for (let i = 0; i < batchOps; i++) {
      const result = plan.op();
      if (plan.isAsync === false) refuse(result);
      this.sync(result);
      this.isAsync ??= isThenable(result);
      loops.keep(this.isAsync ? yield result : result);
      this.opsDone++;
    }
  }

  /** Ops between the hooks of one batch. */
  *hooked(ops) {
    const { before, after } = this.plan;
    if (before) {
      this.phase = 'setup';
      yield this.sync(before());
    }
    this.phase = 'op';
    yield ops();
    if (after) {
      this.phase = 'teardown';
      yield this.sync(after());
    }
  }

  *measure() {
    const { batchOps, budget, loop, plan } = this;
    const marksBefore = settleMarks() + (this.window === 'span' ? loop.prepare() : 0);
    const firstOps = this.opsDone;
    yield* this.#warmUp(budget.warmupOps - this.opsDone);
    const outcome = (windowOps, sections) => ({
      async: this.isAsync,
      warmupOps: this.opsDone,
      windowOps,
      sections,
      firstOps,
      marksBefore,
      step: loops.BATCH,
    });
    if (this.window === 'span') {
      arm();
      yield loop.span(plan.op, budget.windowOps);
      return outcome(budget.windowOps, 1);
    }
    const batches = Math.ceil(budget.windowOps / batchOps);
    arm();
    yield this.#brackets(batches);
    arm();
    yield this.#emptyBrackets(batches);
    return outcome(batches * batchOps, 2);
  }

  /** Calls what the window will call, as often as the budget says. Nothing is armed, so its marks are none. */
  *#warmUp(ops) {
    const { batchOps, loop, plan } = this;
    this.phase = 'op';
    if (this.window === 'span') {
      yield loop.warm(plan.op, ops);
      this.opsDone += Math.max(0, ops);
      return;
    }
    for (let left = Math.ceil(ops / batchOps); left > 0; left -= loops.BATCH) {
      const batches = Math.min(left, loops.BATCH);
      yield this.#brackets(batches);
      yield this.#emptyBrackets(batches);
      this.opsDone += batches * batchOps;
    }
  }

  // Coroutines of their own: the calls of these loops must not pass through the frames of `measure`, which run
  // but once and would become hot in the window.

  #brackets(batches) {
    return runCoroutine(this.#eachBracket(batches));
  }

  *#eachBracket(batches) {
    for (let i = 0; i < batches; i++) yield* this.hooked(this.batch);
  }

  #emptyBrackets(batches) {
    return runCoroutine(this.#eachEmptyBracket(batches));
  }

  *#eachEmptyBracket(batches) {
    const { loop, plan } = this;
    for (let i = 0; i < batches; i++) yield loop.bracket(plan.op, 0);
  }

  /** After a failure: what the framework would still call. Only the first error is told. */
  *cleanUp() {
    if (!this.isSetUp) return;
    for (const call of this.plan.afterFailure(this.phase)) {
      try {
        yield call();
      } catch {
        // The error that led here is the one to look at.
      }
    }
  }

  /** Passes a value on, unless the framework would refuse it here. */
  sync(value) {
    if (this.plan.mustBeSync) refuse(value);
    return value;
  }
}

function refuse(value) {
  if (!isThenable(value)) return;
  // The framework throws an error of its own; this promise's fate must not become a second one.
  value.then(undefined, () => {});
  throw new TypeError('a promise was returned where the framework allows only sync functions');
}

module.exports = { drive };
