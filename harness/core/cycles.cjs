'use strict';

// The shape of user code that runs its ops itself and tells where they begin and end: `bench.start()` and
// `bench.end(n)`, `timer.start()` and `timer.end()`. The marks are in these two functions, so whatever the code does
// before and after them is not counted.

const { runCoroutine } = require('./coroutine.cjs');
const { Drive } = require('./drive.cjs');
const { arm, mark, settleMarks } = require('./marks.cjs');
const { BATCH, keep } = require('./oploop.cjs');

const now = performance.now.bind(performance);

class Cycles extends Drive {
  constructor(request, plan) {
    super(request, plan);
    this.window = plan.window;
    this.timer = request.mode === 'size' ? new Clock() : new Marker();
    this.empty = plan.empty ?? emptyCycle;
  }

  *begin() {
    if (this.request.budget?.fromFirst) {
      settleMarks();
      arm();
    }
    yield* this.#cycle(1);
    this.opsDone++;
  }

  /** What is called before set-up has no marks of its own. */
  opensWindow() {
    return false;
  }

  /** Runs ops and tells the seconds between start and end. */
  *timed(ops) {
    yield* this.#cycle(ops);
    return this.timer.seconds;
  }

  *measure() {
    const { warmupOps, windowOps, shares, fromFirst } = this.request.budget;
    if (fromFirst) return yield* this.#inShares(windowOps, shares);
    this.course = { firstOps: this.opsDone, marksBefore: settleMarks(), step: BATCH, marksPerStep: 2, ownLoop: true };
    for (let left = warmupOps - this.opsDone; left > 0; left -= BATCH) {
      const ops = Math.min(left, BATCH);
      yield this.#ops(ops);
      if (this.window === 'brackets') yield this.#emptyCycles(ops);
      this.opsDone += ops;
    }
    arm();
    yield this.#ops(windowOps);
    if (this.window === 'span') return this.outcome(this.opsDone, windowOps, 1);
    arm();
    yield this.#emptyCycles(windowOps);
    return this.outcome(this.opsDone, windowOps, 2);
  }

  /** A window from the very first op on, which was the first share: each share is a cycle, those of no ops too. */
  *#inShares(windowOps, shares) {
    this.course = { firstOps: 0, marksBefore: 0, step: BATCH, marksPerStep: 2, ownLoop: true };
    for (const ops of shares.slice(1)) yield ops > 0 ? this.#ops(ops) : this.#emptyCycles(1);
    return this.outcome(0, windowOps, 1);
  }

  // Coroutines of their own: these calls must not pass through the frames of `measure`, which run but once and
  // would become hot in the window.

  #ops(ops) {
    return runCoroutine(this.window === 'span' ? this.#cycle(ops) : this.#eachCycle(ops));
  }

  *#eachCycle(ops) {
    for (let i = 0; i < ops; i++) yield* this.#cycle(1);
  }

  *#cycle(ops) {
    const { plan, timer } = this;
    this.phase = 'op';
    timer.state = READY;
    const result = plan.cycle(timer, ops);
    // With other numbers of ops the same code can come to its end at once, or later.
    const isAsync = plan.isAsync ?? this.awaits(result);
    this.isAsync = this.isAsync || isAsync;
    keep(isAsync ? yield result : result);
    if (timer.state !== ENDED) throw new Error(`the bench's function came back ${STATES[timer.state]}`);
  }

  #emptyCycles(ops) {
    return runCoroutine(this.#eachEmptyCycle(ops));
  }

  *#eachEmptyCycle(ops) {
    const { empty, timer } = this;
    for (let i = 0; i < ops; i++) {
      timer.state = READY;
      yield empty(timer);
    }
  }
}

function emptyCycle(timer) {
  timer.start();
  timer.end();
}

const READY = 0;
const RUNNING = 1;
const ENDED = 2;
const STATES = ['without starting its timer', 'without ending its timer', 'after its timer had ended'];

function wrongState(call, state) {
  return new Error(`${call}() was called ${state === READY ? 'before start()' : 'a second time'} in one run`);
}

/** The marks around the ops of a cycle. Between them and the user's code there is as little as can be. */
class Marker {
  state = READY;

  start() {
    if (this.state !== READY) throw wrongState('start', this.state);
    this.state = RUNNING;
    mark();
  }

  end() {
    mark();
    if (this.state !== RUNNING) throw wrongState('end', this.state);
    this.state = ENDED;
  }
}

/** The clock around the ops of a cycle. */
class Clock {
  state = READY;
  seconds = 0;
  #started = 0;

  start() {
    if (this.state !== READY) throw wrongState('start', this.state);
    this.state = RUNNING;
    this.#started = now();
  }

  end() {
    this.seconds = (now() - this.#started) / 1000;
    if (this.state !== RUNNING) throw wrongState('end', this.state);
    this.state = ENDED;
  }
}

module.exports = { Cycles };
