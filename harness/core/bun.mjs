// Interception in Bun: its plugins see ES modules as source text; a CommonJS file can only be answered with its
// exports, so it is evaluated here.

import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import intercept from './intercept.cjs';
import packages from './packages.cjs';

export function installPlugin(adapters, api) {
  Bun.plugin({
    name: 'tiergate',
    setup(build) {
      build.module('tiergate', () => ({ loader: 'object', exports: api }));
      for (const { file } of adapters) {
        if (file) build.onLoad({ filter: file }, ({ path }) => load(adapters, path));
      }
    },
  });
}

function load(adapters, file) {
  const contents = fs.readFileSync(file, 'utf8') + (intercept.tailFor(adapters, pathToFileURL(file).href) ?? '');
  if (packages.isModuleFile(file)) return { loader: 'js', contents };
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  module._compile(contents, file);
  const { exports } = module;
  // By the name "module.exports" `require` gets the very value, which can be a function.
  return { loader: 'object', exports: { ...exports, default: exports, 'module.exports': exports } };
}
