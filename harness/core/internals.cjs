'use strict';

// Interception where `module.registerHooks` is missing: Node before 22.15. The off-thread `module.register` would
// not see `require` and would disturb the counts, so Node's own loader is extended, which --expose-internals
// makes reachable. These versions get no changes any more.

const Module = require('node:module');
const { pathToFileURL } = require('node:url');

const { apiFor, changed } = require('./intercept.cjs');

function installHooks(adapters) {
  const change = (format) => (url, source) => changed(adapters, url, format, () => Buffer.from(source).toString()) ?? source;
  extendModules(change('module'));
  extendCommonJs(change('commonjs'));
}

function extendModules(change) {
  const { translators } = require('internal/modules/esm/translators');
  const translate = translators.get('module');
  translators.set('module', function (url, source, ...rest) {
    return translate.call(this, url, change(url, source), ...rest);
  });
  const loader = require('internal/modules/esm/loader').getOrInitializeCascadedLoader();
  const { defaultResolve } = loader;
  loader.defaultResolve = function (specifier, ...rest) {
    const file = apiFor(specifier, true);
    if (file) return { __proto__: null, url: pathToFileURL(file).href, format: 'module' };
    return defaultResolve.call(this, specifier, ...rest);
  };
}

function extendCommonJs(change) {
  const { _resolveFilename } = Module;
  Module._resolveFilename = function (specifier, ...rest) {
    return apiFor(specifier, false) ?? _resolveFilename.call(this, specifier, ...rest);
  };
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (source, file, ...rest) {
    return _compile.call(this, change(file, source), file, ...rest);
  };
}

module.exports = { installHooks };
