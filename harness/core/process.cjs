'use strict';

// How the process may end without the harness: by an error, by `process.exit`, or because nothing is left.

const { place } = require('./place.cjs');

function watchProcess(session) {
  const { exit } = process;
  let exitPlace;
  const noting = (owner, note) => {
    const real = owner.exit;
    owner.exit = (...code) => {
      exitPlace ??= place(new Error().stack);
      note(code[0]);
      return Reflect.apply(real, owner, code);
    };
  };
  noting(process, () => {});
  // Deno's own way out does not come by the listeners of `process`.
  if (globalThis.Deno) noting(Deno, (code = 0) => session.exiting(code, exitPlace));
  process.on('exit', (code) => session.exiting(code, exitPlace));
  process.on('beforeExit', () => session.ranDry());
  // The monitor sees what the user's own handlers do not change. What they handle is no failure.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (process.listenerCount('uncaughtException') === 0) session.uncaught(error);
  });
  if (session.engine === 'bun') watchRejections(session, exit);
}

/** Bun's monitor misses rejections, and a listener of ours takes Bun's own ending of the process away. */
function watchRejections(session, exit) {
  process.on('unhandledRejection', (error) => {
    if (process.listenerCount('unhandledRejection') > 1) return;
    session.uncaught(error);
    console.error(error);
    Reflect.apply(exit, process, [1]);
  });
}

module.exports = { watchProcess };
