'use strict';

// Node from 22.15:
//
//     TIERGATE_REQUEST=request.json node --require harness/entry/node.cjs FILE
//
// FILE may be .mjs, .cjs, .js, and .ts, .mts, .cts where this Node strips types (from 22.18 by itself, before
// with --experimental-strip-types).

const { adapters, start } = require('../core/start.cjs');

const session = start('node', process.versions.node);
if (session) {
  require('../core/hooks.cjs').installHooks(adapters);
  require('../core/main.cjs').watchMain(session);
}
