'use strict';

// `size`: how long an op takes, from which the parent computes how many ops a window needs.

const { BATCH } = require('./oploop.cjs');

const now = performance.now.bind(performance);

/** A step that takes longer holds too many ops to look at the clock in time. */
const LONG_STEP_SECONDS = 0.001;

/** Steps that take longer are timed by the processor: on a busy machine few of them run without a break. */
const LONG_ENOUGH_SECONDS = 0.0002;

/** So many that the median is one of an undisturbed step. */
const FEWEST_STEPS = 9;

/** A process that waits gives the processor away of its own will, once for most of its ops. */
const WAITS_PER_OP = 0.3;

/** Waits take no time where clocks are virtual; this much of them is counted, for where they are not. */
const LEAST_BUSY = 1 / 8;

/** Warms the bench up within its limits, then times it: a coroutine that returns the fields of `sized`. */
function* timeOps(bench, { warmupOps, warmupSeconds, timingSeconds }) {
  const pace = new Pace(bench);
  const start = now();
  while (bench.opsDone < warmupOps && now() - start < warmupSeconds * 1000) {
    yield* pace.step(warmupOps - bench.opsDone);
  }
  const warmedUp = bench.opsDone;
  pace.restart();
  const timed = now();
  const before = process.resourceUsage?.();
  const opsBefore = bench.opsDone;
  // Hooks can take far longer than the ops between them, which are all that the pace counts.
  do yield* pace.step(Infinity);
  while (
    (pace.seconds < timingSeconds || pace.steps.length < FEWEST_STEPS) &&
    now() - timed < (timingSeconds + warmupSeconds) * 1000
  );
  return {
    async: bench.isAsync,
    warmupOps: warmedUp,
    nsPerOp: Math.max(pace.nsPerOp(), waitedNsPerOp(before, bench.opsDone - opsBefore, now() - timed)),
    window: bench.window,
    batchOps: bench.batchOps,
  };
}

/** What counts of the time that ops spent waiting, if they did. */
function waitedNsPerOp(before, ops, ms) {
  if (!before) return 0;
  const waits = process.resourceUsage().voluntaryContextSwitches - before.voluntaryContextSwitches;
  return waits < WAITS_PER_OP * ops ? 0 : (LEAST_BUSY * ms * 1e6) / ops;
}

/** Of some seconds those in which the process had the processor. */
function busySeconds(seconds, before) {
  if (seconds < LONG_ENOUGH_SECONDS) return seconds;
  const { user, system } = process.cpuUsage(before);
  return Math.min(seconds, (user + system) / 1e6 || seconds);
}

/** Runs ops in steps so short that a slow op overruns its time by one op at most. Hooks are not timed. */
class Pace {
  seconds = 0;
  /** Nanoseconds per op of each step. */
  steps = [];
  #size = 1;

  constructor(bench) {
    this.bench = bench;
  }

  restart() {
    this.seconds = 0;
    this.steps = [];
  }

  /** The median: a step in which another process had the processor says nothing of the op. */
  nsPerOp() {
    const sorted = this.steps.sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  }

  *step(atMost) {
    const { bench } = this;
    const ops = bench.window === 'brackets' ? bench.batchOps : Math.min(this.#size, atMost);
    const before = process.cpuUsage();
    const seconds = yield* bench.timed(ops);
    this.seconds += seconds;
    this.steps.push((busySeconds(seconds, before) * 1e9) / ops);
    bench.opsDone += ops;
    if (seconds > LONG_STEP_SECONDS) this.#size = Math.max(1, this.#size >> 1);
    else this.#size = Math.min(BATCH, this.#size * 2);
  }
}

module.exports = { timeOps };
