'use strict';

// mitata 1. Registration, `run`, filters and formats stay mitata's own; only its `measure` is replaced, by which it
// times every bench and, before them, empty functions of its own for comparison. A bench that is not selected gets
// numbers that look real, the selected one is driven in the way of its kind.

const { drive } = require('../core/driver.cjs');

const name = 'mitata';
/** Nanoseconds that the first bench is said to take, and the empty functions, which mitata compares all with. */
const FAKE_TIME = 1;
const FAKE_EMPTY_TIME = 0.25;

// While mitata runs a bench, a token stands in its function's place and tells `measure` whose turn it is:
// token -> { fn, names (of the runs still to come) }.
const turns = new WeakMap();
let runs = 0;
let met = 0;

/** Both files' locals that their exports do not give access to. */
function locals(file) {
  if (file.endsWith('lib.mjs')) return '{ replaceMeasure: (by) => (measure = by) }';
  return '{ collections: () => COLLECTIONS, wrapRun: (by) => (run = by(run)) }';
}

function attach(session, exports, version, own) {
  if (own.replaceMeasure) own.replaceMeasure(measureFor(session, exports.kind, version));
  else attachMain(session, exports.B, own);
}

function attachMain(session, B, { collections, wrapRun }) {
  const { run } = B.prototype;
  B.prototype.run = function (...args) {
    const group = collections()[this._group]?.name;
    const names = Array.from(this._names(), (own) => (group ? [String(group), String(own)] : [String(own)]));
    const token = {};
    turns.set(token, { fn: this.f, names });
    return session.watch(run.apply(Object.create(this, { f: { value: token } }), args));
  };
  wrapRun((real) => (...args) => {
    runs++;
    return session.watch(real(...args).finally(() => runs--));
  });
  session.countUnrun(() => (runs > 0 ? 0 : collections().reduce((count, { trials }) => count + trials.length, 0)));
}

/** The stand-in for mitata's `measure`, which users can call by themselves, too. */
function measureFor(session, kindOf, version) {
  return async (target, options = {}) => {
    const turn = turns.get(target);
    const fn = turn ? turn.fn : target;
    const kind = kindOf(fn);
    if (!turn && (runs > 0 || !kind)) return stats(kind, FAKE_EMPTY_TIME);
    const names = turn ? turn.names.shift() : [fn.name || 'anonymous'];
    session.added();
    const isSelected = session.meet({ names, framework: name, frameworkVersion: version });
    if (!isSelected) return stats(kind, FAKE_TIME * ++met);
    return drive(session, plans[kind](fn, options.args, kindOf));
  };
}

/** Results as mitata makes them. Its plots come to no end where samples or benches do not differ at all. */
function stats(kind, time) {
  const samples = Array.from({ length: 12 }, (_, index) => time * (1 + index / 100));
  const at = (share) => samples[Math.trunc(share * (samples.length - 1))];
  const [p25, p50, p75, p99, p999] = [0.25, 0.5, 0.75, 0.99, 0.999].map(at);
  return {
    kind,
    debug: '',
    samples,
    min: at(0),
    max: at(1),
    p25,
    p50,
    p75,
    p99,
    p999,
    avg: p50,
    ticks: samples.length,
  };
}

const awaits = (result) => result instanceof Promise;

/** What mitata does with each kind of function. */
const plans = {
  fn: (fn) => ({ op: fn, awaits }),

  iter: (fn, args) => ({
    pull(next) {
      const iterator = { next };
      const state = {
        [Symbol.iterator]: () => iterator,
        [Symbol.asyncIterator]: () => iterator,
        get: (key) => args?.[key],
      };
      return fn(state);
    },
  }),

  /** A generator that sets up, yields once what is to be measured, and cleans up. */
  yield(fn, args, kindOf) {
    let generator;
    const plan = {
      awaits,
      setup: [
        () => {
          generator = fn({ get: (key) => args?.[key] });
          const first = generator.next();
          return awaits(first) ? first.then(begin) : begin(first);
        },
      ],
      teardown: [
        () => {
          const last = generator.next();
          return awaits(last) ? last.then(finish) : finish(last);
        },
      ],
    };
    const begin = ({ done, value }) => {
      Object.assign(plan, opsOf(done ? undefined : value, args, kindOf));
    };
    return plan;
  },
};

function finish({ done }) {
  if (!done) throw new TypeError('expected generator to yield once');
}

/** The op that a generator has yielded: a function, or an object with it and with factories of its parameters. */
function opsOf(yielded, args, kindOf) {
  const isFunction = kindOf(yielded) === 'fn';
  if (!isFunction && yielded?.manual && !yielded.bench) {
    throw new TypeError('`manual` benches time a part of their work by a clock of their own, which cannot be counted');
  }
  const fn = isFunction ? yielded : yielded?.bench;
  if (kindOf(fn, true) !== 'fn') throw new TypeError('expected benchmarkable yield from generator');
  const factories = Array.from({ length: fn.length }, (_, index) => yielded[index]);
  if (!factories.every((factory) => kindOf(factory) === 'fn')) {
    throw new TypeError('expected function for benchmark parameter');
  }
  const concurrency = yielded.concurrency ?? args?.concurrency ?? 1;
  if (factories.length === 0) return { op: atOnce(fn, concurrency) };
  const store = new Parameters(factories, concurrency);
  return { op: atOnce(store.caller(fn), concurrency), supply: (ops) => store.fill(ops) };
}

/** An op of several calls that go on at the same time, if they are asynchronous. */
function atOnce(call, concurrency) {
  if (!(concurrency > 1)) return call;
  return () => {
    const results = [];
    for (let i = 0; i < concurrency; i++) results.push(call());
    return awaits(results[0]) ? Promise.all(results) : results;
  };
}

/** Parameters that are computed anew for every call, before the calls that are counted. */
class Parameters {
  #factories;
  #concurrency;
  /** One list of values for each parameter. */
  #columns;
  #used = 0;

  constructor(factories, concurrency) {
    this.#factories = factories;
    this.#concurrency = concurrency;
    this.#columns = factories.map(() => []);
  }

  async fill(ops) {
    this.#used = 0;
    for (const column of this.#columns) column.length = 0;
    for (let i = 0; i < ops; i++) {
      for (const [index, factory] of this.#factories.entries()) {
        for (let call = 0; call < this.#concurrency; call++) {
          const value = factory();
          this.#columns[index].push(awaits(value) ? await value : value);
        }
      }
    }
  }

  caller(fn) {
    const [first, second] = this.#columns;
    if (fn.length === 1) return () => fn(first[this.#used++]);
    if (fn.length === 2) return () => fn(first[this.#used], second[this.#used++]);
    return () => {
      const at = this.#used++;
      return fn(...this.#columns.map((column) => column[at]));
    };
  }
}

module.exports = { name, majors: ['1'], file: /[\\/]mitata[\\/]src[\\/](?:main|lib)\.mjs$/, locals, attach };
