'use strict';

// The frameworks that the harness knows. An adapter is one file that exports
//   name     the package's name
//   file     a pattern for the path of the package's file that holds its exports
//   majors   the major versions that it knows
//   attach   (session, exports, version) => void, called when the engine has evaluated that file

const tinybench = require('./tinybench.cjs');

const adapters = [tinybench];

module.exports = { adapters };
