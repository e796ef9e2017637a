'use strict';

// The usual shape: a function that is called once per op, by loops of ours.

const { runCoroutine } = require('./coroutine.cjs');
const { Drive, refuse } = require('./drive.cjs');
const { heapScales } = require('./heap.cjs');
const { arm, mark, settleMarks } = require('./marks.cjs');
const loops = require('./oploop.cjs');

const now = performance.now.bind(performance);

/**
 * Ops of the warm-up that are supplied at a time: whole batches, about as many as mitata's. With fewer the loops would
 * be entered so often from here that they reach their last tier by themselves, as late as in the window.
 */
const SUPPLY = 80 * loops.BATCH;

class Ops extends Drive {
  constructor(request, plan) {
    super(request, plan);
    this.window = plan.before || plan.after ? 'brackets' : 'span';
    this.batchOps = (this.window === 'brackets' && plan.batchOps) || 1;
  }

  *begin() {
    const { plan } = this;
    yield plan.supply?.(this.batchOps);
    yield* this.hooked(() => runCoroutine(this.#firstOps()));
    const loop = this.isAsync ? loops.async : loops.sync;
    this.loop = loop;
    this.batch = () => loop.bracket(plan.op, this.batchOps);
  }

  /** One op at a time, as only the first result tells whether ops are awaited. */
  *#firstOps() {
    const { plan, batchOps } = this;
    for (let i = 0; i < batchOps; i++) {
      const isFirst = this.opensWindow();
      const result = plan.op();
      if (plan.isAsync === false && !plan.awaits) refuse(result);
      this.sync(result);
      this.isAsync ??= this.awaits(result);
      loops.keep(this.isAsync ? yield result : result);
      if (isFirst) {
        mark();
        this.firstKind = loops.kindKept();
      }
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
    const { batchOps, loop, plan } = this;
    const { warmupOps, windowOps, shares = [windowOps], fromFirst } = this.request.budget;
    if (fromFirst) {
      this.course = { firstOps: 0, marksBefore: 0, step: loops.BATCH, marksPerStep: 1, ownLoop: false };
      yield plan.supply?.(windowOps);
      // The first op was a share, and what lies between it and these is one.
      const retained = yield* this.#weighed(shares.slice(2));
      const lastKind = loops.kindKept();
      const ranDry = lastKind !== loops.SOMETHING && lastKind !== (this.firstKind ?? lastKind);
      return { ...this.outcome(0, windowOps, 1), ranDry, ...retained };
    }
    const marksBefore = settleMarks() + (this.window === 'span' ? yield loop.prepare() : 0);
    this.course = { firstOps: this.opsDone, marksBefore, step: loops.BATCH, marksPerStep: 1, ownLoop: false };
    yield* this.#warmUp(warmupOps - this.opsDone);
    if (this.window === 'span') {
      yield plan.supply?.(windowOps);
      arm();
      yield loop.span(plan.op, shares);
      return this.outcome(this.opsDone, windowOps, 1);
    }
    const batches = Math.ceil(windowOps / batchOps);
    arm();
    yield this.#brackets(batches);
    arm();
    yield this.#emptyBrackets(batches);
    return this.outcome(this.opsDone, batches * batchOps, 2);
  }

  /** Runs the ops of a span. In its last share of no ops, where ops come before it, and at the end the heap is weighed. */
  *#weighed(shares) {
    const { loop, plan } = this;
    const at = shares.lastIndexOf(0);
    const weigh = shares[at - 1] > 0 ? heapScales() : undefined;
    if (!weigh) {
      yield loop.span(plan.op, shares);
      return {};
    }
    yield loop.span(plan.op, shares.slice(0, at));
    const before = weigh();
    // Its first mark ends the share of no ops.
    yield loop.span(plan.op, shares.slice(at + 1));
    const retainedOps = shares.slice(at + 1).reduce((sum, ops) => sum + ops, 0);
    return { retainedBytes: weigh() - before, retainedOps };
  }

  /** Calls what the window will call, as often as the budget says. Nothing is armed, so its marks are none. */
  *#warmUp(ops) {
    const { batchOps, loop, plan } = this;
    this.phase = 'op';
    if (this.window === 'span') {
      const atOnce = plan.supply ? SUPPLY : Math.max(1, ops);
      for (let left = ops; left > 0; left -= atOnce) {
        const some = Math.min(left, atOnce);
        if (plan.supply) yield plan.supply(some);
        yield loop.warm(plan.op, some);
      }
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

  /** Runs ops and tells the seconds that they took, hooks left out. */
  *timed(ops) {
    const { loop, plan } = this;
    if (plan.supply) yield plan.supply(ops);
    let seconds;
    yield* this.hooked(() => {
      const start = now();
      const stop = () => {
        seconds = (now() - start) / 1000;
      };
      const pending = loop.run(plan.op, ops);
      return this.isAsync ? pending.then(stop) : stop();
    });
    return seconds;
  }
}

module.exports = { Ops };
