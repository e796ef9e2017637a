'use strict';

// Frameworks are intercepted by one line that is appended to the source of the real package when the engine
// loads it: any copy of it, from any folder, as ESM or CommonJS, keeps its exports and hands them to its
// adapter. `import "tiergate"` is answered with the harness's own API. Where the user has named functions, the user's
// own modules get code around them that finds these.

const path = require('node:path');
const { fileURLToPath } = require('node:url');

const functions = require('../frameworks/functions.cjs');
const { isModuleFile, packageOf, seriesOf } = require('./packages.cjs');

const HANDLE = Symbol.for('tiergate.harness');
const HANDLE_SOURCE = 'globalThis[Symbol.for("tiergate.harness")]';
const HARNESS = path.dirname(__dirname) + path.sep;
const API = path.join(HARNESS, 'api');
const SCRIPT = /\.[cm]?[jt]sx?$/;

/** Puts the object in place that appended lines and the API find the session by. */
function installHandle(session, adapters) {
  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  const attach = (name, file, exports, locals) => {
    const adapter = byName.get(name);
    const version = versionOf(adapter, file);
    if (adapter.majors && !adapter.majors.includes(seriesOf(version))) {
      return session.unsupported(name, version, adapter.majors);
    }
    try {
      return adapter.attach(session, exports, version, locals);
    } catch (error) {
      session.fail('harness', error);
      return session.end('failed');
    }
  };
  Object.defineProperty(globalThis, HANDLE, { value: { attach, api: session.api, find: functions.find } });
}

/** The adapter for a file of a framework that an engine is about to load. */
function adapterFor(adapters, file) {
  return adapters.find((adapter) => adapter.file?.test(file) && versionOf(adapter, file) !== undefined);
}

/** The version of the framework that a file belongs to; undefined if it is another's file with such a path. */
function versionOf(adapter, file) {
  if (adapter.versionOf) return adapter.versionOf(file);
  const found = packageOf(file);
  return found?.name === adapter.name ? found.version : undefined;
}

/**
 * What a module is to be evaluated as, of its text as a function, its URL and its format, which not every engine tells;
 * undefined if it is not changed.
 */
function changed(adapters, url, format, read) {
  const file = pathOf(url);
  if (!file) return undefined;
  const tail = tailFor(adapters, file, url);
  if (tail) return read() + tail;
  if (file.startsWith(HARNESS) || !SCRIPT.test(file) || !functions.areWanted()) return undefined;
  const isModule = format ? format.startsWith('module') : isModuleFile(file);
  return functions.around(read(), { file, url, isModule, handle: HANDLE_SOURCE });
}

/** The line to append to a framework's file; undefined for any other file. */
function tailFor(adapters, file, url) {
  const adapter = adapterFor(adapters, file);
  if (!adapter) return undefined;
  const locals = adapter.locals?.(file) ?? 'undefined';
  const attach = (exports) =>
    `${HANDLE_SOURCE}.attach(${JSON.stringify(adapter.name)}, ${JSON.stringify(file)}, ${exports}, ${locals});\n`;
  if (!isModuleFile(file)) return `\n;${attach('module.exports')}`;
  // The module imports itself: its local names may be minified, its exports are not.
  return `\n;import * as __tiergate from ${JSON.stringify(url)};${attach('__tiergate')}`;
}

/** The API's file for `import` or `require`, if that is what a specifier means. */
function apiFor(specifier, isModule) {
  if (specifier !== 'tiergate') return undefined;
  return path.join(API, isModule ? 'index.mjs' : 'index.cjs');
}

/** The path of a `file:` URL or a path, else undefined. */
function pathOf(url) {
  if (url.startsWith('file:')) return fileURLToPath(url);
  return path.isAbsolute(url) ? url : undefined;
}

module.exports = { apiFor, changed, installHandle };
