// For Node where other modules are loaded before the user's file by `--import`, with which the loading of the main
// module must not be asked for before they are through:
//
//     node --require harness/entry/node.cjs --import … --import harness/entry/main.mjs FILE

import main from '../core/main.cjs';

main.watchLate();
