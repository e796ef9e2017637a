'use strict';

// vitest 3.2 and 4 in benchmark mode: their runner makes tinybench's tasks itself. The runner stays, and it gets
// classes whose tasks have a stub in the function's place and take no time. vitest 5 adds its benches to tinybench in
// the usual way, so that the adapter of tinybench sees them: it is told their names.

const fs = require('node:fs');

const { drive } = require('../core/driver.cjs');
const { packageOf } = require('../core/packages.cjs');
const tinybench = require('./tinybench.cjs');

const name = 'vitest';

const MARKS = ['class NodeBenchmarkRunner ', 'function createDefaultBenchmarkProvider('];

/** What bench files import. */
const isApi = (file) => /[\\/]dist[\\/]index\.js$/.test(file);

/** What is intercepted is in another file in each major, and its name has a hash. */
function versionOf(file) {
  const found = packageOf(file);
  if (found?.name !== name) return undefined;
  if (isApi(file)) return found.version;
  const source = fs.readFileSync(file, 'utf8');
  return MARKS.some((mark) => source.includes(mark)) ? found.version : undefined;
}

function locals(file) {
  if (isApi(file)) return '{ isApi: true }';
  if (fs.readFileSync(file, 'utf8').includes(MARKS[0])) return '{ Runner: NodeBenchmarkRunner }';
  return '{ wrapProvider: (by) => (createDefaultBenchmarkProvider = by(createDefaultBenchmarkProvider)) }';
}

function attach(session, exports, version, { isApi, Runner, wrapProvider }) {
  if (!session.isInVitest) return session.needsRunner(name);
  if (isApi) return undefined;
  const identity = { framework: name, frameworkVersion: version };
  if (wrapProvider) {
    wrapProvider((create) => (config) => named(create(config), { ...identity, imports: importsBy(config, version) }));
  } else {
    attachRunner(session, Runner, { identity, version });
  }
  return undefined;
}

/** What loads the file and its imports: vitest's own ways turn each use of an import into the call of a getter. */
function importsBy(config, version) {
  if (config.experimental?.viteModuleRunner === false) return 'native';
  return version.startsWith('3.') ? 'vite-node' : 'module runner';
}

/** The provider of 5 with benches that have the names of their test and the suites around it. */
function named(provider, identity) {
  return {
    run({ test, options, ...rest }) {
      const names = [test.name, options?.name].filter((part) => part !== undefined);
      for (let { suite } = test; suite; suite = suite.suite) names.unshift(suite.name);
      const owner = new tinybench.Owner({ names, ...identity });
      return provider.run({ test, ...rest, options: { ...options, name: owner } });
    },
  };
}

function attachRunner(session, Runner, { identity, version }) {
  // In the order in which the runner makes tasks of them.
  let coming = [];
  const { importTinybench, runSuite } = Runner.prototype;
  Runner.prototype.runSuite = async function (file) {
    identity.imports = importsBy(this.config, version);
    coming = benchesOf(file, []);
    for (const { names, isSkipped } of coming) {
      session.added();
      if (isSkipped) session.meet({ names, ...identity, skipped: true });
    }
    coming = coming.filter(({ isSkipped }) => !isSkipped);
    await session.watch(runSuite.call(this, file));
    session.mainLoaded();
  };
  Runner.prototype.importTinybench = async function () {
    const { Bench, Task } = await importTinybench.call(this);
    return { Bench: quick(Bench), Task: taskFor(session, Task, { identity, next: () => coming.shift()?.names }) };
  };
}

/** A suite's benches with the names of the suites around them: those of inner suites first, as the runner does. */
function benchesOf(suite, names) {
  const inner = suite.tasks.filter(({ type, meta }) => type === 'suite' && !meta?.benchmark);
  const own = suite.tasks.filter(({ meta }) => meta?.benchmark);
  return [
    ...inner.flatMap((child) => benchesOf(child, [...names, child.name])),
    ...own.map((task) => ({
      names: [...names, task.name],
      isSkipped: task.mode !== 'run' && task.mode !== 'queued',
    })),
  ];
}

const usersOptions = new WeakMap();
const stub = () => {};

/** A bench of which one iteration takes no time, and whose hooks are ours to call. */
function quick(Bench) {
  return class extends Bench {
    constructor(options = {}) {
      const none = { time: 0, iterations: 1, warmupTime: 0, warmupIterations: 0 };
      super({ ...options, ...none, setup: undefined, teardown: undefined });
      usersOptions.set(this, options);
    }
  };
}

function taskFor(session, Task, { identity, next }) {
  return class extends Task {
    #fn;
    #bench;
    #names = next();

    constructor(bench, taskName, fn, ...rest) {
      super(bench, taskName, stub, ...rest);
      this.#fn = fn;
      this.#bench = bench;
    }

    async run() {
      if (!session.meet({ names: this.#names, ...identity })) return super.run();
      const { setup, teardown } = usersOptions.get(this.#bench);
      return drive(
        session,
        tinybench.planFor(this, {
          user: { setup, teardown, warmup: true },
          major: 2,
          isWholeBench: true,
          record: { bench: this.#bench, fn: this.#fn, options: {} },
        }),
      );
    }
  };
}

module.exports = {
  name,
  majors: ['3', '4', '5'],
  file: /[\\/]vitest[\\/]dist[\\/](?:index|runners|chunks[\\/](?:test|index)\.[\w-]+)\.js$/,
  versionOf,
  locals,
  attach,
};
