const { Bench } = require('tinybench');

import('../shared/scenarios.mjs').then(({ scenarios }) => scenarios[process.env.SCENARIO](Bench));
