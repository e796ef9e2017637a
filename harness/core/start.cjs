'use strict';

// What the entries of all engines do alike.

const { adapters } = require('../frameworks/index.cjs');
const { createApi } = require('../frameworks/tiergate.cjs');
const { installHandle } = require('./intercept.cjs');
const { watchOutside } = require('./outside.cjs');
const { draw } = require('./perturb.cjs');
const { watchProcess } = require('./process.cjs');
const { takeRequest } = require('./request.cjs');
const { Session } = require('./session.cjs');

/**
 * Starts a session if the parent has asked for one. Threads and children that inherit the preload find no
 * request and are left alone.
 */
function start(engine, engineVersion) {
  const request = takeRequest(process.env);
  if (request === undefined) return undefined;
  const exit = process.exit.bind(process);
  const session = new Session(request, { engine, engineVersion, exit });
  watchProcess(session);
  if (session.mode === 'list') watchOutside(session);
  session.api = createApi(session);
  installHandle(session, adapters);
  for (const adapter of adapters) adapter.install?.(session);
  if (request.perturb) draw(request.perturb.randomDraws);
  return session;
}

module.exports = { adapters, start };
