'use strict';

// Hooks and ops may return promises or not, and sync code must stay sync: `runSync()` has to come to its end
// before it returns. So the driver is a generator that yields whatever was returned to it, and is resumed
// at once where that is no promise.

/** Whether frameworks await a value. */
function isThenable(value) {
  return (
    value !== null && (typeof value === 'object' || typeof value === 'function') && typeof value.then === 'function'
  );
}

/** Runs a generator to its end: the result itself if no promise was yielded, else a promise of it. */
function runCoroutine(generator, resume = 'next', sent = undefined) {
  for (;;) {
    const { done, value } = generator[resume](sent);
    if (done) return value;
    if (isThenable(value)) {
      return Promise.resolve(value).then(
        (result) => runCoroutine(generator, 'next', result),
        (error) => runCoroutine(generator, 'throw', error),
      );
    }
    resume = 'next';
    sent = value;
  }
}

module.exports = { isThenable, runCoroutine };
