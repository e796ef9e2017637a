import Benchmark from 'benchmark';

import { scenarios } from './scenarios.cjs';

scenarios[process.env.SCENARIO](Benchmark);
