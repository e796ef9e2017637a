import { Bench } from 'tinybench';

import { scenarios } from '../shared/scenarios.mjs';

await scenarios[process.env.SCENARIO](Bench);
