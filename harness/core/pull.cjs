'use strict';

// The shape of user code that loops itself and asks for every op: `for (const _ of state) op()`. The function is
// called once, as its framework does, and the answers to `next` decide how long it goes on. Marks are made in them.

const { isThenable } = require('./coroutine.cjs');
const { Drive } = require('./drive.cjs');
const { arm, mark, settleMarks } = require('./marks.cjs');
const { BATCH } = require('./oploop.cjs');
const { timeOps } = require('./sizing.cjs');

const now = performance.now.bind(performance);
const ITEM = { done: false, value: undefined };
const END = { done: true, value: undefined };

class Pull extends Drive {
  *begin() {
    this.phase = 'op';
  }

  *measure() {
    this.course = { firstOps: 0, marksBefore: settleMarks(), step: BATCH, marksPerStep: 1, ownLoop: true };
    return yield* this.#run(this.#window());
  }

  *size(sizing) {
    return yield* this.#run(timeOps(this, sizing));
  }

  /** Runs ops and tells the seconds that they took: part of a schedule. */
  *timed(ops) {
    const start = now();
    yield ops;
    return (now() - start) / 1000;
  }

  *#window() {
    const { warmupOps, windowOps, shares = [windowOps] } = this.request.budget;
    for (let left = warmupOps; left > 0; left -= BATCH) {
      yield Math.min(left, BATCH);
      mark();
    }
    this.opsDone = warmupOps;
    arm();
    mark();
    for (const share of shares) {
      if (share > 0) yield share;
      mark();
    }
    return this.outcome(warmupOps, windowOps, 1);
  }

  /** Runs the user's loop by a schedule, which yields numbers of ops and returns what came of it. */
  *#run(schedule) {
    let left = 0;
    let outcome;
    const next = () => {
      if (left === 0) {
        const step = schedule.next();
        if (step.done) {
          outcome ??= step.value;
          return END;
        }
        left = step.value;
      }
      left--;
      return ITEM;
    };
    const result = this.plan.pull(next);
    const isAsync = isThenable(result);
    yield result;
    if (!outcome) throw new Error('the loop of the bench ended before it was told to');
    return { ...outcome, async: isAsync };
  }
}

module.exports = { Pull };
