'use strict';

// Loaded before the harness: records the calls that an instrument would see, and what ran between them.

const { writeFileSync } = require('node:fs');

const calls = [];
globalThis.countedOps = 0;
const note = (kind) => calls.push([kind, globalThis.countedOps]);
const { kill, ppid } = process;

if (Object.getOwnPropertyDescriptor(process, 'ppid')?.configurable === false) {
  // Deno's cannot be replaced; the harness's own function can, as long as nobody has taken it.
  const marks = require('../core/marks.cjs');
  const { mark } = marks;
  marks.mark = () => {
    note('mark');
    return mark();
  };
} else {
  Object.defineProperty(process, 'ppid', {
    get() {
      note('mark');
      return ppid;
    },
  });
}
process.kill = (pid, signal) => {
  if (pid !== 0 || signal !== 0) return kill.call(process, pid, signal);
  note('arm');
  return true;
};
process.on('exit', () => writeFileSync(process.env.MARK_LOG, JSON.stringify(calls)));
