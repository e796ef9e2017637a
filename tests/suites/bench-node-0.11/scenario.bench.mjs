import { Suite, chartReport, csvReport, jsonReport, textReport } from 'bench-node';

import { scenarios } from '../shared/bench-node.cjs';

await scenarios[process.env.SCENARIO](Suite, { chartReport, csvReport, jsonReport, textReport });
