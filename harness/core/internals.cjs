'use strict';

// Interception where `module.registerHooks` is missing: Node before 22.15. The off-thread `module.register` would
// not see `require` and would disturb the counts, so Node's own loader is extended, which --expose-internals
// makes reachable. These versions get no changes any more.

const Module = require('node:module');
const { pathToFileURL } = require('node:url');

const { apiFor, tailFor } = require('./intercept.cjs');

function installHooks(adapters) {
  const withTail = (url, source) => {
    const tail = tailFor(adapters, url);
    return tail ? Buffer.from(source).toString() + tail : source;
  };
  extendModules(withTail);
  extendCommonJs(withTail);
}

function extendModules(withTail) {
  const { translators } = require('internal/modules/esm/translators');
  const translate = translators.get('module');
  translators.set('module', function (url, source, ...rest) {
    return translate.call(this, url, withTail(url, source), ...rest);
  });
  const loader = require('internal/modules/esm/loader').getOrInitializeCascadedLoader();
  const { defaultResolve } = loader;
  loader.defaultResolve = function (specifier, ...rest) {
    const file = apiFor(specifier, true);
    if (file) return { __proto__: null, url: pathToFileURL(file).href, format: 'module' };
    return defaultResolve.call(this, specifier, ...rest);
  };
}

function extendCommonJs(withTail) {
  const { _resolveFilename } = Module;
  Module._resolveFilename = function (specifier, ...rest) {
    return apiFor(specifier, false) ?? _resolveFilename.call(this, specifier, ...rest);
  };
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (source, file, ...rest) {
    return _compile.call(this, withTail(file, source), file, ...rest);
  };
}

module.exports = { installHooks };
