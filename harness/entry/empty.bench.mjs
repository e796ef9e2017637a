// Ops that do nothing: what the harness's loops cost by themselves.

import { bench } from 'tiergate';

bench('sync', () => {});
bench('async', async () => {});
