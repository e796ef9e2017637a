// `import … from "tiergate"`: the same functions as for `require`, so both can be used in one run.

import api from './index.cjs';

export const { bench, group } = api;
