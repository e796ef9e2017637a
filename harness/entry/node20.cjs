'use strict';

// Node 20, and 22 before 22.15:
//
//     TIERGATE_REQUEST=request.json node --expose-internals --require harness/entry/node20.cjs FILE
//
// FILE may be .mjs, .cjs, .js; these versions strip no types by themselves.

const { adapters, start } = require('../core/start.cjs');

const session = start('node', process.versions.node);
if (session) {
  require('../core/internals.cjs').installHooks(adapters);
  require('../core/main.cjs').watchMain(session);
}
