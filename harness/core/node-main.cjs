'use strict';

// When Node's main module has been evaluated.

const { pathToFileURL } = require('node:url');

/**
 * Asks for the main module a second time, when Node has begun to load it: the answer is the one module of the
 * process, and comes when its evaluation, top-level await included, is through. A failure is Node's to tell.
 */
function watchMain(session) {
  setImmediate(() => {
    const main = process.mainModule;
    if (main?.loaded) return session.mainLoaded();
    const url = pathToFileURL(session.request.file).href;
    import(url).then(
      () => session.mainLoaded(),
      () => {},
    );
  });
}

module.exports = { watchMain };
