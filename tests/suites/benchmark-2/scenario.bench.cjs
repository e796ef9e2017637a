const Benchmark = require('benchmark');

const { scenarios } = require('./scenarios.cjs');

scenarios[process.env.SCENARIO](Benchmark);
