'use strict';

// What all shapes of a bench have in common: what is called before and after the ops, and what a failure leaves
// to be done.

const { isThenable } = require('./coroutine.cjs');
const { arm, mark, settleMarks } = require('./marks.cjs');

class Drive {
  /** The `phase` of an `error` event. */
  phase = 'setup';
  opsDone = 0;
  window = 'span';
  batchOps = 1;

  constructor(request, plan) {
    this.plan = plan;
    this.request = request;
    this.awaits = plan.awaits ?? isThenable;
    this.isAsync = plan.isAsync;
  }

  *setUp() {
    const { plan } = this;
    for (const [phase, call] of plan.rehearse ?? []) {
      this.phase = phase;
      const isFirst = phase === 'op' && this.opensWindow();
      yield this.sync(call());
      if (isFirst) mark();
      if (phase === 'op') this.opsDone++;
    }
    this.phase = 'setup';
    for (const call of plan.setup ?? []) yield this.sync(call());
    this.isSetUp = true;
    yield* this.begin();
  }

  /** Whether the window begins with the very first op, which comes next: then it is open. */
  opensWindow() {
    if (this.opsDone > 0 || !this.request.budget?.fromFirst) return false;
    settleMarks();
    arm();
    mark();
    return true;
  }

  *tearDown() {
    this.phase = 'teardown';
    for (const call of this.plan.teardown ?? []) yield this.sync(call());
  }

  /** After a failure: what the framework would still call. Only the first error is told. */
  *cleanUp() {
    if (!this.isSetUp) return;
    for (const call of this.plan.afterFailure?.(this.phase) ?? []) {
      try {
        yield call();
      } catch {
        // The error that led here is the one to look at.
      }
    }
  }

  /** The fields of `measured`; `course` is for the reader of a trace. */
  outcome(warmupOps, windowOps, sections) {
    return { async: this.isAsync, warmupOps, windowOps, sections, course: this.course };
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

module.exports = { Drive, refuse };
