// The window is open from here to the end of the process.
process.cpuUsage();
const { default: esprima } = await import('esprima');
const { readFileSync } = await import('node:fs');
const source = readFileSync(new URL('node_modules/lodash/lodash.js', import.meta.url), 'utf8');
const { body, tokens, comments } = esprima.parseScript(source, { tokens: true, comment: true, range: true });
console.log(body.length, tokens.length, comments.length, JSON.stringify(body).length);
try {
  esprima.parseScript('var = 1');
} catch (error) {
  console.log(error.message);
}
