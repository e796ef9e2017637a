'use strict';

// The frameworks that the harness knows. An adapter is one file that exports
//   name       the package's name
//   majors     the major versions that it knows, `0.minor` before 1; absent where there are none
//   file       a pattern for the paths of the package's files that are intercepted
//   versionOf  (file) => the framework's version, or undefined if the file is another's; by default the package's
//   locals     (file) => source text of what the adapter needs of a file besides its exports
//   attach     (session, exports, version, locals) => void, called when the engine has evaluated such a file
// or, where the framework is a part of the engine,
//   install    (session) => void, called before any user code

const benchNode = require('./bench-node.cjs');
const benchmark = require('./benchmark.cjs');
const deno = require('./deno.cjs');
const functions = require('./functions.cjs');
const mitata = require('./mitata.cjs');
const nodeCore = require('./node-core.cjs');
const tinybench = require('./tinybench.cjs');
const vitest = require('./vitest.cjs');

const adapters = [tinybench, mitata, benchmark, benchNode, deno, nodeCore, vitest, functions];

module.exports = { adapters };
