'use strict';

// What is on the heap when all that can be collected is collected.

/** A function that collects all garbage and tells the bytes that are left; `undefined` where an engine can't be told. */
function heapScales() {
  const collect = collector();
  return (
    collect &&
    (() => {
      // What a first collection finds to be finalised goes with the second one.
      collect();
      collect();
      return process.memoryUsage().heapUsed;
    })
  );
}

function collector() {
  if (process.versions.bun) return () => globalThis.Bun.gc(true);
  try {
    require('node:v8').setFlagsFromString('--expose-gc');
    const collect = require('node:vm').runInNewContext('gc');
    return typeof collect === 'function' ? collect : undefined;
  } catch {
    // An engine that has one of these modules as a shell only.
    return undefined;
  }
}

module.exports = { heapScales };
