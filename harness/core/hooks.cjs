'use strict';

// Interception by `module.registerHooks`: Node from 22.15 and Deno. It sees `import` and `require` alike and
// runs in the thread of the user's code, so counts stay reproducible.

const fs = require('node:fs');
const { registerHooks } = require('node:module');
const { pathToFileURL } = require('node:url');

const { apiFor, changed } = require('./intercept.cjs');

function installHooks(adapters) {
  registerHooks({
    resolve(specifier, context, next) {
      const isModule = !context.conditions?.includes('require');
      const file = apiFor(specifier, isModule);
      if (!file) return next(specifier, context);
      return { url: pathToFileURL(file).href, format: isModule ? 'module' : 'commonjs', shortCircuit: true };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      // With a load hook in place Deno takes required JSON for a script unless the format says what it is.
      if (!loaded.format && url.endsWith('.json')) return { ...loaded, format: 'json' };
      const read = () => Buffer.from(loaded.source ?? fs.readFileSync(new URL(url))).toString();
      const source = changed(adapters, url, loaded.format, read);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}

module.exports = { installHooks };
