'use strict';

// The processes in which vitest runs its files, started by vitest.mjs:
//
//     node --require harness/entry/vitest-worker.cjs …
//
// Their main module is vitest's own, so the adapter tells when the bench file has been run.

const { guardChannel } = require('../core/channel.cjs');
const { adapters, start } = require('../core/start.cjs');

const session = start('node', process.versions.node);
if (session) {
  guardChannel();
  session.isInVitest = true;
  const hooks = require('node:module').registerHooks ? '../core/hooks.cjs' : '../core/internals.cjs';
  require(hooks).installHooks(adapters);
}
