'use strict';

// The loops around the op. Their shape decides what the engine's compilers make of them: a short loop
// that is entered many times is optimised at its entry, together with the op, and not in the middle of a
// run. So warm-up and window make the same calls, and the warm-up makes many of them.

const { mark } = require('./marks.cjs');

/** Ops per call of the inner loop. */
const BATCH = 50;

// The last result is stored in an object of the heap, so no compiler may drop the work that made it.
const kept = { last: undefined };

function rep(f, n) {
  let last;
  for (let i = 0; i < n; i++) last = f();
  kept.last = last;
}

function run(f, ops) {
  for (let left = ops; left > 0; left -= BATCH) rep(f, left < BATCH ? left : BATCH);
}

async function repAsync(f, n) {
  let last;
  for (let i = 0; i < n; i++) last = await f();
  kept.last = last;
}

async function runAsync(f, ops) {
  for (let left = ops; left > 0; left -= BATCH) await repAsync(f, left < BATCH ? left : BATCH);
}

/** A window without hooks: all ops between two marks. */
function span(f, ops) {
  mark();
  run(f, ops);
  mark();
}

async function spanAsync(f, ops) {
  mark();
  await runAsync(f, ops);
  mark();
}

/**
 * One batch of a window with hooks. With no ops it costs what a bracket costs by itself, in the same code.
 */
function bracket(f, ops) {
  mark();
  rep(f, ops);
  mark();
}

async function bracketAsync(f, ops) {
  mark();
  await repAsync(f, ops);
  mark();
}

const keep = (value) => {
  kept.last = value;
};

const sync = { rep, run, span, bracket };
const async = { rep: repAsync, run: runAsync, span: spanAsync, bracket: bracketAsync };

module.exports = { BATCH, async, keep, sync };
