'use strict';

// Which package a file belongs to.

const fs = require('node:fs');
const path = require('node:path');

const cache = new Map();

/** Name, version and module type of the nearest named package around a file, or undefined. */
function packageOf(file) {
  const directory = path.dirname(file);
  if (cache.has(directory)) return cache.get(directory);
  const found = read(path.join(directory, 'package.json')) ?? (directory === file ? undefined : packageOf(directory));
  cache.set(directory, found);
  return found;
}

function read(file) {
  try {
    const { name, version, type } = JSON.parse(fs.readFileSync(file, 'utf8'));
    // A nameless one only sets the module type of its folder.
    return name === undefined ? undefined : { name, version, type };
  } catch {
    return undefined;
  }
}

/** Whether a framework's file is an ES module, by its name and package. Deno's hooks do not tell. */
function isModuleFile(file) {
  if (file.endsWith('.mjs')) return true;
  return !file.endsWith('.cjs') && packageOf(file)?.type === 'module';
}

/** What changes with a breaking release: the major version, or `0.minor` before 1. */
function seriesOf(version) {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}

module.exports = { isModuleFile, packageOf, seriesOf };
