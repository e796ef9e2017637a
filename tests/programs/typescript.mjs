// The window is open from here to the end of the process.
process.cpuUsage();
const { default: ts } = await import('typescript');
const { readdirSync } = await import('node:fs');
const { createHash } = await import('node:crypto');
// Type-checks and compiles the sources of a real project.
const root = new URL('node_modules/zod/src/v4/core/', import.meta.url).pathname;
const files = readdirSync(root).filter((name) => name.endsWith('.ts')).map((name) => root + name);
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  types: [],
};
const program = ts.createProgram(files, options);
const hash = createHash('sha256');
let written = 0;
program.emit(undefined, (name, text) => {
  written++;
  hash.update(text);
});
console.log(files.length, written, ts.getPreEmitDiagnostics(program).length, hash.digest('hex'));
