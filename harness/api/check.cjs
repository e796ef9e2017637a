'use strict';

// What `bench` and `group` refuse, with messages that name the bench.

const HOOKS = ['setup', 'teardown', 'before', 'after'];
const OPTIONS = [...HOOKS, 'batch', 'params'];

function checkBench([name, fn, options, ...rest]) {
  checkName('bench', name);
  const where = `bench "${name}"`;
  if (typeof fn !== 'function') {
    const hint = fn !== null && typeof fn === 'object' ? '; options come after the function' : '';
    throw new TypeError(`${where}: the second argument must be the function to measure, not ${kind(fn)}${hint}`);
  }
  if (rest.length > 0) throw new TypeError(`${where}: options are given twice; only one object is accepted`);
  return { name, fn, options: checkOptions(where, options) };
}

function checkOptions(where, options = {}) {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError(`${where}: options must be an object, not ${kind(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (!OPTIONS.includes(key))
      throw new TypeError(`${where}: unknown option "${key}"; known are ${OPTIONS.join(', ')}`);
  }
  for (const hook of HOOKS) {
    const value = options[hook];
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`${where}: option "${hook}" must be a function, not ${kind(value)}`);
    }
  }
  checkBatch(where, options);
  checkParams(where, options.params);
  return options;
}

function checkBatch(where, { batch, before, after }) {
  if (batch === undefined) return;
  if (!Number.isSafeInteger(batch) || batch < 1) {
    throw new RangeError(`${where}: option "batch" must be a whole number from 1, not ${String(batch)}`);
  }
  if (!before && !after)
    throw new TypeError(`${where}: option "batch" needs "before" or "after" to run around a batch`);
}

function checkParams(where, params) {
  if (params === undefined) return;
  if (params === null || typeof params !== 'object' || Array.isArray(params)) {
    throw new TypeError(`${where}: option "params" must be an object of arrays, not ${kind(params)}`);
  }
  for (const [key, values] of Object.entries(params)) {
    if (!Array.isArray(values) || values.length === 0) {
      throw new TypeError(`${where}: option "params.${key}" must be an array with at least one value`);
    }
  }
}

function checkGroup([name, fn]) {
  checkName('group', name);
  if (typeof fn !== 'function') {
    throw new TypeError(`group "${name}": the second argument must be a function, not ${kind(fn)}`);
  }
  return { name, fn };
}

function checkName(what, name) {
  if (typeof name !== 'string') throw new TypeError(`${what}(): the name must be a string, not ${kind(name)}`);
  if (name.trim() === '') throw new TypeError(`${what}(): the name must not be empty`);
}

function kind(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return value === undefined ? 'undefined' : `a value of type ${typeof value}`;
}

module.exports = { checkBench, checkGroup };
