import { Bench } from 'tinybench';

import { scenarios } from '../shared/scenarios.mjs';

const name: string = process.env.SCENARIO ?? 'plain';
await scenarios[name as keyof typeof scenarios](Bench);
