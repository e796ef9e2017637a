// A log of what was called, at once and repetitions as one, as the processes of vitest are ended from outside.

import { appendFileSync } from 'node:fs';

let last = '';

export function note(...what: unknown[]): void {
  const line = what.join(' ');
  if (line === last || !process.env.BENCH_LOG) return;
  last = line;
  appendFileSync(process.env.BENCH_LOG, `${line}\n`);
}
