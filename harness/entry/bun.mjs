// Bun from 1.4:
//
//     TIERGATE_REQUEST=request.json bun --no-install --preload harness/entry/bun.mjs FILE
//
// FILE may be .mjs, .js, .cjs, .ts, .mts, .cts, .tsx. Without --no-install Bun fetches a missing package by itself.

import { installPlugin } from '../core/bun.mjs';
import main from '../core/main.cjs';
import core from '../core/start.cjs';

const session = core.start('bun', Bun.version);
if (session) {
  installPlugin(core.adapters, session.api);
  main.watchMain(session);
}
