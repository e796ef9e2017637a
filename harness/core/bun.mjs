// Interception in Bun: its plugins see ES modules as source text; a CommonJS file can only be answered with the
// object that it exports, so it is evaluated here.

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
      for (const { file } of adapters) build.onLoad({ filter: file }, ({ path }) => load(adapters, path));
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
  return { loader: 'object', exports: { ...module.exports } };
}
