// A package's own test suite, as published with it. The window is open from here to the end of the process.
process.cpuUsage();
// Suites that draw random numbers draw the same ones each time.
let state = 42;
Math.random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
const fs = require('node:fs');
const path = require('node:path');
const folder = path.join(__dirname, 'node_modules', process.argv[2]);
const tests = fs.existsSync(path.join(folder, 'test.js'))
  ? [path.join(folder, 'test.js')]
  : fs.readdirSync(path.join(folder, 'test')).filter((name) => name.endsWith('.js')).sort()
      .map((name) => path.join(folder, 'test', name));
// Some of them read files of their package by relative paths.
process.chdir(folder);
for (const test of tests) require(test);
