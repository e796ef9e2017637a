'use strict';

// Functions that the user has named, in programs with loops and clocks of their own. Each is a bench: the program runs
// until it calls the function for the first time, and that call, with its `this` and its arguments, is the op. A
// function that nobody calls and that takes no parameters is called as it is.
//
// Calls are seen by a stand-in, which is put in the function's place where that can be done: before a module's first
// statement for functions that it declares, at its end for those that it exports, and in a setter for global ones.

const { drive } = require('../core/driver.cjs');
const { packageOf } = require('../core/packages.cjs');

const name = 'function';

/** What is known of each named function. */
let wanted = new Map();
/** So that no stand-in is taken for a function of the user's. */
const standIns = new WeakSet();

function install(session) {
  const { functions = [] } = session.request;
  wanted = new Map(functions.map((own) => [own, new Wanted(session, own)]));
  if (wanted.size === 0) return;
  for (const one of wanted.values()) one.watchGlobal();
  // A program can take as long as it likes to come to its first call.
  session.watch(new Promise(() => {}));
  session.atLoad(() => {
    const selected = [...wanted.values()].filter((one) => one.meetUncalled())[0];
    return selected ? () => selected.driveUncalled() : () => leaveIfComplete(session);
  });
  const tell = () => tellMissing(session);
  process.prependListener('exit', tell);
  // Deno's own way out does not come by the listeners of `process`.
  if (globalThis.Deno) globalThis.addEventListener('unload', tell);
}

/** In `list` the program need not go on once all its benches are known. */
function leaveIfComplete(session) {
  if (session.mode !== 'list' || ![...wanted.values()].every(({ isMet }) => isMet)) return;
  session.mainLoaded();
  session.end('done');
}

function tellMissing(session) {
  const missing = [...wanted.values()].filter(({ isMet }) => !isMet);
  if (missing.length === 0 || session.failed) return;
  session.fail('mark', new Error(missing.map((one) => one.missing()).join('; ')));
}

class Wanted {
  isMet = false;
  #session;
  #name;
  /** A function of this name. */
  #found;
  /** Whether there is a place where it could not be replaced. */
  #isConstant = false;
  /** Put the function back into its places, so that it calls itself and not the stand-in. */
  #restore = [];

  constructor(session, ownName) {
    this.#session = session;
    this.#name = ownName;
  }

  /** A function of this name, with what puts another one into its place. */
  find(value, replace) {
    if (typeof value !== 'function' || standIns.has(value) || this.isMet) return;
    this.#found = value;
    try {
      replace(this.#standInFor(value));
      this.#restore.push(() => replace(value));
    } catch {
      this.#isConstant = true;
    }
  }

  watchGlobal() {
    let value = globalThis[this.#name];
    const settle = (writable) => {
      Object.defineProperty(globalThis, this.#name, { configurable: true, enumerable: false, writable: true, value: writable });
    };
    if (value !== undefined) return this.find(value, settle);
    Object.defineProperty(globalThis, this.#name, {
      configurable: true,
      enumerable: false,
      get: () => value,
      set: (next) => {
        value = next;
        if (typeof next === 'function') this.find(next, settle);
      },
    });
    return undefined;
  }

  #standInFor(fn) {
    const standIn = new Proxy(fn, { apply: (_, self, args) => this.#called(fn, self, args) });
    standIns.add(standIn);
    return standIn;
  }

  #called(fn, self, args) {
    if (!this.isMet) {
      const isSelected = this.#meet();
      for (const restore of this.#restore) restore();
      if (isSelected) {
        return drive(this.#session, { op: args.length === 0 ? () => fn.call(self) : () => fn.apply(self, args) });
      }
      leaveIfComplete(this.#session);
    }
    return Reflect.apply(fn, self, args);
  }

  #meet() {
    this.isMet = true;
    this.#session.added();
    const { version } = packageOf(__filename);
    return this.#session.meet({ names: [this.#name], framework: name, frameworkVersion: version });
  }

  /** When the program is loaded: true if it is to be driven without having been called. */
  meetUncalled() {
    return !this.isMet && this.#found?.length === 0 && this.#meet();
  }

  driveUncalled() {
    for (const restore of this.#restore) restore();
    const fn = this.#found;
    return drive(this.#session, { op: () => fn() });
  }

  missing() {
    if (!this.#found) return `no function \`${this.#name}\` was found`;
    const why = this.#isConstant
      ? 'or by a name that is constant, where calls cannot be seen'
      : `and it takes ${this.#found.length} parameters`;
    return `the function \`${this.#name}\` was never called by the program, ${why}`;
  }
}

/** Whether there are any to be found. */
const areWanted = () => wanted.size > 0;

/** Called by the code around the user's modules. */
function find(own, value, replace) {
  wanted.get(own)?.find(value, replace);
}

const IN_PACKAGE = /[\\/]node_modules[\\/]/;
const DIRECTIVE = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(["'])use strict\1/;

/** A module of the user's with the code by which its functions are found; undefined if none is looked for in it. */
function around(source, { file, url, isModule, handle }) {
  const names = [...wanted.keys()].filter((own) => source.includes(own));
  if (names.length === 0 || IN_PACKAGE.test(file)) return undefined;
  const [hashbang] = /^(?:#!.*)?/.exec(source);
  const body = source.slice(hashbang.length);
  // On one line with what is there, so that places in errors stay right. A function that is declared further inside
  // is not there, and throws. For a constant of this name Bun would refuse the module.
  const declared = names.filter((own) => new RegExp(`\\bfunction\\b\\s*${own.replaceAll('$', '\\$')}(?![\\w$])`).test(body));
  const head = declared.map((own) => `try{${handle}.find("${own}",${own},(f)=>{${own}=f})}catch{}`);
  const strict = DIRECTIVE.test(body) ? "'use strict';" : '';
  const exports = isModule ? 'tiergate$self' : 'module.exports';
  const tail = names.map((own) => {
    const replace = isModule ? '()=>{throw 0}' : `(f)=>{${exports}.${own}=f}`;
    return `try{${handle}.find("${own}",${exports}.${own},${replace})}catch{}`;
  });
  const itself = isModule ? `import * as tiergate$self from ${JSON.stringify(url)};` : '';
  return hashbang + strict + head.join('') + body + `\n;${itself}${tail.join('')}\n`;
}

module.exports = { name, install, areWanted, find, around };
