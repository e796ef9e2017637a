// Every misuse is to throw with a message of its own; they are printed for the test to compare.

import { bench, group } from 'tiergate';

const attempts = {
  'no function': () => bench('a'),
  'options first': () => bench('a', {}, () => {}),
  'options twice': () => bench('a', () => {}, {}, {}),
  'options no object': () => bench('a', () => {}, 5),
  'empty name': () => bench(' ', () => {}),
  'no name': () => bench(() => {}),
  'unknown option': () => bench('a', () => {}, { beforeEach() {} }),
  'hook no function': () => bench('a', () => {}, { setup: 1 }),
  'batch zero': () => bench('a', () => {}, { batch: 0, before() {} }),
  'batch alone': () => bench('a', () => {}, { batch: 5 }),
  'params no object': () => bench('a', () => {}, { params: [1] }),
  'params empty': () => bench('a', () => {}, { params: { size: [] } }),
  'group no function': () => group('g'),
  'group empty name': () => group('', () => {}),
  'group async': () => group('g', async () => {}),
};

const messages = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    attempt();
    messages[name] = 'accepted';
  } catch (error) {
    messages[name] = `${error.name}: ${error.message}`;
  }
}
console.log(JSON.stringify(messages));
bench('good', () => 1);
