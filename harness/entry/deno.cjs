'use strict';

// Deno from 2.9 (`--require` and `--preload` do alike; `--require` is the one that is tested):
//
//     TIERGATE_REQUEST=request.json deno run -A --require harness/entry/deno.cjs FILE
//
// FILE may be .mjs, .js, .cjs, .ts, .mts, .cts. Deno looks into `node_modules` only where a package.json is
// above FILE; elsewhere add --node-modules-dir=manual.

const { adapters, start } = require('../core/start.cjs');

const session = start('deno', Deno.version.deno);
if (session) {
  require('../core/hooks.cjs').installHooks(adapters);
  // The event comes when the main module has been evaluated, top-level await included, but also when it has
  // failed, right before that is reported.
  globalThis.addEventListener('load', () => {
    session.close();
    setImmediate(() => session.mainLoaded());
  });
}
