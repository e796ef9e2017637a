'use strict';

// One process of the harness: its mode, the benches that come up, and how and when the process ends.

const { cutChannel } = require('./channel.cjs');
const { openEvents } = require('./events.cjs');
const { Ids } = require('./ids.cjs');
const { describe } = require('./place.cjs');
const { PROTOCOL } = require('./request.cjs');
const { Quiet } = require('./quiet.cjs');

class Session {
  #drive;
  #ended = false;
  #isLoaded = false;
  #exit;
  #quiet;
  #atLoad = [];
  #emit;
  #unrun = 0;
  #unrunCounters = [];

  /** `exit` ends the process at once with a code, whatever the user's code has put in its place. */
  constructor(request, { engine, engineVersion, exit }) {
    this.request = request;
    this.mode = request.mode;
    this.engine = engine;
    this.ids = new Ids(request.select);
    /** Whether the main module has had its time to register benches. */
    this.isClosed = false;
    /** Whether this is a process in which vitest runs its files. */
    this.isInVitest = false;
    this.#exit = exit;
    this.#emit = openEvents(request.events);
    this.#quiet = new Quiet(() => this.end('quiet'));
    this.emit('hello', { protocol: PROTOCOL, engine, engineVersion });
  }

  emit(event, fields) {
    this.#emit(event, fields);
  }

  /**
   * A bench that the framework would run now. Lists it; true if it is the selected one and is to be driven. The rest
   * of its fields is what the parent is told: `framework`, `frameworkVersion`, and where there are any, `imports` and
   * `engineArgs`.
   */
  meet({ names, window = 'span', batchOps = 1, divisible = true, skipped = false, ...rest }) {
    const { ordinal, selected } = this.ids.take(names);
    this.#quiet.stir();
    this.#unrun--;
    if (this.mode === 'list') {
      this.emit('bench', { names, ordinal, window, batchOps, divisible, skipped, ...rest });
    }
    return selected && !skipped && !this.#drive;
  }

  /** A bench was added to a framework that will run it later, or never. */
  added() {
    this.#unrun++;
  }

  /** Calls back for the number of benches that were added and that the framework was not told to run. */
  countUnrun(callback) {
    this.#unrunCounters.push(callback);
  }

  #allUnrun() {
    return this.#unrunCounters.reduce((sum, count) => sum + count(), Math.max(0, this.#unrun));
  }

  /** Something that the user should know of a bench. */
  warn(names, message) {
    if (this.mode === 'list') this.emit('warning', { names, message });
  }

  /** Whether a bench of these names can be the selected one: no other function needs to be kept. */
  wants(names) {
    return this.ids.mayBeSelected(names);
  }

  /** Something is going on that may still bring benches: the process is not quiet before it has settled. */
  watch(promise) {
    this.#quiet.hold(promise);
    return promise;
  }

  /** Calls back when the main module has been evaluated, before that is told. */
  atLoad(callback) {
    this.#atLoad.push(callback);
  }

  /** The main module has been evaluated, or has failed. */
  close() {
    this.isClosed = true;
  }

  mainLoaded() {
    if (this.#isLoaded || this.#ended) return;
    this.close();
    this.#isLoaded = true;
    const starts = this.#atLoad.map((callback) => callback());
    this.emit('loaded');
    for (const start of starts) start?.();
    if (!this.#drive) this.#quiet.start(this.request.quietSeconds);
  }

  begin(drive) {
    this.#drive = drive;
    this.#quiet.stop();
    this.emit('started');
    if (this.isInVitest) cutChannel();
  }

  /** Something was thrown. Only the first error of a process is told. */
  fail(phase, error) {
    if (this.#ended) return;
    this.failed = true;
    this.emit('error', { phase, ...describe(error) });
  }

  /** An error that nobody caught; the engine is about to end the process for it. */
  uncaught(error) {
    if (this.failed) return;
    this.fail(this.#drive?.phase ?? 'load', error);
  }

  /** The file is one that the framework's own program has to run. */
  needsRunner(framework) {
    this.emit('runner', { framework });
    this.end('unsupported');
  }

  unsupported(framework, frameworkVersion, supported) {
    this.emit('unsupported', { framework, frameworkVersion, supported });
    this.end('unsupported');
  }

  /** Nothing is left for the process to wait for. */
  ranDry() {
    if (!this.#drive || this.#ended || this.failed) return;
    this.fail(this.#drive.phase, new Error('a promise never settled: nothing is left that could settle it'));
    this.end('failed');
  }

  /** The process is exiting; `where` is there if the user's code has asked for it. */
  exiting(code, where) {
    if (this.#ended) return;
    this.#ended = true;
    this.emit('exit', { code, where, unrun: this.#allUnrun() });
  }

  end(reason) {
    if (this.#ended) return;
    this.#ended = true;
    this.emit('end', { reason, unrun: this.#allUnrun() });
    this.#exit(0);
  }
}

module.exports = { Session };
