// TypeScript transpiling a part of its own declarations' worth of code.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { window } from './window.mjs';

const require = createRequire(new URL('../programs/package.json', import.meta.url));
const ts = require('typescript');
const source = readFileSync(require.resolve('typescript/lib/lib.dom.d.ts'), 'utf8').slice(0, 60_000) + `
export class Stack<T extends object> { #items: T[] = []; push(item: T): this { this.#items.push(item); return this; } }
export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
`;
const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };

window(() => ts.transpileModule(source, options).outputText.length, 20, 3);
