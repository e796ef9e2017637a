'use strict';

// How the process may end without the harness: by an error, by `process.exit`, or because nothing is left.

const { place } = require('./place.cjs');

function watchProcess(session) {
  let exitPlace;
  const { exit } = process;
  process.exit = function (...code) {
    exitPlace = place(new Error().stack);
    return Reflect.apply(exit, process, code);
  };
  process.on('exit', (code) => session.exiting(code, exitPlace));
  process.on('beforeExit', () => session.ranDry());
  // The monitor sees what the user's own handlers do not change. What they handle is no failure.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (process.listenerCount('uncaughtException') === 0) session.uncaught(error);
  });
}

module.exports = { watchProcess };
