'use strict';

// The events file: one JSON object a line. Functions of the engine are taken while nobody can have replaced them.

const { appendFileSync } = require('node:fs');
const { stringify } = JSON;

/** A function that appends an event to the file, complete when it returns. */
function openEvents(file) {
  return (event, fields) => appendFileSync(file, `${stringify({ event, ...fields })}\n`);
}

module.exports = { openEvents };
