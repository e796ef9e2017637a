'use strict';

// The calls that the instrument sees. See "Marks" in PROTOCOL.md.

const engine = process;

/** One mark: a read that ends in libc's `getppid`. */
function tiergateMark() {
  return engine.ppid;
}

/** Begins a section: the marks that follow count. */
function arm() {
  engine.kill(0, 0);
}

// Reads enough that the mark's own code has passed its first tiers before anything counts.
const READS_TO_SETTLE = 64;

function settleMarks() {
  for (let i = 0; i < READS_TO_SETTLE; i++) tiergateMark();
  return READS_TO_SETTLE;
}

module.exports = { arm, mark: tiergateMark, settleMarks };
