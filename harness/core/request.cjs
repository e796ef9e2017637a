'use strict';

// What the parent asks for. It arrives by a file that an environment variable names.

const fs = require('node:fs');

const PROTOCOL = 1;
const MODES = ['list', 'size', 'measure'];

/**
 * Reads the request and hides every trace of it from the user's code and from processes that it starts.
 * Without one (a worker thread or a child that inherited the preload) the answer is undefined.
 */
function takeRequest(env) {
  const path = env.TIERGATE_REQUEST;
  for (const name of Object.keys(env)) {
    if (name.startsWith('TIERGATE_')) delete env[name];
  }
  if (path === undefined) return undefined;
  // A child that the user's code starts must not load the counter's library.
  delete env.LD_PRELOAD;
  return check(JSON.parse(fs.readFileSync(path, 'utf8')), path);
}

function check(request, path) {
  if (request.protocol !== PROTOCOL) {
    throw new Error(`tiergate: ${path} speaks protocol ${request.protocol}, this harness speaks ${PROTOCOL}`);
  }
  if (!MODES.includes(request.mode)) throw new Error(`tiergate: ${path} asks for unknown mode ${request.mode}`);
  return request;
}

module.exports = { PROTOCOL, takeRequest };
