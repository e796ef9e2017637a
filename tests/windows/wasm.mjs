import { window } from './window.mjs';

// Recursion, memory and an indirect call through a table.
const bytes = Uint8Array.from(
  atob(
    'AGFzbQEAAAABBgFgAX8BfwMFBAAAAAAEBAFwAAIFAwEAAQcIAQR3b3JrAAEJCAEAQQALAgIDCowBBBwAIABBAkgEfyAABSAAQQFrEAAgAEEC' +
      'axAAagsLXQECfwNAIAFB/wdxQQJ0IAEgAWwgAHM2AgAgAiABQQdsQf8HcUECdCgCAGohAiABQQ9xRQRAIAIgASABQQR2QQFxEQAAaiECCyAB' +
      'QQFqIgEgAEgNAAsgAkEIEABqCwcAIABBA2wLBwAgAEEFcws=',
  ),
  (character) => character.charCodeAt(0),
);
const { work } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;

window((i) => work(200 + (i & 7)), 30000);
