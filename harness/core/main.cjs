'use strict';

// When the main module has been evaluated.

const { setImmediate } = require('node:timers');
const { pathToFileURL } = require('node:url');

/**
 * A CommonJS main module is through before the first tick. For an ES module this asks for it a second time, when
 * the engine has begun to load it: the answer is the one module of the process, and comes when its evaluation,
 * top-level await included, is through. If that fails, the engine ends the process, which is told elsewhere.
 */
function watchMain(session) {
  const loaded = () => session.mainLoaded();
  const ifThrough = (otherwise) => () => (process.mainModule?.loaded ? loaded() : otherwise());
  const askAgain = () => import(pathToFileURL(session.request.file).href).then(loaded, () => {});
  process.nextTick(ifThrough(() => setImmediate(ifThrough(askAgain))));
}

module.exports = { watchMain };
