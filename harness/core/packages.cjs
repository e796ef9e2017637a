'use strict';

// Which package a file belongs to.

const fs = require('node:fs');
const path = require('node:path');

/** Name and version of the nearest named package around a file, or undefined. */
const packageOf = nearest(({ name, version }) => name !== undefined && { name, version });

/** What is nearest around a file; a nameless one only sets the module type of its folder. */
const scopeOf = nearest(({ type }) => ({ type }));

/** Finds the nearest `package.json` around a file of which `take` gives something. */
function nearest(take) {
  const cache = new Map();
  return function find(file) {
    const directory = path.dirname(file);
    if (cache.has(directory)) return cache.get(directory);
    const own = read(path.join(directory, 'package.json'));
    const found = (own && take(own)) || (directory === file ? undefined : find(directory));
    cache.set(directory, found);
    return found;
  };
}

function read(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a framework's file is an ES module, by its name and package. Deno's hooks do not tell. */
function isModuleFile(file) {
  if (file.endsWith('.mjs')) return true;
  return !file.endsWith('.cjs') && scopeOf(file)?.type === 'module';
}

/** What changes with a breaking release: the major version, or `0.minor` before 1. */
function seriesOf(version) {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}

module.exports = { isModuleFile, packageOf, seriesOf };
