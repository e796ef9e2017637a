'use strict';

// Harmless acts that the parent can ask for, so that the same bench is measured under other circumstances: they
// change neither what the bench does nor what can be seen of it.

const { random } = Math;

// What a dead object was kept in last.
const litter = { last: undefined };

/** Numbers that the bench file will not get. */
function tiergateDraw(count) {
  for (let i = 0; i < count; i++) litter.last = random();
  litter.last = undefined;
}

/** Objects that nobody holds any more: the collector's next turn comes earlier. */
function tiergateLitter(count) {
  for (let i = 0; i < count; i++) litter.last = { i, next: undefined, name: 'dead' };
  litter.last = undefined;
}

module.exports = { draw: tiergateDraw, litter: tiergateLitter };
