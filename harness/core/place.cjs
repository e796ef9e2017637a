'use strict';

// Where in the user's code an error comes from, read from its stack as V8 and JavaScriptCore print it.

const path = require('node:path');
const { fileURLToPath } = require('node:url');

const HARNESS = path.dirname(__dirname) + path.sep;
// `at name (file:1:2)`, `at file:1:2`, `at async name (file:1:2)`, `name@file:1:2`.
const FRAME = /(?:\(|@|\bat (?:async )?)([^()@]+?):(\d+):(\d+)\)?\s*$/;

/** `file:line:column` of the first frame in the user's code, else of the first one in a package, else undefined. */
function place(stack) {
  let inPackage;
  for (const line of String(stack).split('\n')) {
    const found = FRAME.exec(line);
    if (!found) continue;
    const file = toPath(found[1].trim());
    if (!path.isAbsolute(file) || file.startsWith(HARNESS)) continue;
    const where = `${file}:${found[2]}:${found[3]}`;
    if (!file.includes(`${path.sep}node_modules${path.sep}`)) return where;
    inPackage ??= where;
  }
  return inPackage ?? placeOfSyntaxError(stack);
}

/** Node prints the place of a syntax error as the first line of its stack. */
function placeOfSyntaxError(stack) {
  const found = /^((?:file:\/\/|\/).+?):(\d+)$/m.exec(String(stack));
  return found ? `${toPath(found[1])}:${found[2]}:1` : undefined;
}

function toPath(file) {
  try {
    return file.startsWith('file://') ? fileURLToPath(file) : file;
  } catch {
    return file;
  }
}

/** The fields of an `error` event for anything that can be thrown. */
function describe(error) {
  const isError = error !== null && typeof error === 'object' && 'message' in error;
  if (!isError) return { message: `thrown: ${printable(error)}` };
  const name = typeof error.name === 'string' && error.name !== 'Error' ? `${error.name}: ` : '';
  const stack = typeof error.stack === 'string' ? error.stack : undefined;
  return { message: name + printable(error.message), stack, where: stack && place(stack) };
}

function printable(value) {
  try {
    return typeof value === 'string' ? value : String(value);
  } catch {
    return typeof value;
  }
}

module.exports = { describe, place };
