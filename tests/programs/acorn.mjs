// The window is open from here to the end of the process.
process.cpuUsage();
const { parse } = await import('acorn');
const { readFileSync } = await import('node:fs');
const file = new URL('node_modules/lodash/lodash.js', import.meta.url);
const kinds = {};
const visit = (node) => {
  if (!node || typeof node !== 'object') return;
  if (typeof node.type === 'string') kinds[node.type] = (kinds[node.type] ?? 0) + 1;
  for (const child of Object.values(node)) Array.isArray(child) ? child.forEach(visit) : visit(child);
};
visit(parse(readFileSync(file, 'utf8'), { ecmaVersion: 2022 }));
console.log(JSON.stringify(kinds));
