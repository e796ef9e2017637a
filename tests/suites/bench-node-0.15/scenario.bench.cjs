const all = require('bench-node');

const { scenarios } = require('../shared/bench-node.cjs');

scenarios[process.env.SCENARIO](all.Suite, all);
