// The window is open from here to the end of the process.
process.cpuUsage();
const { minify } = await import('terser');
const { readFileSync } = await import('node:fs');
const { createHash } = await import('node:crypto');
const source = readFileSync(new URL('node_modules/handlebars/dist/handlebars.js', import.meta.url), 'utf8');
const { code } = await minify(source, { compress: { passes: 2 }, mangle: true });
console.log(source.length, code.length, createHash('sha256').update(code).digest('hex'));
