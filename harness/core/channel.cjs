'use strict';

// The channel to the program that has started this process. What comes by it comes at any time and in any pieces, so
// nothing may come any more once a bench begins.

const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

let isCut = false;

/** To be called before the program's own code in this process takes `send` for itself. */
function guardChannel() {
  const { send } = process;
  process.send = (...args) => isCut || Reflect.apply(send, process, args);
}

/** Closes the channel for good; what is sent after that goes nowhere. */
function cutChannel() {
  isCut = true;
  // The program's code here takes the end of the channel for its own end.
  process.removeAllListeners('disconnect');
  process.disconnect();
  settleHeap();
}

/** After so many collections of the young generation nothing is left there that is alive. */
const COLLECTIONS = 2;
/** Where the young generation is filled up to: a multiple of this, in bytes, and more than a look at the heap takes. */
const STEP = 65_536;
const MOST_LOOKS = 1_000_000;
const BYTES_PER_ELEMENT = 8;

/**
 * Brings the young generation to the same state whatever was allocated before: all that lives has left it, and it is
 * filled up to the same place. So its next collections come at the same ops in every process.
 */
function settleHeap() {
  collectGarbage();
  let collections = 0;
  let before = youngBytes();
  for (let look = 0; look < MOST_LOOKS && collections < COLLECTIONS; look++) {
    const now = youngBytes();
    if (now < before) collections++;
    before = now;
  }
  const place = (Math.floor(youngBytes() / STEP) + 2) * STEP;
  return new Array((place - youngBytes()) / BYTES_PER_ELEMENT);
}

/** All of it, once. Nothing of the bench has run or was optimised yet, so nothing is lost. */
function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
}

function youngBytes() {
  return getHeapSpaceStatistics().find(({ space_name: space }) => space === 'new_space').space_used_size;
}

module.exports = { cutChannel, guardChannel };
