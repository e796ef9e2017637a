'use strict';

// Loaded before the harness: records the calls that an instrument would see, and what ran between them.

const { writeFileSync } = require('node:fs');

const calls = [];
globalThis.countedOps = 0;
const note = (kind) => calls.push([kind, globalThis.countedOps]);
const { ppid } = process;

Object.defineProperty(process, 'ppid', {
  get() {
    note('mark');
    return ppid;
  },
});
const { kill } = process;
process.kill = (pid, signal) => {
  if (pid !== 0 || signal !== 0) return kill.call(process, pid, signal);
  note('arm');
  return true;
};
process.on('exit', () => writeFileSync(process.env.MARK_LOG, JSON.stringify(calls)));
