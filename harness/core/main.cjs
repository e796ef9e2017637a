'use strict';

// When the main module has been evaluated.

const path = require('node:path');
const { setImmediate } = require('node:timers');
const { pathToFileURL } = require('node:url');

/** Where modules are loaded before the main one by `--import`, this file is the last of them and begins to watch. */
const LATE_ENTRY = path.join('entry', 'main.mjs');
let waiting;

function watchMain(session) {
  if (process.execArgv.some((word) => word.endsWith(LATE_ENTRY))) waiting = session;
  else watch(session);
}

function watchLate() {
  if (waiting) watch(waiting);
}

/**
 * A CommonJS main module is through before the first tick. For an ES module this asks for it a second time, when
 * the engine has begun to load it: the answer is the one module of the process, and comes when its evaluation,
 * top-level await included, is through. If that fails, the engine ends the process, which is told elsewhere.
 */
function watch(session) {
  const loaded = () => session.mainLoaded();
  const ifThrough = (otherwise) => () => (process.mainModule?.loaded ? loaded() : otherwise());
  const askAgain = () => import(pathToFileURL(session.request.file).href).then(loaded, () => {});
  process.nextTick(ifThrough(() => setImmediate(ifThrough(askAgain))));
}

module.exports = { watchLate, watchMain };
