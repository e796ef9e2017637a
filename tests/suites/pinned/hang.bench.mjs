// A bench that can't run behind the gate: the main thread spins until a helper thread has run.
import { Worker } from 'node:worker_threads';
import { bench } from 'tiergate';

const code = `
  const { workerData } = require('node:worker_threads');
  for (;;) {
    Atomics.wait(workerData, 0, 0);
    Atomics.store(workerData, 0, 0);
  }
`;
bench('spin', ({ shared }) => {
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
  while (Atomics.load(shared, 0) === 1);
}, {
  setup: () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    return { shared, worker: new Worker(code, { eval: true, workerData: shared }) };
  },
  teardown: ({ worker }) => worker.terminate(),
});
