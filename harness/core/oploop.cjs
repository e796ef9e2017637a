'use strict';

// The loops around the op. Their shape decides what the engine's compilers make of them: a short loop
// that is entered many times is optimised at its entry, together with the op, and not in the middle of a
// run. So warm-up and window make the same calls, and the warm-up makes many of them.
//
// Engines' traces name functions by their bare names: these have some that no user's function has.

const { mark } = require('./marks.cjs');

/** Ops per call of the inner loop. */
const BATCH = 50;

// The last result is stored in an object of the heap, so no compiler may drop the work that made it.
const kept = { last: undefined };

function tiergateRep(f, n) {
  let last;
  for (let i = 0; i < n; i++) last = f();
  kept.last = last;
}

function tiergateRun(f, ops) {
  for (let left = ops; left > 0; left -= BATCH) tiergateRep(f, left < BATCH ? left : BATCH);
}

async function tiergateRepAsync(f, n) {
  let last;
  for (let i = 0; i < n; i++) last = await f();
  kept.last = last;
}

async function tiergateRunAsync(f, ops) {
  for (let left = ops; left > 0; left -= BATCH) await tiergateRepAsync(f, left < BATCH ? left : BATCH);
}

/**
 * Ops before a window without hooks. Each mark tells a trace that a batch is through. Nothing but these loops
 * runs between the ops: whatever else ran once a batch would be compiled at its own time.
 */
function tiergateWarm(run, f, ops) {
  for (let left = ops; left > 0; left -= BATCH) {
    run(f, left < BATCH ? left : BATCH);
    mark();
  }
}

async function tiergateWarmAsync(run, f, ops) {
  for (let left = ops; left > 0; left -= BATCH) {
    await run(f, left < BATCH ? left : BATCH);
    mark();
  }
}

// The loop above is hot by itself, so compilers would copy `tiergateRun` into it, and the code of `tiergateRun`
// alone, which the window enters, would stay what it was before the op's last change. A call that has seen many
// functions is left a call.
const strangers = Array.from({ length: 12 }, (_, i) => new Function(`return ${i}`));

/** One mark comes for each, before any op. */
function makeStrange() {
  for (const stranger of strangers) tiergateWarm(stranger, undefined, 1);
  return strangers.length;
}

async function makeStrangeAsync() {
  for (const stranger of strangers) await tiergateWarmAsync(stranger, undefined, 1);
  return strangers.length;
}

/** A window without hooks: all ops between the first and the last mark, with marks between the shares. */
function span(f, shares) {
  mark();
  for (let i = 0; i < shares.length; i++) {
    tiergateRun(f, shares[i]);
    mark();
  }
}

async function spanAsync(f, shares) {
  mark();
  for (let i = 0; i < shares.length; i++) {
    await tiergateRunAsync(f, shares[i]);
    mark();
  }
}


/**
 * One batch of a window with hooks. With no ops it costs what a bracket costs by itself, in the same code.
 */
function bracket(f, ops) {
  mark();
  tiergateRep(f, ops);
  mark();
}

async function bracketAsync(f, ops) {
  mark();
  await tiergateRepAsync(f, ops);
  mark();
}

const keep = (value) => {
  kept.last = value;
};

const SOMETHING = 'something';

/** What the last result is: something, or a kind of nothing, as an op gives whose input is used up. */
function kindKept() {
  const { last } = kept;
  try {
    const isNothing =
      !last || last.length === 0 || last.size === 0 || (last.done === true && last.value === undefined);
    return isNothing ? typeof last : SOMETHING;
  } catch {
    // An object that throws at whoever looks at it.
    return SOMETHING;
  }
}

const sync = {
  run: tiergateRun,
  warm: (f, ops) => tiergateWarm(tiergateRun, f, ops),
  prepare: makeStrange,
  span,
  bracket,
};
const async = {
  run: tiergateRunAsync,
  warm: (f, ops) => tiergateWarmAsync(tiergateRunAsync, f, ops),
  prepare: makeStrangeAsync,
  span: spanAsync,
  bracket: bracketAsync,
};

module.exports = { BATCH, SOMETHING, async, keep, kindKept, sync };
