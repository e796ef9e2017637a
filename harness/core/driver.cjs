'use strict';

// Runs the selected bench: set-up, warm-up, then the window or the clock, tear-down. The engine's process
// ends when it is through, so nothing returns to the framework.
//
// An adapter describes its bench by a plan:
//   isAsync          true | false       where the framework decides it; otherwise the first result does
//   awaits           (result) => …      whether the framework awaits a result; thenables by default
//   mustBeSync       true               where the framework refuses promises (tinybench's runSync)
//   rehearse         [[phase, fn]]      what the framework does before set-up, ops (phase `op`) included
//   setup, teardown  [fn]               once around all ops
//   afterFailure     (phase) => [fn]    what is still to be called when something has thrown after set-up
// and by one of three shapes:
//   op               () => result       the function, bound to its `this` and arguments; set-up may put it in place
//   before, after    () => …            around each batch of `batchOps` ops, never counted
//   supply           (ops) => …         makes what the next ops use up, never counted
// or
//   cycle            (timer, ops) => …  user code that runs ops itself, between `timer.start()` and `timer.end()`
//   window           span | brackets    whether one cycle can run all ops of the window, or each op is a cycle
//   empty            (timer) => …       what a cycle costs by itself; start and end where it is not given
// or
//   pull             (next) => …        user code that runs one op whenever it has called an iterator's `next`
//
// The generators of the shapes are coroutines: `yield` waits where there is something to wait for.

const { runCoroutine } = require('./coroutine.cjs');
const { Cycles } = require('./cycles.cjs');
const { Ops } = require('./ops.cjs');
const { litter } = require('./perturb.cjs');
const { Pull } = require('./pull.cjs');
const { timeOps } = require('./sizing.cjs');

/** Drives a plan in the session's mode. The process ends with it. */
function drive(session, plan) {
  return runCoroutine(driving(session, plan));
}

function* driving(session, plan) {
  const Shape = plan.pull ? Pull : plan.cycle ? Cycles : Ops;
  const bench = new Shape(session.request, plan);
  session.begin(bench);
  if (session.request.perturb) litter(session.request.perturb.deadObjects);
  let outcome;
  try {
    yield* bench.setUp();
    session.emit('ready');
    outcome = session.mode === 'size' ? yield* size(bench) : yield* bench.measure();
    yield* bench.tearDown();
  } catch (error) {
    session.fail(bench.phase, error);
    yield* bench.cleanUp();
    return session.end('failed');
  }
  session.emit(session.mode === 'size' ? 'sized' : 'measured', outcome);
  return session.end('done');
}

function* size(bench) {
  const { sizing } = bench.request;
  return bench.size ? yield* bench.size(sizing) : yield* timeOps(bench, sizing);
}

module.exports = { drive };
