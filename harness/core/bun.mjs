// Interception in Bun: its plugins see ES modules as source text; a CommonJS file can only be answered with its
// exports, so it is evaluated here.

import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import functions from '../frameworks/functions.cjs';
import intercept from './intercept.cjs';
import packages from './packages.cjs';

/** The user's own modules. */
const USERS = /^(?!.*[\\/]node_modules[\\/]).*\.[cm]?[jt]sx?$/;

export function installPlugin(adapters, api) {
  Bun.plugin({
    name: 'tiergate',
    setup(build) {
      build.module('tiergate', () => ({ loader: 'object', exports: api }));
      for (const { file } of adapters) {
        if (file) build.onLoad({ filter: file }, ({ path }) => load(adapters, path));
      }
      if (functions.areWanted()) build.onLoad({ filter: USERS }, ({ path }) => load(adapters, path));
    },
  });
}

function load(adapters, file) {
  const text = fs.readFileSync(file, 'utf8');
  const contents = intercept.changed(adapters, pathToFileURL(file).href, undefined, () => text) ?? text;
  const loader = path.extname(file).replace(/^\.[cm]?/, '');
  if (loader !== 'js' || packages.isModuleFile(file)) return { loader, contents };
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  module._compile(contents, file);
  const { exports } = module;
  // By the name "module.exports" `require` gets the very value, which can be a function.
  return { loader: 'object', exports: { ...exports, default: exports, 'module.exports': exports } };
}
